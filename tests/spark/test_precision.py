import json
from collections import Counter

import pytest

from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.campaigns.precision import Precision, more_runs, reached
from roamcast.core.errors import UserError
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import SHARE, Sample, pooled

ASKED = [Precision("delivery_ratio", 0.02)]


def run_at(protocol: str, nodes: int, seed: int, scenario: str = "") -> PlannedRun:
    point = json.dumps({"nodes.count": nodes, "protocol.name": protocol})
    text = f"{protocol} {nodes} {scenario}"
    return PlannedRun("compare", point, run_id(text, seed), seed, text, 1.0)


def plan_of(seeds: range) -> list[PlannedRun]:
    return [run_at(protocol, nodes, seed) for protocol in "ab" for nodes in (10, 20) for seed in seeds]


def ends(half_width: float | None) -> tuple[float | None, float | None]:
    """Return an interval that is not symmetric round the value, as intervals of shares are not."""
    return (None, None) if half_width is None else (0.49 - half_width, 0.49 + half_width)


def measured(widths: dict[tuple[str, int], float | None]) -> Measurements:
    return Measurements(
        Measurement(
            "compare", {"nodes.count": nodes, "protocol.name": protocol}, "delivery_ratio", 0.5, *ends(width), 5
        )
        for (protocol, nodes), width in widths.items()
    )


WIDE_AT_20 = measured({("a", 10): 0.01, ("b", 10): 0.0, ("a", 20): 0.025, ("b", 20): 0.015})


def test_seeds_are_added_where_they_are_needed_and_to_all_protocols_there() -> None:
    more = more_runs(plan_of(range(1, 6)), WIDE_AT_20, ASKED, 100)
    # 5 seeds x (0.025 / 0.02)^2 = 7.8
    assert Counter((run.point, run.seed) for run in more) == Counter(
        (run_at(protocol, 20, seed).point, seed) for protocol in "ab" for seed in (6, 7, 8)
    )
    assert all(run.run_id == run_id(run.scenario_json, run.seed) for run in more)


def test_no_seed_is_added_where_all_is_precise_or_the_limit_is_reached() -> None:
    assert more_runs(plan_of(range(5)), WIDE_AT_20, [Precision("delivery_ratio", 0.03)], 100) == []
    assert more_runs(plan_of(range(5)), WIDE_AT_20, ASKED, 5) == []
    assert len(more_runs(plan_of(range(5)), WIDE_AT_20, ASKED, 6)) == 2


def test_a_point_without_an_interval_gets_more_seeds_but_never_too_many_at_once() -> None:
    for unknown in (measured({}), measured({(protocol, n): None for protocol in "ab" for n in (10, 20)})):
        assert {run.seed for run in more_runs(plan_of(range(2)), unknown, ASKED, 100)} == {2, 3, 4, 5}
    far = measured({(protocol, n): 9.0 for protocol in "ab" for n in (10, 20)})
    assert {run.seed for run in more_runs(plan_of(range(2)), far, ASKED, 100)} == {2, 3, 4, 5}
    for tiny in (1e-300, 5e-324):
        asked = [Precision("delivery_ratio", tiny)]
        assert {run.seed for run in more_runs(plan_of(range(2)), far, asked, 100)} == {2, 3, 4, 5}


def test_at_a_bound_the_width_falls_with_the_number_of_seeds_and_no_seed_is_wasted() -> None:
    plan, rounds = plan_of(range(5)), []
    while True:
        samples = [Sample(seed, 1.0) for seed in {run.seed for run in plan}]
        found = pooled(samples, SHARE)
        assert found is not None
        points = [{"nodes.count": nodes, "protocol.name": protocol} for protocol in "ab" for nodes in (10, 20)]
        rows = [Measurement.of("compare", point, "delivery_ratio", found, samples) for point in points]
        rounds.append(len(samples))
        more = more_runs(plan, Measurements(rows), ASKED, 200)
        if not more:
            break
        plan += more
    assert rounds == [5, 15, 45, 74]  # 1 - 0.05^(1/73) is above 0.04


