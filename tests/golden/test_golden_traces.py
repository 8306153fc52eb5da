"""The same scenario and seed give what they gave before, to the last bit."""

from pathlib import Path

import pytest

from .golden_traces import golden_files, missing, outcome, read

REMEDY = "if that is meant: .venv/bin/python -m tests.golden, and a line in the CHANGELOG"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_a_golden_scenario_gives_what_it_gave_before(path: Path) -> None:
    golden = read(path)
    assert outcome(golden, path.name) == golden["expected"], REMEDY


def test_every_protocol_has_a_golden_trace_on_every_mobility_model() -> None:
    assert [path.name for path, _ in missing()] == [], REMEDY


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_a_golden_scenario_is_not_idle(path: Path) -> None:
    expected = read(path)["expected"]
    assert expected["frame_receptions"] > 100
    assert 0 < expected["deliveries"] <= expected["interested"]
