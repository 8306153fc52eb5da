"""Verdicts look at the whole interval."""

from math import inf

import pytest

from roamcast.measuring.claim_verdicts import Claim, Finding, Part, Verdict, examine
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.report.claim_tables import finding_document, measured_text


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.91, 0.99, Verdict.REPRODUCED),
        (0.89, 0.96, Verdict.UNDECIDED),
        (0.94, 1.01, Verdict.UNDECIDED),
        (0.75, 0.85, Verdict.NOT_REPRODUCED),
        (None, None, Verdict.UNDECIDED),
        (0.90, 0.90, Verdict.REPRODUCED),
        (1.1, 1.3, Verdict.NOT_REPRODUCED),
    ],
)
def test_a_part_is_judged_by_its_interval(low: float | None, high: float | None, verdict: Verdict) -> None:
    assert Part("x", 0.95, low, high, 0.9, 1.0).verdict is verdict


def test_an_open_range_has_one_border() -> None:
    assert Part("x", 1000.0, 990.0, 1010.0, 50, inf).verdict is Verdict.REPRODUCED
    assert Part("x", 40.0, 35.0, 45.0, 50, inf).verdict is Verdict.NOT_REPRODUCED


def _finding(*parts: Part) -> Finding:
    return Finding(Claim("name", "where", "statement", "tolerance", (1,), lambda _: parts), parts)


def test_one_part_that_fails_fails_the_claim_and_one_that_is_open_leaves_it_open() -> None:
    good, bad, wide = Part("g", 1.0, 0.9, 1.1, 0, 2), Part("b", 5.0, 4.9, 5.1, 0, 2), Part("w", 1.0, -2.0, 4.0, 0, 2)
    assert _finding(good, good).verdict is Verdict.REPRODUCED
    assert _finding(good, wide).verdict is Verdict.UNDECIDED
    assert _finding(good, wide, bad).verdict is Verdict.NOT_REPRODUCED


def test_a_value_without_limits_stands_beside_and_is_not_judged() -> None:
    good, beside = Part("g", 1.0, 0.9, 1.1, 0, 2), Part("not judged: b", 9.0, None, None)
    assert _finding(good, beside).verdict is Verdict.REPRODUCED
    assert [part["verdict"] for part in finding_document(_finding(good, beside))["parts"]] == ["reproduced", None]
    assert _finding(good, Part.missing("m")).verdict is Verdict.UNDECIDED
    assert _finding(beside).verdict is Verdict.UNDECIDED


def test_a_choice_is_told_whatever_the_verdict_and_a_remark_only_where_it_explains() -> None:
    claim = Claim("name", "where", "statement", "tolerance", (1,), lambda _: [], "A remark.", "A choice.")
    good, bad = (measured_text(Finding(claim, (Part("x", mean, mean - 0.1, mean + 0.1, 0, 2),))) for mean in (1.0, 5.0))
    assert "A choice." in good
    assert "A remark." not in good
    assert "A choice. A remark." in bad


def test_a_claim_without_measurements_is_left_out() -> None:
    claim = Claim("name", "where", "statement", "tolerance", (1,), lambda _: [])
    assert examine([claim], Measurements([])) == []


def test_measurements_are_found_by_labels_whatever_the_spelling_of_numbers() -> None:
    row = Measurement("sweep", {"speed": [10, 10], "fraction": 1}, "metric", 0.5, 0.4, 0.6, 3)
    other = Measurement("sweep", {"speed": [20, 20], "fraction": 1}, "metric", 0.7, 0.6, 0.8, 3)
    measured = Measurements([row, other])
    assert measured.where("sweep", "metric", {"speed": [10.0, 10.0]}) == [row]
    assert measured.where("sweep", "metric", {"fraction": 1.0}) == [row, other]
    assert measured.where("sweep", "metric", {"absent": 1}) == []
    assert measured.find("sweep", "metric", {"fraction": 1.0, "speed": [20.0, 20.0]}) == other
    assert measured.find("sweep", "other", {"fraction": 1.0, "speed": [20.0, 20.0]}) is None
