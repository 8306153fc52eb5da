"""The cost of deciding a paper's open claims, and the record of its verdicts in a campaign's folder."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.campaigns.cores import core_count
from roamcast.campaigns.whole_files import write_bytes
from roamcast.core.errors import UserError
from roamcast.measuring.measurements import PointName
from roamcast.measuring.verdicts import Finding, Verdict
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.measuring.verdicts.looks import Looks, forecast
from roamcast.measuring.verdicts.record import (
    DEFAULT_VALUES,
    FORMER,
    Document,
    Record,
    Setting,
    earlier_verdicts,
    written_down,
)
from roamcast.papers import SCALES, Paper, Reading

RECORD = "verdicts.json"
"""The record in a campaign's folder."""
PUBLISHED = "record.json"
"""The record in a paper's folder."""
KNOWN_WORDS = (*(verdict.value for verdict in Verdict), "reproduced", "not reproduced")
"""The verdicts that an entry may have; the last two are those of the first campaigns."""
WHAT_TO_DO = "put back a copy, or move it away to begin a new one"
WORDS_OF_READINGS = ("name", "differs", "support")
"""The fields of a reading that explain it; all others decide what it means."""


def cost_of(
    finding: Finding,
    places: Mapping[PointName, PointName],
    costs: Mapping[PointName, float],
    looked: tuple[int, Looks] | None = None,
) -> Cost | None:
    """Estimate what would decide a claim; None if it is decided, or a number that it rests on has no interval.

    ``places`` has the campaign's name of each point. ``looked`` tells how many of which looks have been taken: such a
    claim is decided at one of those that are left, or by another campaign. None: it was judged once.
    """
    if not finding.is_open or any(part.interval(finding.error) is None for part in finding.judged):
        return None
    at_a_look = None if looked is None else forecast(finding, *looked)
    found = at_a_look or finding.forecast(None if looked is None else looked[1].errors[-1])
    if found is None:
        return Cost(None, None)
    seeds, verdict = found
    last_look = looked[1].seeds[-1] if looked is not None and at_a_look is None else None
    open_parts = finding.open_parts()
    missing: dict[PointName, int] = {}
    for part in finding.judged if last_look else open_parts:  # fresh seeds judge all numbers anew
        have = 0 if part.quantity is None else part.quantity.seeds
        wanted = seeds if part in open_parts else have
        for point in part.points:
            place = places.get(point, point)
            missing[place] = max(missing.get(place, 0), wanted if last_look else wanted - have)
    cpu_s = sum(count * costs.get(place, 0.0) for place, count in missing.items())
    is_untestable = verdict is Verdict.UNTESTABLE
    return Cost(seeds, cpu_s / core_count() / 60, is_untestable=is_untestable, last_look=last_look)


def published_record(paper: Paper) -> Record:
    """Return the record that a paper's folder holds; nothing if it has none."""
    package = type(paper).__module__.rpartition(".")[0]
    try:
        text = files(package).joinpath(PUBLISHED).read_text(encoding="utf-8") if package else "{}"
    except (FileNotFoundError, ModuleNotFoundError, TypeError):
        return {}
    return _with_readings(json.loads(text), paper)


def stored_record(folder: Path, paper: Paper) -> Record:
    """Return the record of a campaign's folder, which continues the published one."""
    file = folder / RECORD
    if not file.is_file():
        return published_record(paper)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise UserError(f"{file}: cannot be read ({error}); {WHAT_TO_DO}") from None
    if not _is_record(found):
        raise UserError(f"{file}: is not a record of verdicts; {WHAT_TO_DO}")
    claims = {name for claim in paper.claims() for name in (claim.name, *claim.replaces)}
    if found and not claims & found.keys():
        raise UserError(f"{folder}: holds the verdicts on another paper; use another folder")
    return _with_readings(found, paper)


