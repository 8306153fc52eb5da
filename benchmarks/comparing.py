"""Two result files beside each other: what became slower, and by how much.

The fastest of a case's runs is compared, since whatever disturbs a run makes it slower. Where the digests differ the
two files have not measured the same run (a changed MAC or protocol sends other frames), so the cost of a reception is
compared, by medians. Memory is compared in both cases.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import ResultFileError, load

THRESHOLD_PERCENT = 10.0
MEMORY_THRESHOLD_PERCENT = 25.0
"""Peaks differ more between two runs than times do."""
SAME, SLOWER, LARGER, FASTER, ADDED, REMOVED = "", "SLOWER", "MORE MEMORY", "faster", "only in NEW", "only in OLD"
ANOTHER = "another run, by us/reception"


@dataclass(frozen=True, slots=True)
class Change:
    """A case in both files, or in one of them."""

    name: str
    old_cpu_s: float | None
    new_cpu_s: float | None
    memory_ratio: float | None
    cpu_ratio: float | None
    """How many times the CPU time of the old file the new one has: of the run, or of a reception."""
    verdict: str
    note: str = ""

    @property
    def is_worse(self) -> bool:
        """Tell whether it costs more than the threshold allows."""
        return self.verdict in (SLOWER, LARGER)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cases, and whether they were measured alike."""

    changes: tuple[Change, ...]
    one_machine: bool
    threshold_percent: float

    @property
    def slower(self) -> bool:
        """Tell whether anything became slower than the threshold allows."""
        return any(change.is_worse for change in self.changes)


def compare(old_file: Path, new_file: Path, threshold_percent: float = THRESHOLD_PERCENT) -> Comparison:
    """Compare two result files case by case."""
    old, new = load(old_file), load(new_file)
    before, after = _by_name(old), _by_name(new)
    if not before.keys() & after.keys():
        raise ResultFileError(new_file, f"has no case in common with {old_file}")
    names = [*before, *(name for name in after if name not in before)]
    changes = tuple(_change(name, before.get(name), after.get(name), threshold_percent) for name in names)
    alike = all(old.get(key) == new.get(key) for key in ("machine", "python", "numba"))
    return Comparison(changes, alike, threshold_percent)


def show(comparison: Comparison) -> str:
    """Return the comparison as a table."""
    lines = [f"{'':28} {'CPU s: OLD':>10} {'NEW':>8} {'NEW/OLD':>8} {'memory':>7}"]
    for each in comparison.changes:
        figures = (
            f"{_number(each.old_cpu_s, '.3f'):>10} {_number(each.new_cpu_s, '.3f'):>8} "
            f"{_number(each.cpu_ratio, '.2f'):>8} {_number(each.memory_ratio, '.2f'):>7}"
        )
        lines.append(f"{each.name:28} {figures}  {'; '.join(filter(None, (each.verdict, each.note)))}".rstrip())
    if not comparison.one_machine:
        lines.append("measured on different machines or versions of Python or Numba: a ratio may be theirs")
    found = "" if comparison.slower else "nothing "
    limits = f"{comparison.threshold_percent:g} % slower or {MEMORY_THRESHOLD_PERCENT:g} % larger"
    lines.append(f"{found}more than {limits}")
    return "\n".join(lines)


def _by_name(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {f"{row['benchmark']} {row['label']}": row for row in result["measurements"]}


def _change(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None, threshold_percent: float) -> Change:
    if old is None or new is None:
        old_cpu_s, new_cpu_s = (None if row is None else row["cpu_s_best"] for row in (old, new))
        return Change(name, old_cpu_s, new_cpu_s, None, None, ADDED if old is None else REMOVED)
    same_run = old["digest"] == new["digest"]
    compared = "cpu_s_best" if same_run else "us_per_reception"
    ratio = new[compared] / old[compared]
    memory_ratio = new["peak_memory_mb"] / old["peak_memory_mb"]
    limit = 1 + threshold_percent / 100
    if ratio > limit:
        verdict = SLOWER
    elif memory_ratio > 1 + MEMORY_THRESHOLD_PERCENT / 100:
        verdict = LARGER
    else:
        verdict = FASTER if ratio < 1 / limit else SAME
    note = "" if same_run else ANOTHER
    return Change(name, old["cpu_s_best"], new["cpu_s_best"], memory_ratio, ratio, verdict, note)


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
