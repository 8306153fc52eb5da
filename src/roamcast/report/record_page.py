"""A paper's published record as the documentation shows it.

The paper's own page has the count of the verdicts and the claims by their verdict. A second page has the rest: a table
with a row for each claim and a column for each reading, each claim with all its numbers, the readings with their
support, and what was changed after results had been seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from roamcast.measuring.measurements import number_range
from roamcast.measuring.verdicts import Verdict
from roamcast.measuring.verdicts.record import FORMER, Document, Record, latest, was_changed
from roamcast.papers import SCALES, Paper, Reading
from roamcast.report.claim_text import EITHER, MISSING, PASSING, former_verdicts_text
from roamcast.report.recorded_bands import band_text, changed_bands, recorded_band
from roamcast.report.text_tables import number

SCALE = "full"
"""The scale whose verdicts are published."""
UNPUBLISHED = "No campaign has been published yet."
DEFINITIONS = "; ".join(f"{verdict.symbol} *{verdict.value}*: {verdict.definition}" for verdict in Verdict) + "."


def tally_markdown(paper: Paper, record: Record) -> str:
    """Return one line with the count of the verdicts under the default reading, and what they rest on."""
    entries = _published(paper, record)
    if not entries:
        return UNPUBLISHED
    words = [entry["verdict"] for entry in entries]
    counts = ", ".join(f"{words.count(verdict)} {verdict.value}" for verdict in Verdict if verdict.value in words)
    seeds = number_range(part["seeds"] for entry in entries for part in entry["parts"] if part["seeds"])
    newest = max(entries, key=lambda entry: str(entry["date"]))
    on_the_line = [f"`{entry['name']}`" for entry in entries if entry["on_the_line"]]
    near = f" Within the declared margin of a boundary: {', '.join(on_the_line)}." if on_the_line else ""
    return (
        f"**{len(entries)} claims: {counts}.** {SCALE.capitalize()} scale, {seeds} seeds{_beginning(entries)}, "
        f"version {newest['version']}, {newest['date']}.{near}"
    )


def groups_markdown(paper: Paper, record: Record) -> str:
    """Return the names of the claims by their verdict, each verdict with its definition."""
    entries = _published(paper, record)
    if not entries:
        return UNPUBLISHED
    lines = []
    for verdict in Verdict:
        names = [entry["name"] for entry in entries if entry["verdict"] == verdict.value]
        if names:
            lines.append(f"- {verdict.symbol} **{verdict.value}** ({verdict.definition}): {', '.join(names)}")
    return "\n".join(lines)


def verdicts_markdown(paper: Paper, record: Record) -> str:
    """Return the claims grouped by their verdict, with the sign that each has under every reading on record.

    Each claim is linked to its section, which ``claims_markdown`` writes.
    """
    entries = _published(paper, record)
    if not entries:
        return UNPUBLISHED
    scale, readings = _readings_on_record(paper, record)
    columns = [_by_name(_entries(paper, record, reading.name, scale)) for reading in readings]
    signs = columns if len(columns) > 1 else []
    rows = [("verdict", "claim", "measured", "declared", *(str(index) for index in range(1, len(signs) + 1)))]
    for entry in sorted(entries, key=lambda entry: list(Verdict).index(Verdict(entry["verdict"]))):
        name, shown = entry["name"], _numbers_that_decide(entry)
        rows.append(
            (
                _word(entry),
                f"[`{name}`](#{name})",
                "; ".join(measured for measured, _ in shown),
                "; ".join(band for _, band in shown),
                *(_sign(column.get(name)) for column in signs),
            )
        )
    return "\n\n".join([_table(rows), DEFINITIONS, _readings_in_short(scale, readings, columns)])


def claims_markdown(paper: Paper, record: Record) -> str:
    """Return a section for each claim: what the paper says, what was declared, all numbers and all remarks."""
    entries = _published(paper, record)
    if not entries:
        return UNPUBLISHED
    percents = [f"{100 * (1 - error):.3g} %" for error in sorted({entry["error"] for entry in entries})]
    head = (
        f"{DEFINITIONS} {SCALE.capitalize()} scale, the default reading; intervals of {' or '.join(percents)}, by the "
        "look that settled a number."
    )
    return "\n\n".join([head, *(text for entry in entries for text in _section(entry))])


def readings_markdown(paper: Paper) -> str:
    """Return the readings of the paper, on record or not, and the words of the paper that speak for each."""
    return "\n".join(
        f"- `{reading.name}`: {reading.differs}. {_sentence(f'In the paper: {reading.support}')}"
        for reading in paper.readings
    )


def changes_markdown(paper: Paper, record: Record) -> str:
    """Return the claims that were encoded otherwise before, with their former bands and verdicts."""
    now = _by_name(_published(paper, record))
    rows = []
    for claim in paper.claims():
        current = now.get(claim.name)
        former = [entry for name in dict.fromkeys([*claim.replaces, claim.name]) for entry in record.get(name, [])]
        for entry in former:
            own = now.get(entry["name"])  # a claim that was split may live on under the name that another replaces
            if current is None or not was_changed(entry, current, SCALE):
                continue
            if own is not None and not was_changed(entry, own, SCALE):
                continue
            bands_then, bands_now = changed_bands(entry, current)
            rows.append(
                (
                    f"`{claim.name}`",
                    f"`{entry['name']}`: {entry['tolerance']}",
                    bands_then,
                    f"{entry['verdict']} ({entry['scale']})",
                    bands_now,
                    _word(current),
                )
            )
    header = ("claim", "before", "bands then", "verdict then", "bands now", "verdict now")
    changes = _table([header, *rows]) if rows else "Nothing was changed."
    used = "\n".join(f"- {seeds.first:d} to {seeds.last:d}: {seeds.use}" for seeds in paper.seeds_used)
    return f"{changes}\n\nSeeds that were looked at before, and judge no claim any more:\n\n{used}" if used else changes


def _entries(paper: Paper, record: Record, reading: str, scale: str = SCALE) -> Iterator[Document]:
    """Yield the newest entry on each claim that has one of today's six words; there were other words before."""
    words = [verdict.value for verdict in Verdict]
    for claim in paper.claims():
        entry = latest(record, claim, scale, reading)
        if entry is not None and entry["verdict"] in words:
            yield entry