def _is_record(found: Any) -> bool:
    """Tell whether a document has the shape of a record, as far as it is read again."""
    return isinstance(found, dict) and all(
        isinstance(entries, list) and all(map(_is_entry, entries)) for entries in found.values()
    )


def _is_entry(entry: Any) -> bool:
    keys = {"name", "scale", "verdict", "date", "tolerance", "parts"}
    if not isinstance(entry, dict) or not keys <= entry.keys() or not isinstance(entry["parts"], list):
        return False
    return entry["verdict"] in KNOWN_WORDS and all(map(_is_part, entry["parts"]))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict) or not {"label", "band"} <= part.keys():
        return False
    numbers = [part.get(key) for key in ("value", "low", "high")]
    return all(each is None or (isinstance(each, (int, float)) and not isinstance(each, bool)) for each in numbers)


def put_on_record(folder: Path, paper: Paper, scale: str, judged: Iterable[JudgedClaim]) -> list[JudgedClaim]:
    """Write the verdicts of a campaign into its folder; return them with those from before a claim was changed.

    A claim that has not had its first look has no verdict and no known bands; nothing is written about it.
    """
    record = stored_record(folder, paper)
    date = datetime.now(UTC).date().isoformat()
    settings = {
        reading.name: Setting(
            scale,
            reading.name,
            __version__,
            date,
            reading_values(paper, reading),
            first_seed=paper.first_seed_at(scale),
        )
        for reading in paper.readings
    }
    found = [
        replace(each, earlier=tuple(earlier_verdicts(record, each.finding, settings[each.reading])))
        if each.had_a_look
        else each
        for each in judged
    ]
    for index, claim in enumerate(found):
        if claim.had_a_look:
            setting = replace(settings[claim.reading], to_decide=str(claim.cost or ""))
            record = written_down(record, claim.finding, setting)
            found[index] = replace(claim, former_verdicts=tuple(record[claim.claim.name][-1].get(FORMER, ())))
    write_bytes(folder / RECORD, record_text(record).encode())
    return found


def record_text(record: Record) -> str:
    """Return a record as JSON with a line for each verdict, so that a difference shows what was judged anew."""
    claims = []
    for name, entries in record.items():
        lines = ",\n".join(f" {json.dumps(entry)}" for entry in entries)
        claims.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(claims) + "\n}\n"


def reading_values(paper: Paper, reading: Reading) -> Document:
    """Return everything that decides what a reading means, as plain values.

    A field that is empty is left out, so that a field that readings get later does not look like a change. The default
    has no keys of its own: it means the values that its scenarios have of the keys that other readings change.
    """
    if reading is paper.readings[0]:
        return {DEFAULT_VALUES: _default_values(paper)}
    found = {
        field.name: _plain(getattr(reading, field.name))
        for field in fields(reading)
        if field.name not in WORDS_OF_READINGS
    }
    return {name: value for name, value in found.items() if value not in ({}, [], "", None)}


def _default_values(paper: Paper) -> Document:
    keys = sorted({key for reading in paper.readings for key in reading.values})
    texts = {run.scenario_json for sweep in paper.sweeps(SCALES[0]) for run in sweep.runs} if keys else set()
    tables = [json.loads(text) for text in texts]
    found: Document = {}
    for key in keys:
        values = {json.dumps(value) for table in tables for value in _values_at(table, key)}
        found[key] = [json.loads(value) for value in sorted(values)]
    return found


def _values_at(document: Document, key: str) -> list[Any]:
    """Return the value of a dotted key in a list; nothing where the scenario's components do not have the key."""
    *tables, name = key.split(".")
    for table in tables:
        document = document.get(table, {})
    return [document[name]] if name in document else []


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _with_readings(record: Record, paper: Paper) -> Record:
    """Return a record in which entries without a reading are the default's: they were made when there was no other."""
    default = {"reading": paper.readings[0].name}
    return {name: [{**default, **entry} for entry in entries] for name, entries in record.items()}
