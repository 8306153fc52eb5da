"""The cost of deciding a paper's open claims, and the record of its verdicts in a campaign's folder."""

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from roamcast import __version__
from roamcast.campaigns.whole_files import write_bytes
from roamcast.measuring.measurements import PointName
from roamcast.measuring.verdicts import Finding
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.measuring.verdicts.record import Record, Setting, written_down
from roamcast.papers import Paper

RECORD = "verdicts.json"
"""The record in a campaign's folder."""
PUBLISHED = "record.json"
"""The record in a paper's folder."""


def cost_of(finding: Finding, places: Mapping[PointName, PointName], costs: Mapping[PointName, float]) -> Cost | None:
    """Estimate what would decide a claim; ``places`` has the campaign's name of each point."""
    if not finding.is_open:
        return None
    seeds = finding.seeds_to_decide()
    if seeds is None:
        return Cost(None, None)
    missing: dict[PointName, int] = {}
    for part in finding.open_parts() or finding.judged:
        have = 0 if part.quantity is None else part.quantity.seeds
        for point in part.points:
            place = places.get(point, point)
            missing[place] = max(missing.get(place, 0), seeds - have)
    cpu_s = sum(count * costs.get(place, 0.0) for place, count in missing.items())
    return Cost(seeds, cpu_s / len(os.sched_getaffinity(0)) / 60)


def published_record(paper: Paper) -> Record:
    """Return the record that a paper's folder holds; nothing if it has none."""
    package = type(paper).__module__.rpartition(".")[0]
    try:
        text = files(package).joinpath(PUBLISHED).read_text(encoding="utf-8") if package else "{}"
    except (FileNotFoundError, ModuleNotFoundError, TypeError):
        return {}
    found: Record = json.loads(text)
    return found


def stored_record(folder: Path, paper: Paper) -> Record:
    """Return the record of a campaign's folder, which continues the published one."""
    file = folder / RECORD
    if not file.is_file():
        return published_record(paper)
    try:
        found: Record = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return published_record(paper)  # damaged: what it said about this folder is lost, what was published is not
    return found


def put_on_record(folder: Path, paper: Paper, scale: str, judged: Iterable[JudgedClaim]) -> None:
    """Write the verdicts of a campaign into its folder."""
    record = stored_record(folder, paper)
    date = datetime.now(UTC).date().isoformat()
    for each in judged:
        record = written_down(record, each.finding, Setting(scale, each.reading, __version__, date))
    write_bytes(folder / RECORD, (json.dumps(record, indent=1) + "\n").encode())
