"""Recorded movement: nodes are where they were recorded, come and go, and are out of the world while they are away."""

import shutil
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_folders import Row, write_movement

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import run_id
from roamcast.cli import main
from roamcast.core.errors import UserError
from roamcast.sim.mobility.trace import Trace
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import FrameSent
from roamcast.sim.simulation import simulate
from roamcast.sim.trajectories import Area, Trajectories

AREA = Area(1000.0, 1000.0)
_numbers = count()


def moved(path: Path, nodes: int, until_s: float = 100.0, **keys: object) -> Trajectories:
    """Return the trajectories of a recording."""
    return Trace(str(path), **keys).trajectories(nodes, AREA, until_s, RandomStreams(1))  # type: ignore[arg-type]


@st.composite
def _recordings(draw: st.DrawFn) -> list[list[Row]]:
    """Draw rows of some nodes, each with gaps in which it is absent."""
    nodes = []
    for node in range(draw(st.integers(1, 4))):
        times = sorted(draw(st.lists(st.integers(0, 60), min_size=1, max_size=8, unique=True)))
        places = st.tuples(st.integers(0, 1000), st.integers(0, 1000))
        drawn = [(at, draw(places), draw(st.booleans())) for at in times]
        nodes.append([(node, float(at), float(x), float(y), on and at < times[-1]) for at, (x, y), on in drawn])
    return nodes


@settings(deadline=None)
@given(_recordings(), st.integers(1, 70), st.floats(0, 1), st.floats(0, 60))
def test_a_node_is_where_it_was_recorded_and_nowhere_else(
    tmp_path_factory: pytest.TempPathFactory, nodes: list[list[Row]], window_s: int, begin: float, at_s: float
) -> None:
    """Whatever windows the recording is cut into, whenever the run begins and ends."""
    path = tmp_path_factory.mktemp(f"trace{next(_numbers)}")
    write_movement(path, [row for rows in nodes for row in rows], window_s)
    times_s = [row[1] for rows in nodes for row in rows]
    begin_s = min(max(times_s), min(times_s) + begin * (max(times_s) - min(times_s)))
    trajectories = moved(path, len(nodes), until_s=at_s, begin_s=begin_s)
    places, presence = trajectories.positions(at_s), trajectories.presence
    for node, rows in enumerate(nodes):
        now_s = begin_s + at_s
        legs = [(a, b) for a, b in pairwise(rows) if a[4] and a[1] <= now_s < b[1]]
        assert (presence is None or presence.has(node, at_s)) == bool(legs)
        if legs:
            (_, from_s, x, y, _), (_, to_s, to_x, to_y, _) = legs[0]
            done = (now_s - from_s) / (to_s - from_s)
            assert places[node] == pytest.approx([x + (to_x - x) * done, y + (to_y - y) * done], abs=1e-6)
        else:
            others = np.delete(places, node, axis=0)
            assert (np.hypot(*(others - places[node]).T) > 1e8).all()


def test_who_stays_for_good_is_there_after_the_last_row(tmp_path: Path) -> None:
    path = write_movement(tmp_path, [(0, 0.0, 1.0, 2.0, True), (0, 9.0, 5.0, 6.0, True)], are_waypoints=True)
    trajectories = moved(path, 1)
    assert trajectories.presence is None
    assert trajectories.positions(50.0).tolist() == [[5.0, 6.0]]


def test_places_are_moved_by_the_offset_and_must_lie_in_the_area(tmp_path: Path) -> None:
    path = write_movement(tmp_path, [(0, 0.0, -10.0, 2.0, True), (0, 9.0, 5.0, 6.0, True)], are_waypoints=True)
    assert moved(path, 1, offset_m=(10.0, 0.0)).positions(9.0).tolist() == [[15.0, 6.0]]
    with pytest.raises(UserError, match=r"extends from \(-10, 2\) to \(5, 6\), outside the area of 1000 x 1000 m"):
        moved(path, 1)


def test_windows_may_begin_before_the_first_row_that_was_kept(tmp_path: Path) -> None:
    """An import leaves out broken rows, and the earliest of all may have been one."""
    rows = [
        (node, float(at_s), 10.0 * at_s, 0.0, at_s < 9) for node in (0, 1) for at_s in range(10 * node, 10 + 10 * node)
    ]
    rows = [(node, at_s, x_m, y_m, at_s not in (9.0, 19.0)) for node, at_s, x_m, y_m, _ in rows]
    write_movement(tmp_path, rows, window_s=4.0, early_s=9.0)
    assert not (tmp_path / "movement" / "window=00000").exists()
    walks = moved(tmp_path, 2, until_s=15.0, begin_s=0.0)
    assert walks.positions(15.0)[1] == pytest.approx([150.0, 0.0])


def test_a_summary_that_lacks_something_is_one_line(tmp_path: Path) -> None:
    write_movement(tmp_path, [(0, 0.0, 0.0, 0.0, True), (0, 5.0, 10.0, 0.0, False)])
    (tmp_path / "movement.json").write_text('{"layout": 1}')
    with pytest.raises(UserError, match=r"movement\.json: has no nodes; import it again"):
        Trace(path=str(tmp_path))


def test_more_nodes_than_were_recorded_are_an_error(tmp_path: Path) -> None:
    path = write_movement(tmp_path, [(0, 0.0, 1.0, 2.0, False)])
    with pytest.raises(UserError, match=r"has 1 nodes, fewer than \[nodes\] count = 2"):
        moved(path, 2)