def _published(paper: Paper, record: Record) -> list[Document]:
    return list(_entries(paper, record, paper.readings[0].name))


def _by_name(entries: Iterable[Document]) -> Mapping[str, Document]:
    return {entry["name"]: entry for entry in entries}


def _readings_on_record(paper: Paper, record: Record) -> tuple[str, Sequence[Reading]]:
    """Return the largest scale at which several readings were judged, and those; the default alone if there is none."""
    for scale in reversed(SCALES):
        judged = [reading for reading in paper.readings if any(_entries(paper, record, reading.name, scale))]
        if len(judged) > 1:
            return scale, judged
    return SCALE, paper.readings[:1]


def _readings_in_short(scale: str, readings: Sequence[Reading], columns: Sequence[Mapping[str, Document]]) -> str:
    if len(readings) == 1:
        return f"Reading `{readings[0].name}`: {readings[0].differs}."
    begun = [_beginning(column.values()) for column in columns]
    listed = " ".join(
        f"**{index}** `{reading.name}`{f', seeds{first}' if first else ''}: {reading.differs}."
        for index, (reading, first) in enumerate(zip(readings, begun, strict=True), 1)
    )
    return f"Numbered columns: the verdict under each reading of the paper, at {scale} scale. {listed}"


def _beginning(entries: Iterable[Document]) -> str:
    """Say with which seeds the runs began, as far as the record knows."""
    begun = sorted({entry["first_seed"] for entry in entries if entry.get("first_seed")})
    return f" from {' and '.join(map(str, begun))} on" if begun else ""


