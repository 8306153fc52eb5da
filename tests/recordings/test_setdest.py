"""ns-2's scripts: nodes are where ns-2 would have them, and the oracle is read."""

from pathlib import Path

import numpy as np
import pytest
from oracle_script import UNREACHABLE, hops_between, make_script

from roamcast.recordings.formats import find_source
from roamcast.recordings.row_tables import Report
from roamcast.recordings.setdest import read_hops

NS2_SCRIPT = Path(__file__).parent / "data" / "ns2-setdest.tcl"
"""Of 12 nodes for 120 s, as the ``setdest`` that comes with ns-2.35 has written it."""


def points(path: Path) -> dict[str, list[tuple[float, float, float]]]:
    """Return the points that each node passes."""
    source, report = find_source(path, "setdest"), Report()
    found: dict[str, list[tuple[float, float, float]]] = {}
    for table in source.read(source.pieces[0], report):
        for row in table.to_pylist():
            found.setdefault(row["name"], []).append((row["time_s"], row["x"], row["y"]))
    assert report.broken == 0
    return found


def test_a_node_that_is_sent_elsewhere_on_its_way_turns_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "turn.tcl"
    path.write_text(
        '$node_(0) set X_ 0\n$node_(0) set Y_ 0\n$ns_ at 10.0 "$node_(0) setdest 100.0 0.0 10.0"\n'
        '$ns_ at 15.0 "$node_(0) setdest 50.0 100.0 5.0"\n$ns_ at 20.0 "$node_(0) setdest 50.0 100.0 0.0"\n'
        '$ns_ at 30.0 "$node_(0) setdest 50.0 25.0 1.0"\n'
    )
    expected = [(0, 0, 0), (10, 0, 0), (15, 50, 0), (20, 50, 25), (30, 50, 25)]
    assert points(path) == {"0": [pytest.approx(each) for each in expected]}


def test_the_oracle_is_read_with_its_times(tmp_path: Path) -> None:
    path = tmp_path / "god.tcl"
    path.write_text(
        '$ns_ at 3.5 "$god_ set-dist 0 2 2"\n$god_ set-dist 0 1 1\n# $god_ set-dist 9 9 9\n'
        f'$ns_ at 1.5 "$god_ set-dist 0 2 {UNREACHABLE}"\n'
    )
    assert read_hops(str(path)) == [(0.0, 0, 1, 1), (1.5, 0, 2, None), (3.5, 0, 2, 2)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hop_counts_at_250_m_equal_the_oracle_between_all_of_its_changes(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "oracle.tcl"
    path.write_text(make_script(seed=seed))
    check_hops(path)


def test_hop_counts_equal_those_of_ns_2s_own_generator() -> None:
    check_hops(NS2_SCRIPT)


def check_hops(path: Path) -> None:
    """Compare hop counts by the places that were read with a script's own, which hold between its changes."""
    walks = points(path)
    oracle = read_hops(str(path))
    changes = sorted({time_s for time_s, *_ in oracle})
    assert len(changes) > 30
    said: dict[tuple[int, int], int | None] = {}
    for start, end in zip(changes, [*changes[1:], 120.0], strict=True):
        said.update({(one, other): hops for time_s, one, other, hops in oracle if time_s == start})
        middle_s = (start + end) / 2
        places = [_place(walks[str(node)], middle_s) for node in range(len(walks))]
        near = [
            [b for b in range(len(places)) if b != a and _apart(places[a], places[b]) <= 250.0]
            for a in range(len(places))
        ]
        ours = {pair: None if hops == UNREACHABLE else hops for pair, hops in hops_between(near).items()}
        assert ours == said


def _place(walk: list[tuple[float, float, float]], at_s: float) -> tuple[float, float]:
    time_s, x_m, y_m = zip(*walk, strict=True)
    return float(np.interp(at_s, time_s, x_m)), float(np.interp(at_s, time_s, y_m))


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def test_a_place_beyond_the_earth_is_a_broken_line_and_the_walk_goes_on(tmp_path: Path) -> None:
    path, report = tmp_path / "far.tcl", Report()
    path.write_text('$node_(0) set X_ 1e300\n$node_(0) set Y_ 2\n$ns_ at 0.0 "$node_(0) setdest 1 2 0.5"\n')
    source = find_source(path)
    (table,) = source.read(source.pieces[0], report)
    assert table.column("time_s").to_pylist() == [0.0, 2.0]
    assert [(each.line, each.reason) for each in report.examples] == [
        (1, "the position 1e+300 must be at most 1e+08 m")
    ]
