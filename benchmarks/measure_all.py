"""The timed benchmarks, one line each as they come, ours beside ns-3's and ns-2's where they are installed."""

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.cases import BENCHMARKS, SCALE, Case
from benchmarks.measuring import Measurement, compile_apart, measure_apart
from benchmarks.ns2_cases import Ns2Measurement, measure_in_ns2
from benchmarks.ns2_program import Ns2
from benchmarks.ns3_cases import Ns3Measurement, measure_in_ns3
from benchmarks.ns3_program import Ns3

GROWTH_MAX = 2.0
"""How much more a reception may cost with the most nodes of the scale series than with the fewest."""
HEADER = (
    f"{'':21} {'frames':>9} {'receptions':>10} {'CPU s: best':>11} {'median':>7} {'set-up':>7} "
    f"{'frames/s':>9} {'rec./s':>9} {'us/rec.':>8} {'MB':>5}"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases to measure, and how often."""

    names: tuple[str, ...]
    repeats: int
    seed: int
    ns3: Ns3 | None
    """None: not installed, or not wanted."""
    ns3_nodes_max: int
    """Larger cases are left out in ns-3: its time grows with the square of the nodes."""
    quiet: bool
    ns2: Ns2 | None = None
    """None: not installed, or not wanted."""


def measure_all(plan: Plan) -> list[dict[str, Any]]:
    """Measure everything of a plan and return a row for each case."""
    rows = []
    if plan.names:
        _say(plan, f"seed {plan.seed}, up to {plan.repeats} runs each; rates by the median; set-up is in the CPU time")
        _say(plan, HEADER)
        compile_apart()
    for name in plan.names:
        measured = []
        for index, case in enumerate(BENCHMARKS[name]()):
            ours = measure_apart(name, index, plan.repeats, plan.seed)
            _say(plan, our_line(ours))
            theirs = _in_ns3(plan, case, ours.nodes)
            if theirs is not None:
                _say(plan, ns3_line(ours, theirs, case.ns3_ratio_target))
            elif plan.ns3 is not None and case.beside_ns3:
                _say(plan, f"{'':21} ns-3 is left out above {plan.ns3_nodes_max:,} nodes; --ns3-full runs 2,400")
            ns2s = _in_ns2(plan, case)
            if ns2s is not None:
                _say(plan, ns2_line(ours, ns2s, case.ns2_ratio_target))
            measured.append(ours)
            rows.append(
                ours.as_row() | _ns3_columns(ours, theirs, case.ns3_ratio_target) | _ns2_columns(case, ours, ns2s)
            )
        if name == SCALE:
            _say(plan, growth_line(measured))
    return rows


def ratio(ours: Measurement, theirs: Ns3Measurement | Ns2Measurement) -> float:
    """Return the other's CPU time over ours: its fastest run over our median, so that noise is not to our favour."""
    return theirs.cpu_s_best / ours.cpu_s_median


def our_line(each: Measurement) -> str:
    """Return a measurement as a line of the table."""
    return (
        f"{each.name:21} {each.frames:9,} {each.receptions:10,} {each.cpu_s_best:11.3f} {each.cpu_s_median:7.3f} "
        f"{each.setup_cpu_s:7.3f} {each.frames_per_cpu_s:9,.0f} {each.receptions_per_cpu_s:9,.0f} "
        f"{each.us_per_reception:8.2f} {each.peak_memory_mb:5.0f}"
    )


def ns3_line(ours: Measurement, theirs: Ns3Measurement, target: float | None) -> str:
    """Return ns-3's measurement as a line below ours, with the ratio and what was promised."""
    found = ratio(ours, theirs)
    promised = "" if target is None else f"; target {target:g}: {_verdict(found, target)}"
    return f"{_their_line('ns-3', theirs)}  ns-3 takes {found:.1f} times our CPU time{promised}"


def ns2_line(ours: Measurement, theirs: Ns2Measurement, target: float | None) -> str:
    """Return ns-2's measurement as a line below ours, with what it delivered, the ratio and what is wanted."""
    found = ratio(ours, theirs)
    reached = "reached" if target is not None and found >= target else "NOT reached"
    wanted = "" if target is None else f"; target {target:g}: {reached}"
    delivered = f"{theirs.packets:,} packets, delivered {theirs.delivered:,} times"
    if ours.deliveries:
        delivered += f", ours {ours.deliveries:,} of {ours.publications:,}"
    return f"{_their_line('ns-2', theirs)}  ns-2 takes {found:.1f} times our CPU time{wanted}; {delivered}"


def _their_line(name: str, theirs: Ns3Measurement | Ns2Measurement) -> str:
    return (
        f"{f'  {name}':21} {theirs.frames:9,} {theirs.receptions:10,} {theirs.cpu_s_best:11.3f} "
        f"{theirs.cpu_s_median:7.3f} {'':7} {theirs.frames / theirs.cpu_s_median:9,.0f} "
        f"{theirs.receptions / theirs.cpu_s_median:9,.0f} {1e6 * theirs.cpu_s_median / max(theirs.receptions, 1):8.2f} "
        f"{theirs.peak_memory_mb:5.0f}"
    )


def growth_line(measured: list[Measurement]) -> str:
    """Say how the cost of a reception grows over the scale series, by the fastest runs: noise is no growth."""
    first, last = measured[0], measured[-1]
    growth = (last.cpu_s_best / last.receptions) / (first.cpu_s_best / first.receptions)
    verdict = "kept" if growth <= GROWTH_MAX else "NOT kept"
    return (
        f"from {first.nodes:,} to {last.nodes:,} nodes a reception costs {growth:.2f} times as much; "
        f"target at most {GROWTH_MAX:g}: {verdict}"
    )


def _verdict(found: float, target: float) -> str:
    if found >= 2 * target:
        return "reached, and twice it, the goal"
    return "reached" if found >= target else "NOT reached"


def _in_ns3(plan: Plan, case: Case, nodes: int) -> Ns3Measurement | None:
    if plan.ns3 is None or not case.beside_ns3 or nodes > plan.ns3_nodes_max:
        return None
    return measure_in_ns3(plan.ns3, case.make(), plan.seed, plan.repeats)


def _in_ns2(plan: Plan, case: Case) -> Ns2Measurement | None:
    if plan.ns2 is None or not case.beside_ns2:
        return None
    return measure_in_ns2(plan.ns2, case.make(), plan.seed, plan.repeats)


def _ns2_columns(case: Case, ours: Measurement, theirs: Ns2Measurement | None) -> dict[str, Any]:
    if theirs is None:
        return {"ns2": None}
    return {"ns2": asdict(theirs) | {"ratio": ratio(ours, theirs), "ratio_target": case.ns2_ratio_target}}


def _ns3_columns(ours: Measurement, theirs: Ns3Measurement | None, target: float | None) -> dict[str, Any]:
    if theirs is None:
        return {"ns3": None}
    return {"ns3": asdict(theirs) | {"ratio": ratio(ours, theirs), "ratio_target": target}}


def _say(plan: Plan, line: str) -> None:
    if not plan.quiet:
        print(line, flush=True)
