"""A paper's published record as the documentation shows it: verdicts, readings side by side, and what was changed."""

from collections.abc import Iterator, Sequence

from roamcast.measuring.measurements import number_range
from roamcast.measuring.verdicts import Verdict
from roamcast.measuring.verdicts.record import Document, Record, latest, was_changed
from roamcast.papers import SCALES, Paper, Reading
from roamcast.report.text_tables import number

SCALE = "full"
"""The scale whose verdicts are published."""
PARTS_SHOWN = 4
"""A claim of more numbers is shown as a range, and by those that it fails on."""


def verdicts_markdown(paper: Paper, record: Record) -> str:
    """Return the verdicts under the default reading, grouped by their word, with their count and definitions."""
    entries = list(_entries(paper, record, paper.readings[0].name))
    if not entries:
        return "No campaign has been published yet."
    words = [Verdict(entry["verdict"]) for entry in entries]
    counts = ", ".join(f"{words.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in words)
    dates = sorted({entry["date"] for entry in entries})
    seeds = number_range(part["seeds"] for entry in entries for part in entry["parts"] if part["seeds"])
    head = (
        f"**{len(entries)} claims: {counts}.** Full scale, {seeds} seeds from {paper.first_seed} on, version "
        f"{entries[-1]['version']}, {dates[-1]}."
    )
    lines = ["| verdict | claim | the paper says | measured | declared |", "|---|---|---|---|---|"]
    for verdict in Verdict:
        for entry in entries:
            if entry["verdict"] == verdict.value:
                lines.append(
                    f"| {verdict.symbol} {verdict.value} | `{entry['name']}` | {entry['statement']} ({entry['where']}) "
                    f"| {_measured(entry)} | {entry['tolerance']} |"
                )
    definitions = "; ".join(f"{verdict.symbol} *{verdict.value}*: {verdict.definition}" for verdict in Verdict)
    return "\n".join([head, "", *lines, "", f"{definitions}."])


def readings_markdown(paper: Paper, record: Record) -> str:
    """Return what the readings are, and the verdict on each claim under each of them."""
    scale, readings = _readings_on_record(paper, record)
    explained = [f"{index}. `{each.name}`: {each.differs} ({each.support})" for index, each in enumerate(readings, 1)]
    found = {
        each.name: {entry["name"]: entry for entry in _entries(paper, record, each.name, scale)} for each in readings
    }
    header = f"| claim ({scale} scale) | {' | '.join(str(index) for index in range(1, len(readings) + 1))} |"
    rows = [
        f"| `{claim.name}` | {' | '.join(_symbol(found[reading.name].get(claim.name)) for reading in readings)} |"
        for claim in paper.claims()
        if any(claim.name in entries for entries in found.values())
    ]
    return "\n".join([*explained, "", header, "|---" * (len(readings) + 1) + "|", *rows])


def _readings_on_record(paper: Paper, record: Record) -> tuple[str, Sequence[Reading]]:
    """Return the largest scale at which several readings were judged, and those; the default alone if there is none."""
    for scale in reversed(SCALES):
        judged = [reading for reading in paper.readings if any(_entries(paper, record, reading.name, scale))]
        if len(judged) > 1:
            return scale, judged
    return SCALE, paper.readings[:1]


def changes_markdown(paper: Paper, record: Record) -> str:
    """Return the claims that were encoded otherwise before, with their former verdicts."""
    rows = []
    for claim in paper.claims():
        now = latest(record, claim, SCALE, paper.readings[0].name)
        for name in dict.fromkeys([*claim.replaces, claim.name]):
            for entry in record.get(name, []):
                if now is not None and was_changed(entry, now, SCALE):
                    before = f"`{name}`: {entry['tolerance']}"
                    rows.append(
                        f"| `{claim.name}` | {before} | {entry['verdict']} ({entry['scale']}) | {now['verdict']} |"
                    )
    return "\n".join(["| claim | before | verdict then | verdict now |", "|---|---|---|---|", *rows])


def _entries(paper: Paper, record: Record, reading: str, scale: str = SCALE) -> Iterator[Document]:
    """Yield the newest entry on each claim that has one of today's six words; there were other words before."""
    words = [verdict.value for verdict in Verdict]
    for claim in paper.claims():
        entry = latest(record, claim, scale, reading)
        if entry is not None and entry["verdict"] in words:
            yield entry


def _symbol(entry: Document | None) -> str:
    return "" if entry is None else Verdict(entry["verdict"]).symbol


def _measured(entry: Document) -> str:
    parts: Sequence[Document] = entry["parts"]
    judged = [part for part in parts if part["band"] is not None] or parts
    if len(judged) <= PARTS_SHOWN:
        return "; ".join(map(_part, judged))
    values = [part["value"] for part in judged if part["value"] is not None]
    against = [part for part in judged if part["verdict"] == entry["verdict"] and entry["verdict"] not in PASSING]
    worst = f"; {'; '.join(map(_part, against[:2]))}" if against else ""
    more = f"; and {len(against) - 2} more" if len(against) > 2 else ""
    extremes = f"{number(min(values, default=None))} to {number(max(values, default=None))}"
    return f"{len(values)} numbers from {extremes}{worst}{more}"


PASSING = ("holds", "exceeded", "untestable")


def _part(part: Document) -> str:
    extent = part.get("extent")
    points = f", at its points {number(extent[0])} to {number(extent[1])}" if extent else ""
    return f"{part['label']}: {number(part['value'], part['low'], part['high'])}{points}"