def _section(entry: Document) -> Iterator[str]:
    """Yield the paragraphs on a claim."""
    yield f"### {entry['name']}"
    declared = _sentence(f"Declared: {entry['tolerance']}")
    yield f"**{_word(entry)}.** The paper: {entry['statement']} ({entry['where']}). {declared}"
    rows = [
        (
            part["label"].removeprefix("not judged: "),
            _with_extent(part),
            band_text(part),
            str(part["seeds"]),
            _part_word(part),
        )
        for part in entry["parts"]
    ]
    yield _table([("number", "measured", "declared", "seeds", "verdict"), *rows])
    why = entry.get("why_untestable") or entry["untestable"]
    notes = [f"Untestable: {why}" if why else "", _open(entry), entry["choice"], entry.get("after_results", "")]
    notes += [] if entry["verdict"] in PASSING else [entry["remark"]]
    notes.append(former_verdicts_text(entry.get(FORMER, [])))
    if any(notes):
        yield " ".join(_sentence(note) for note in notes if note)


def _open(entry: Document) -> str:
    """Say where the boundary is that an undecided claim crosses, and what deciding it would cost."""
    if entry["verdict"] != Verdict.UNDECIDED:
        return ""
    if any(part["value"] is None for part in entry["parts"] if part["band"] is not None):
        return f"Open: {MISSING[0].lower()}{MISSING[1:]}"
    if not entry.get("to_decide"):
        return ""
    parts = [part for part in entry["parts"] if part.get("is_decisive") and part["low"] is not None]
    crossed = sorted(
        {end for part in parts for end in recorded_band(part["band"]).crossed((part["low"], part["high"]))}
    )
    boundaries = f"crosses {', '.join(map(number, crossed))}; " if crossed else ""
    certain = entry.get("direction_certain")
    direction = "" if certain is None else f"the direction is {'certain' if certain else 'open'}; "
    near = "within the declared margin of it; " if entry["on_the_line"] else ""
    return f"Open: {boundaries}{direction}{near}{entry['to_decide']}"


def _numbers_that_decide(entry: Document) -> list[tuple[str, str]]:
    """Return the numbers that a verdict rests on, each with its band.

    That is the first of those that speak against the claim or leave it open. If there are none, all count: the numbers
    that have a band in common are then one range.
    """
    judged = [part for part in entry["parts"] if part["band"] is not None]
    if not judged:
        return [(_labelled(part), "not judged") for part in entry["parts"][:1]]
    against = [part for part in judged if part.get("is_decisive")]
    if against:
        of_all = f" ({len(against)} of {len(judged)} numbers)" if len(judged) > 1 else ""
        return [(_labelled(against[0]) + of_all, band_text(against[0]))]
    groups: dict[str, list[Document]] = {}
    for part in judged:
        groups.setdefault(band_text(part), []).append(part)
    return [(_range(parts), band) for band, parts in groups.items()]


def _range(parts: Sequence[Document]) -> str:
    if len(parts) == 1:
        return _labelled(parts[0])
    values = [part["value"] for part in parts if part["value"] is not None]
    beyond = sum(part["verdict"] == Verdict.EXCEEDED for part in parts)
    extra = f", {beyond} of them beyond the band" if 0 < beyond < len(parts) else ""
    return f"{len(parts)} numbers, {number(min(values, default=None))} to {number(max(values, default=None))}{extra}"


def _labelled(part: Document) -> str:
    return f"{part['label']}: {_value(part)}"


def _value(part: Document) -> str:
    return number(part["value"], part["low"], part["high"])


def _with_extent(part: Document) -> str:
    extent = part.get("extent")
    return _value(part) + (f", at its points {number(extent[0])} to {number(extent[1])}" if extent else "")


def _part_word(part: Document) -> str:
    """Return the verdict on a number by itself; one that is inside its band or beyond it passes, whichever it is."""
    if part["band"] is None:
        return "not judged"
    interval = None if part["low"] is None else (part["low"], part["high"])
    is_open = part["verdict"] == Verdict.UNDECIDED
    return (
        EITHER if is_open and interval is not None and recorded_band(part["band"]).passes(interval) else part["verdict"]
    )


def _word(entry: Document) -> str:
    return f"{_sign(entry)} {entry['verdict']}"


def _sign(entry: Document | None) -> str:
    return "" if entry is None else Verdict(entry["verdict"]).symbol


def _sentence(text: str) -> str:
    return text if text.endswith((".", '."')) else f"{text}."


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    header, *others = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ("---",) * len(header), *others))
