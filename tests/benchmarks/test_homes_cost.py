"""The cost of the broker paper's systems, here and at the reference machine's speed."""

import pytest
from benchmarks.homes import SYSTEMS, measured, show_at_reference_speed


def test_every_system_is_measured_in_both_places() -> None:
    for place, speed_mps in (("highway", 35.0), ("police", 10.0)):
        costs = [measured(place, system, speed_mps, 1.0) for system in SYSTEMS]
        assert len(costs) == 6
        assert all(took_s > 0 and frames > 100 for took_s, frames in costs)


def test_times_are_scaled_by_what_ns3_takes_on_both_machines(capsys: pytest.CaptureFixture[str]) -> None:
    show_at_reference_speed({"city": 30.0}, [8.1, 16.2])
    first, second = capsys.readouterr().out.splitlines()
    assert "1.50 times slower" in first
    assert second == "city   20.0 s of CPU"