def test_all_runs_of_one_seed_at_a_point_get_the_new_seed() -> None:
    plan = [run_at("a", 10, seed, car) for seed in range(2) for car in ("first", "second")]
    more = more_runs(plan, measured({("a", 10): 0.021}), ASKED, 100)
    assert [(run.scenario_json, run.seed) for run in more] == [("a 10 first", 2), ("a 10 second", 2)]


def test_points_whose_seeds_have_scenarios_of_their_own_are_refused() -> None:
    plan = [run_at("a", 10, seed, str(seed)) for seed in range(2)]
    with pytest.raises(UserError, match="precision: no seeds can be added to compare"):
        more_runs(plan, measured({("a", 10): 0.021}), ASKED, 100)


def test_the_report_says_how_many_seeds_were_used_and_where_they_were_too_few() -> None:
    plan = plan_of(range(5))
    plan += [run_at(protocol, 20, seed) for protocol in "ab" for seed in (5, 6)]
    (end,) = reached(plan, WIDE_AT_20, ASKED)
    assert end.line("--seeds-max") == (
        "Precision: delivery_ratio within 0.02 not reached at 1 of 4 points with 5 to 7 seeds (--seeds-max); "
        'the widest has 0.025: {"nodes.count": 20, "protocol.name": "a"}'
    )
    (end,) = reached(plan_of(range(5)), WIDE_AT_20, [Precision("delivery_ratio", 0.03)])
    assert end.line() == "Precision: delivery_ratio within 0.03 at every point, with 5 seeds."


FAILED_AT_20 = {run_at("a", 20, seed).run_id for seed in range(5)}


def test_a_point_all_of_whose_runs_failed_gets_no_further_seeds_and_the_others_do() -> None:
    found = measured({("a", 10): 0.01, ("b", 10): 0.01, ("b", 20): 0.025})
    more = more_runs(plan_of(range(5)), found, ASKED, 100, FAILED_AT_20)
    assert [(run.point, run.seed) for run in more] == [(run_at("b", 20, 0).point, seed) for seed in (5, 6, 7)]
    everything = {run.run_id for run in plan_of(range(5))}
    assert more_runs(plan_of(range(5)), measured({}), ASKED, 100, everything) == []
    # One that did not fail is a reason to go on.
    assert len(more_runs(plan_of(range(5)), measured({}), ASKED, 6, everything - {run_at("a", 10, 0).run_id})) == 1


def test_a_point_that_was_given_up_and_lives_again_gets_the_seeds_that_it_missed() -> None:
    plan = [*plan_of(range(2)), *(run_at("b", 20, seed) for seed in (2, 3))]
    found = measured({("a", 10): 0.01, ("b", 10): 0.01, ("a", 20): 0.01, ("b", 20): 0.0201})
    more = more_runs(plan, found, ASKED, 5)
    assert [(json.loads(run.point)["protocol.name"], run.seed) for run in more] == [
        ("a", 2), ("a", 3), ("a", 4), ("b", 4),
    ]  # fmt: skip


def test_the_report_says_at_which_points_every_run_failed() -> None:
    found = measured({("a", 10): 0.01, ("b", 10): 0.01, ("b", 20): 0.01})
    (end,) = reached(plan_of(range(5)), found, ASKED, FAILED_AT_20)
    assert end.line() == (
        "Precision: delivery_ratio within 0.02 at every other point, with 5 seeds. "
        "Every run failed at 1 of 4 points, which got no further seeds: "
        '{"nodes.count": 20, "protocol.name": "a"}'
    )
    (end,) = reached(plan_of(range(5)), measured({}), ASKED, {run.run_id for run in plan_of(range(5))})
    assert end.line().startswith("Precision: delivery_ratio within 0.02 at no point. Every run failed at 4 of 4 points")
