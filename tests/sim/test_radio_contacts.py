"""Recorded contacts as a radio: frames go during contacts and at no other time, and nobody knows a place."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_folders import write_contacts

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.cli import main
from roamcast.sim.dcf.contact_records import within_contacts
from roamcast.sim.dcf.medium import Medium
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.static import Static
from roamcast.sim.radio.contacts import RecordedContacts
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import FrameSent
from roamcast.sim.simulation import Simulation, simulate
from roamcast.sim.trajectories import Area

SCENARIO = """
duration_s = 60
settle_s = 1
[area]
width_m = 10
height_m = 10
[nodes]
count = 3
[mobility]
model = "static"
[radio]
model = "contacts"
path = "met"
begin_s = 0
[workload]
model = "script"
subscriptions = [{ node = 1, topic = "news" }, { node = 2, topic = "news" }]
publications = [{ node = 0, topic = "news", at_s = 5, validity_s = 50 }]
[protocol]
name = "frugal"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """Node 0 meets 1 from 10 to 20 s, 1 meets 2 from 30 to 40 s; 0 never meets 2."""
    write_contacts(tmp_path / "met", [(0, 1, 10.0, 20.0), (1, 2, 30.0, 40.0)], nodes=3)
    (tmp_path / "met.toml").write_text(SCENARIO)
    return tmp_path / "met.toml"


def test_an_event_is_carried_from_contact_to_contact(scenario: Path) -> None:
    frames: list[FrameSent] = []
    facts = simulate(Scenario.load(scenario).setup(), 1, watch=frames.append)
    delivered = {each.node: 6.0 + each.latency_s for each in facts.deliveries if each.counted}  # published at 6 s
    assert 10.0 < delivered[1] < 20.0
    assert 30.0 < delivered[2] < 40.0
    heard = {(frame.sender, node) for frame in frames for node in frame.receivers}
    assert heard <= {(0, 1), (1, 0), (1, 2), (2, 1)}


@pytest.mark.parametrize("begin_s", [-1, 101])
def test_a_run_that_would_begin_outside_the_recording_is_one_line(
    scenario: Path, capsys: pytest.CaptureFixture[str], begin_s: int
) -> None:
    scenario.write_text(SCENARIO.replace("begin_s = 0", f"begin_s = {begin_s}"))
    assert main(["run", str(scenario)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        f"met.toml [radio] begin_s = {begin_s}: is outside the recording, which runs from 0 s to 100 s"
    )


def test_a_run_that_would_outlast_the_recorded_contacts_is_one_line(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text(SCENARIO.replace("begin_s = 0", "begin_s = 50"))
    assert main(["run", str(scenario)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("met.toml duration_s = 60.0: the recorded contacts last 50 s, but 61 s are needed")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("nodes", "3", "must be a whole number from 0"),
        ("first_s", None, "must be a number"),
        ("last_s", True, "must be a number"),
        ("recorded_s", [5, "x"], "must be two numbers in order"),
    ],
)
def test_a_summary_of_contacts_with_wrong_values_is_one_line(
    scenario: Path, capsys: pytest.CaptureFixture[str], key: str, value: object, expected: str
) -> None:
    file = scenario.parent / "met" / "contacts.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    assert main(["run", str(scenario)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"contacts.json: {key} = " in line
    assert f"{expected}; import it again" in line


def test_a_file_of_contacts_with_other_columns_is_one_line(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = next((scenario.parent / "met").rglob("part.parquet"))
    for table in (pa.table({"a": [0]}), pa.table({name: ["x"] for name in pq.read_schema(part).names})):
        pq.write_table(table, part)
        assert main(["run", str(scenario)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "part.parquet: has other columns than a, b, start_s" in line


def test_hosts_know_neither_place_nor_speed(scenario: Path) -> None:
    host = Simulation(Scenario.load(scenario).setup(), 1)._hosts[0]
    assert host.position() is None
    assert host.speed() is None


_times = st.integers(0, 40)
_meetings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), _times, st.integers(1, 20)), max_size=25)


@settings(deadline=None)
@given(_meetings, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4)), min_size=1, max_size=30))
def test_whoever_is_in_contact_hears_a_frame_and_nobody_else(
    tmp_path_factory: pytest.TempPathFactory, meetings: list[tuple[int, int, int, int]], sendings: list[tuple[int, int]]
) -> None:
    """Senders take turns, far from the bounds of contacts; a brute force knows who hears them."""
    busy: dict[tuple[int, int], float] = {}
    contacts = []
    for one, other, start, length in sorted(meetings, key=lambda each: each[2]):
        pair = (min(one, other), max(one, other))
        if one != other and start > busy.get(pair, -1):
            contacts.append((*pair, float(start), float(start + length)))
            busy[pair] = start + length
    folder = write_contacts(tmp_path_factory.mktemp("met") / "met", contacts, nodes=5)
    radio = RecordedContacts(str(folder), begin_s=0.0)
    streams, area = RandomStreams(1), Area(10.0, 10.0)
    propagation = radio.propagation()
    medium = Medium(
        Static().trajectories(5, area, 0.0, streams), area, propagation, Dcf().timing(None), streams,
        contacts=radio.contacts(5),
    )  # fmt: skip
    for at, sender in sorted(set(sendings)):
        begin_ns = round((at + 0.1 + 0.1 * sender) * 1e9)
        assert medium.advance(begin_ns) is None
        medium.enqueue(sender, 100, 0, 0, begin_ns)
        reception = medium.advance(begin_ns + 50_000_000)
        moment = at + 0.1 + 0.1 * sender
        near = {b if a == sender else a for a, b, start, end in contacts if sender in (a, b) and start <= moment < end}
        assert (set(reception.receivers) if reception else set()) == near
        chain = within_contacts(radio.contacts(5), sender, 1, moment)
        assert chain == near | {sender}


PROTOCOL = """
from roamcast.protocols.flooding import Flooding


class Placed(Flooding):
    summary = "floods, and says that it must know where it is"
    needs_positions = True
"""


@pytest.mark.usefixtures("fresh_plugins")
def test_a_protocol_that_needs_positions_says_so_in_one_line(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = tmp_path / "placed.py"
    plugin.write_text(PROTOCOL)
    command = ["run", str(scenario), "--plugin", str(plugin), "--protocol", "placed"]
    assert main(command) == 2
    said = capsys.readouterr().err.strip()
    assert "[protocol] name: placed needs positions, but the radio contacts has none" in said
    assert "\n" not in said
    scenario.write_text(
        SCENARIO.replace('model = "contacts"\npath = "met"\nbegin_s = 0', 'model = "range"\nrange_m = 5')
    )
    assert main(command) == 0


def test_more_nodes_than_were_recorded_are_an_error(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(scenario), "--set", "nodes.count=4"]) == 2
    assert "[radio] path" in capsys.readouterr().err
