"""The same scenario and seed give what they gave before, to the last bit."""

from pathlib import Path

import pytest

from .golden_traces import golden_files, missing, outcome, read

REMEDY = "if that is meant: .venv/bin/python -m tests.golden, and a line in the CHANGELOG"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_a_golden_scenario_gives_what_it_gave_before(path: Path) -> None:
    golden = read(path)
    assert outcome(golden, path.name) == golden["expected"], REMEDY
    assert golden["expected"]["frame_receptions"] > 100, "an idle network shows nothing"
    assert 0 < golden["expected"]["deliveries"] <= golden["expected"]["interested"], "nothing delivered shows nothing"


def test_every_protocol_has_a_golden_trace_on_every_mobility_model() -> None:
    assert [path.name for path, _ in missing()] == [], REMEDY