def scenario_text(path: str) -> str:
    """Return a scenario of three nodes that stand 50 m apart, of whom the last is there from 20 to 40 s only."""
    return f"""
duration_s = 60
settle_s = 1
[area]
width_m = 1000
height_m = 1000
[nodes]
count = 3
[mobility]
model = "trace"
path = "{path}"
[radio]
model = "range"
range_m = 60
[workload]
model = "script"
subscriptions = [{{ node = 1, topic = "news" }}, {{ node = 2, topic = "news" }}]
publications = [
    {{ node = 0, topic = "news", at_s = 5, validity_s = 10 }},
    {{ node = 0, topic = "news", at_s = 25, validity_s = 10 }},
    {{ node = 2, topic = "news", at_s = 50, validity_s = 10 }},
]
[protocol]
name = "flooding"
"""


def three_nodes(root: Path) -> Path:
    """Write the recording of that scenario."""
    stands = [(0, 0.0), (0, 70.0), (1, 0.0), (1, 70.0), (2, 20.0), (2, 40.0)]
    # Far from the corner that the medium's cells take absent nodes for: who appears must be found where it is.
    rows = [(node, at_s, 850.0 + 50.0 * node, 900.0, at_s in (0.0, 20.0)) for node, at_s in stands]
    return write_movement(root, rows)


@pytest.mark.parametrize("begin_s", [-5, 70.5])
def test_a_run_that_would_begin_outside_the_recording_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], begin_s: float
) -> None:
    three_nodes(tmp_path / "recording")
    text = scenario_text("recording").replace('model = "trace"', f'model = "trace"\nbegin_s = {begin_s}')
    (tmp_path / "three.toml").write_text(text)
    assert main(["run", str(tmp_path / "three.toml")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        f"three.toml [mobility] begin_s = {begin_s}: is outside the recording, which runs from 0 s to 70 s"
    )


def test_who_stays_for_good_can_be_looked_at_after_the_last_row_but_not_before_the_first(tmp_path: Path) -> None:
    path = write_movement(tmp_path, [(0, 5.0, 1.0, 2.0, True), (0, 9.0, 5.0, 6.0, True)], are_waypoints=True)
    assert moved(path, 1, begin_s=20.0).positions(0.0).tolist() == [[5.0, 6.0]]
    with pytest.raises(ValueError, match="begin_s: is outside the recording, which runs from 5 s on"):
        moved(path, 1, begin_s=4.0)


def test_times_since_1970_are_shown_whole(tmp_path: Path) -> None:
    path = write_movement(tmp_path, [(0, 1777636800.5, 1.0, 2.0, True), (0, 1777636810.0, 5.0, 6.0, False)])
    with pytest.raises(ValueError, match=r"which runs from 1777636800\.5 s to 1777636810 s"):
        moved(path, 1, begin_s=0.0)


def test_an_absent_node_neither_hears_nor_sends_nor_publishes_nor_counts_as_interested(tmp_path: Path) -> None:
    three_nodes(tmp_path / "recording")
    (tmp_path / "three.toml").write_text(scenario_text("recording"))
    frames: list[FrameSent] = []
    facts = simulate(Scenario.load(tmp_path / "three.toml").setup(), 1, watch=frames.append)
    assert [each.interested for each in facts.publications] == [1, 2]
    assert {(each.event, each.node) for each in facts.deliveries if each.counted} == {(0, 1), (1, 1), (1, 2)}
    assert frames
    for frame in frames:
        there = 19.0 <= frame.ended_at_s < 39.0  # the measurement begins at 1 s
        assert there or (2 not in frame.receivers and frame.sender != 2)
    assert ("publisher-absent", 1) in {(drop.reason, drop.times) for drop in facts.drops}


def test_a_path_is_taken_from_the_scenarios_folder_and_the_content_decides_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_nodes(tmp_path / "recording")
    (tmp_path / "three.toml").write_text(scenario_text("recording"))
    monkeypatch.chdir(Path(__file__).parent)
    before = Scenario.load(tmp_path / "three.toml")
    write_movement_again(tmp_path / "recording")
    after = Scenario.load(tmp_path / "three.toml")
    assert before.value("mobility.path") == after.value("mobility.path") == str(tmp_path / "recording")
    assert run_id(before.canonical_json(), 1) != run_id(after.canonical_json(), 1)
    with pytest.raises(UserError, match=r"digest = .*is not the current one of"):
        Scenario.from_json(before.canonical_json())


def write_movement_again(root: Path) -> None:
    """Move the last node by a metre."""
    shutil.rmtree(root / "movement")
    rows = [
        (0, 0.0, 0.0, 0.0, True),
        (0, 70.0, 0.0, 0.0, False),
        (1, 0.0, 50.0, 0.0, True),
        (1, 70.0, 50.0, 0.0, False),
    ]
    write_movement(root, [*rows, (2, 20.0, 101.0, 0.0, True), (2, 40.0, 101.0, 0.0, False)])


def test_a_run_that_outlasts_the_recording_is_an_error_before_it_starts(tmp_path: Path) -> None:
    three_nodes(tmp_path / "recording")
    (tmp_path / "three.toml").write_text(scenario_text("recording").replace("duration_s = 60", "duration_s = 80"))
    with pytest.raises(UserError, match=r"duration_s = 80.*: the recorded movement lasts 70 s, but 81 s are needed"):
        Scenario.load(tmp_path / "three.toml")


def test_a_folder_without_movement_is_an_error_that_names_the_file_and_the_key(tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(scenario_text("nothing"))
    with pytest.raises(
        UserError, match=r"three.toml \[mobility\] path = .*is not a folder of movement .*movement import"
    ):
        Scenario.load(tmp_path / "three.toml")
