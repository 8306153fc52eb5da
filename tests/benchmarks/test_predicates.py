"""The benchmark of predicates, at a reduced size."""

import json
from dataclasses import replace

import pytest
from benchmarks.__main__ import main
from benchmarks.predicates import KINDS, PredicateMeasurement, measure_predicates, show_predicates

from benchmarks import predicates
from roamcast.core.predicates import NOTHING, parse
from roamcast.core.predicates.comparisons import Operator

QUICK = PredicateMeasurement("number", "x < 1", 0.5, 5, 0.4, 0.5)


def test_the_target_is_the_issue_s_one_millisecond_for_a_thousand() -> None:
    assert (predicates.COUNT, predicates.TARGET_MS) == (1_000, 1.0)


def test_every_comparison_of_the_language_is_measured() -> None:
    made = [parse(text(number)) for text in KINDS.values() for number in range(10)]
    assert NOTHING not in made
    used = {
        comparison.operator
        for predicate in made
        for alternative in predicate.alternatives
        for comparison in alternative.comparisons()
    }
    assert used >= set(Operator) - {Operator.GREATER, Operator.AT_MOST}  # which cost what their neighbours do


def test_of_every_kind_some_match_and_some_do_not() -> None:
    found = measure_predicates(repeats=1, count=60)
    assert [each.kind for each in found] == list(KINDS)
    assert all(0 < each.matched_share < 1 for each in found)
    assert all(0 < each.event_ms_best <= each.event_ms_median for each in found)


def test_a_kind_that_misses_the_target_is_named() -> None:
    lines = show_predicates([QUICK, replace(QUICK, kind="text", event_ms_best=1.5)]).splitlines()
    assert lines[1].split() == ["number", "0.400", "0.500", "50.0%", "x", "<", "1"]
    assert lines[2].endswith("x < 1; target 1 ms: NOT reached")
    assert lines[3] == "the slowest kind takes 1.500 ms; target 1 ms: NOT reached"
    assert show_predicates([QUICK]).endswith("the slowest kind takes 0.400 ms; target 1 ms: reached")


def test_it_is_a_benchmark_of_the_command_without_ns3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.__main__.measure_predicates", lambda repeats: [replace(QUICK, repeats=repeats)])
    assert main(["predicates", "--repeat", "2"]) == 0
    printed = capsys.readouterr()
    assert (printed.err, printed.out.splitlines()[0].split()[:2]) == ("", ["1", "event,"])
    assert main(["predicates", "--repeat", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["measurements"] == []
    assert [(row["kind"], row["repeats"]) for row in result["predicates"]] == [("number", 2)]
