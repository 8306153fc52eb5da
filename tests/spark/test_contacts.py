"""Contacts out of movement and out of files: exact at the recording's resolution, compared with brute force."""

import json
import random
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from benchmarks.contacts import merged, sql_stretches
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from small_frames import small_frame

from roamcast.cli import main
from roamcast.recordings.recording_layout import COMPONENTS_SCHEMA, CONTACTS_SCHEMA, DEGREES_SCHEMA, Imported
from roamcast.recordings.setdest import read_hops
from roamcast.spark.contacts import contact_tasks
from roamcast.spark.contacts.contact_search import contacts_of_movement
from roamcast.spark.contacts.contact_statistics import tail, to_milliseconds
from roamcast.spark.contacts.contact_tasks import PositionSearch, Ticks
from roamcast.spark.contacts.links import links, network_of
from roamcast.spark.contacts.stretches import nodes_of
from roamcast.spark.mapped_files import map_arrays
from roamcast.spark.movement import movement_import
from roamcast.spark.movement.movement_import import ImportOptions, import_movement

MASTER = "local[2]"
SCRIPT = Path(__file__).parents[1] / "recordings" / "data" / "ns2-setdest.tcl"
_places = st.lists(st.tuples(st.integers(0, 300), st.integers(-200, 100)), min_size=1, max_size=40)


@settings(deadline=None)
@given(_places, st.floats(0.5, 400))
def test_the_grid_finds_every_pair_in_range_once(places: list[tuple[int, int]], range_m: float) -> None:
    x_m, y_m = (np.array(column, dtype=float) for column in zip(*places, strict=True))
    one, other = links(x_m, y_m, range_m)
    found = list(zip(one.tolist(), other.tolist(), strict=True))
    count = len(places)
    assert sorted(found) == [
        (a, b)
        for a in range(count)
        for b in range(a + 1, count)
        if (x_m[a] - x_m[b]) ** 2 + (y_m[a] - y_m[b]) ** 2 <= range_m * range_m
    ]


@settings(deadline=None)
@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20))
def test_components_are_those_of_a_search(count: int, drawn: list[tuple[int, int]]) -> None:
    pairs = [(a, b) for a, b in drawn if a != b and max(a, b) < count]
    one, other = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    left, sizes = set(range(count)), []
    while left:
        group, queue = set[int](), [left.pop()]
        while queue:
            here = queue.pop()
            group.add(here)
            queue += [b if a == here else a for a, b in pairs if here in (a, b) and not {a, b} <= group]
        left -= group
        sizes.append(len(group))
    degrees, network = np.zeros(count, np.int64), np.zeros(4, np.int64)
    network_of(count, one, other, degrees, network)
    ends = [node for pair in pairs for node in pair]
    assert degrees.tolist() == [ends.count(node) for node in range(count)]
    assert network.tolist() == [len(pairs), len(sizes), max(sizes), degrees.tolist().count(0)]


def test_a_tail_says_which_share_is_longer() -> None:
    found = tail([1.0, 2.0, 5.0], [3, 1, 1])
    assert found.shares == pytest.approx((0.4, 0.2, 0.0))
    assert (found.count, found.mean, found.median) == (5, 2.0, 1.0)
    assert tail([1.0, 2.0, 5.0], [1, 1, 2]).median == 3.5  # of an even number it is between the middle two
    assert tail([1.0, 2.0], [3, 1]).median == 1.0


@given(st.floats(0, 1e6) | st.integers(0, 10**6).map(lambda tenths: tenths / 10_000))
def test_times_are_rounded_to_milliseconds_as_on_paper(value_s: float) -> None:
    expected = Decimal(repr(value_s)).quantize(Decimal("0.001"), ROUND_HALF_UP)
    assert to_milliseconds(np.array([value_s])).tolist() == [float(expected)]


def walks(seed: int, nodes: int, steps: int, with_gaps: bool = True) -> dict[int, dict[int, tuple[float, float]]]:
    """Return where nodes are at each tick: they walk at random, come late, go early and are sometimes away."""
    draw = random.Random(seed)
    found: dict[int, dict[int, tuple[float, float]]] = {}
    for node in range(nodes):
        x, y = draw.uniform(0, 200), draw.uniform(0, 200)
        first, last = draw.randrange(steps // 3) if node else 0, steps - 1 - draw.randrange(steps // 3)
        gap = range(first + 5, first + 5 + (draw.choice([0, 8]) if with_gaps else 0))
        found[node] = {}
        for tick in range(first, last + 1):
            x, y = x + draw.uniform(-10, 10), y + draw.uniform(-10, 10)
            if tick not in gap:
                found[node][tick] = (round(x, 2), round(y, 2))
    return found


def brute_force(places: dict[int, dict[int, tuple[float, float]]], range_m: float, steps: int) -> set[tuple[int, ...]]:
    """Return (a, b, first tick, last tick) of every contact."""
    found = set[tuple[int, ...]]()
    for a in places:
        for b in range(a + 1, len(places)):
            since = None
            for tick in range(steps + 1):
                met = tick in places[a] and tick in places[b] and (
                    (places[a][tick][0] - places[b][tick][0]) ** 2 + (places[a][tick][1] - places[b][tick][1]) ** 2
                    <= range_m * range_m
                )  # fmt: skip
                if met and since is None:
                    since = tick
                elif not met and since is not None:
                    found.add((a, b, since, tick - 1))
                    since = None
    return found


def imported_walks(tmp_path: Path, places: dict[int, dict[int, tuple[float, float]]], step_s: float) -> Imported:
    """Import walks, one row a tick."""
    rows = sorted((tick, node, *place) for node, each in places.items() for tick, place in each.items())
    text = "time,node,x,y\n" + "".join(f"{100 + tick * step_s:.3f},{node},{x},{y}\n" for tick, node, x, y in rows)
    (tmp_path / "walks.csv").write_text(text)
    return import_movement([tmp_path / "walks.csv"], tmp_path / "movement", MASTER, ImportOptions())


def table(folder: Path, name: str) -> list[dict[str, float]]:
    """Return the rows of a table."""
    files = sorted((folder / name).rglob("*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("seed", "with_gaps"), [(1, True), (2, False)])
def test_contacts_equal_a_brute_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, with_gaps: bool
) -> None:
    """With gaps the rows go by way of SQL, without they are read as they stand; windows cut contacts in either case."""
    monkeypatch.setattr(movement_import, "ROWS_PER_WINDOW", 250)
    monkeypatch.setattr("roamcast.spark.contacts.contact_search.ROWS_PER_WINDOW", 250)
    places = walks(seed, nodes=12, steps=50, with_gaps=with_gaps)
    movement = imported_walks(tmp_path, places, step_s=0.5)
    # Nodes are numbered by appearance, so that walks need not have the numbers they were drawn with.
    names = [int(row["name"]) for row in pq.read_table(movement.nodes_file).to_pylist()]
    places = {number: places[name] for number, name in enumerate(names)}
    found = contacts_of_movement(movement.root, tmp_path / "contacts", MASTER, range_m=60.0)
    rows = table(found.root, "contacts")
    ticks = {
        (row["a"], row["b"], round((row["start_s"] - 100) * 2), round((row["end_s"] - 100) * 2) - 1) for row in rows
    }
    expected = brute_force(places, 60.0, 50)
    assert len(expected) > 20
    assert ticks == expected
    assert len(rows) == len(expected)
    check_network(found, places)
    check_inter_contacts(rows)


def check_network(found: Imported, places: dict[int, dict[int, tuple[float, float]]]) -> None:
    """Compare degrees and components with a count."""
    rows = table(found.root, "degrees")
    degrees = {(round((row["time_s"] - 100) * 2), int(row["node"])): int(row["degree"]) for row in rows}
    assert degrees.keys() == {(tick, node) for node, each in places.items() for tick in each}
    for (tick, node), degree in degrees.items():
        x, y = places[node][tick]
        near = [
            other
            for other, each in places.items()
            if other != node and tick in each and (each[tick][0] - x) ** 2 + (each[tick][1] - y) ** 2 <= 3600
        ]
        assert degree == len(near)
    for row in table(found.root, "components"):
        there = [degree for (tick, _), degree in degrees.items() if tick == round((row["time_s"] - 100) * 2)]
        assert (row["nodes"], row["isolated"]) == (len(there), there.count(0))
        assert 2 * row["links"] == sum(there)
        assert row["isolated"] <= row["components"] <= row["nodes"]
        assert row["largest"] <= row["nodes"] - row["components"] + 1


def check_inter_contacts(rows: Sequence[dict[str, float]]) -> None:
    """Compare the times between contacts of a pair with a count."""
    for row in rows:
        ended = [each["end_s"] for each in rows if (each["a"], each["b"]) == (row["a"], row["b"])]
        before = [end_s for end_s in ended if end_s <= row["start_s"]]
        assert row["inter_contact_s"] == (row["start_s"] - max(before) if before else None)
        assert row["duration_s"] == row["end_s"] - row["start_s"]


def test_a_join_in_sql_finds_the_same_stretches(spark: SparkSession) -> None:
    places = walks(3, nodes=10, steps=30)
    rows = [(tick, node, *at) for node, each in places.items() for tick, at in each.items()]
    frame = small_frame(spark, rows, "tick long, node int, x_m double, y_m double")
    found = {tuple(row) for row in merged(sql_stretches(frame, 60.0)).collect()}
    assert found == brute_force(places, 60.0, 30)


def hops_from(source: int, near: list[list[int]]) -> dict[int, int]:
    """Return how many hops away each node is that can be reached."""
    away, edge = {source: 0}, [source]
    while edge:
        found = {node: away[here] + 1 for here in edge for node in near[here] if node not in away}
        away |= found
        edge = list(found)
    return away


@pytest.mark.usefixtures("spark")
def test_hop_counts_of_an_imported_script_equal_its_oracle_at_every_second(tmp_path: Path) -> None:
    """The script, movement and hop counts, is what ns-2's own generator has written."""
    movement = import_movement([SCRIPT], tmp_path / "movement", MASTER, ImportOptions())
    found = contacts_of_movement(movement.root, tmp_path / "contacts", MASTER, range_m=250.0)
    contacts, oracle = table(found.root, "contacts"), read_hops(str(SCRIPT))
    changed = 0
    for second in range(120):
        assert all(abs(time_s - second) > 1e-6 for time_s, *_ in oracle if time_s > 0)
        near: list[list[int]] = [[] for _ in range(12)]
        for row in contacts:
            if row["start_s"] <= second < row["end_s"]:
                near[int(row["a"])].append(int(row["b"]))
                near[int(row["b"])].append(int(row["a"]))
        ours = {(one, other): hops_from(one, near).get(other) for one in range(12) for other in range(one + 1, 12)}
        said = {(one, other): hops for time_s, one, other, hops in oracle if time_s <= second}
        assert ours == said
        changed += any(second - 1 < time_s <= second for time_s, *_ in oracle)
    assert changed > 30


RUN = """
duration_s = 38
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
[workload]
model = "script"
subscriptions = [{ node = 0, topic = "news" }, { node = 2, topic = "news" }]
publications = [{ node = 1, topic = "news", at_s = 1, validity_s = 36 }]
[protocol]
name = "frugal"
"""


@pytest.mark.usefixtures("spark")
def test_files_of_contacts_become_the_same_tables_with_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.txt").write_text(
        "0 CONN b a up\n12 CONN a b down\n20 CONN a c up\n30 CONN a b up\n40 CONN a c down\n"
    )
    out = tmp_path / "met"
    assert main(["contacts", str(tmp_path / "one.txt"), "--out", str(out), "--step-s", "5", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["contacts"], summary["nodes"], summary["range_m"]) == (3, 3, None)
    assert summary["inter_contact_s"] == {"count": 1, "mean": 18.0, "median": 18.0}
    rows = [(row["a"], row["b"], row["start_s"], row["end_s"]) for row in table(out, "contacts")]
    assert rows == [(0, 1, 0.0, 12.0), (0, 2, 20.0, 40.0), (0, 1, 30.0, 40.0)]
    network = {row["time_s"]: (row["links"], row["components"]) for row in table(out, "components")}
    assert network == {0: (1, 2), 5: (1, 2), 10: (1, 2), 20: (1, 2), 25: (1, 2), 30: (2, 1), 35: (2, 1)}
    for name, schema in (("contacts", CONTACTS_SCHEMA), ("degrees", DEGREES_SCHEMA), ("components", COMPONENTS_SCHEMA)):
        assert pq.read_schema(next((out / name).rglob("*.parquet"))).remove_metadata() == schema
    (tmp_path / "met.toml").write_text(RUN)
    assert main(["run", str(tmp_path / "met.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["delivery_ratio"] == 1.0
    assert {file.name for file in (out / "figures").iterdir()} == {
        f"{name}.{ending}" for name in ("contact-times", "network-over-time") for ending in ("png", "svg")
    }


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: whoever looks at pictures does not use this."""
    monkeypatch.setattr("roamcast.cli.contacts.draw", lambda figure, folder: [folder / figure.name] * 2)


@pytest.mark.usefixtures("spark", "no_pictures")
def test_contacts_without_a_length_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "haggle.dat").write_text("1 2 100 100\n2 3 100 140\n1 2 150 150\n1 3 160 190\n")
    assert main(["contacts", str(tmp_path / "haggle.dat"), "--out", str(tmp_path / "met")]) == 0
    assert "2 contacts that begin and end at the same time were skipped" in capsys.readouterr().out
    summary = json.loads((tmp_path / "met" / "contacts.json").read_text())
    assert (summary["contacts"], summary["momentary"], summary["broken"]) == (2, 2, 0)
    assert summary["recorded_s"] == [100.0, 190.0]
    (tmp_path / "haggle.dat").write_text("1 2 100 100\n1 2 150 150\n")
    assert main(["contacts", str(tmp_path / "haggle.dat"), "--out", str(tmp_path / "none")]) == 2
    assert "has no contacts of any length; 2 begin and end at the same time" in capsys.readouterr().err


@pytest.mark.usefixtures("spark")
def test_a_recording_in_which_nobody_meets_has_empty_contacts(tmp_path: Path) -> None:
    (tmp_path / "far.csv").write_text("time,node,x,y\n0,a,0,0\n0,b,900,0\n1,a,0,0\n1,b,900,0\n")
    import_movement([tmp_path / "far.csv"], tmp_path / "far", MASTER, ImportOptions())
    assert main(["contacts", str(tmp_path / "far"), "--range-m", "10", "--out", str(tmp_path / "met")]) == 0
    assert table(tmp_path / "met", "contacts") == []
    assert json.loads((tmp_path / "met" / "contacts.json").read_text())["recorded_s"] == [0.0, 2.0]
    assert [row["components"] for row in table(tmp_path / "met", "components")] == [2, 2]


@pytest.mark.usefixtures("spark", "no_pictures")
def test_rows_off_the_commonest_step_are_looked_at_or_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two meet at 2.5 s alone."""
    rows = "".join(f"{at},a,0,0\n{at},b,{0 if at == 2.5 else 1000},0\n" for at in (0, 1, 2, 2.5, 3, 4, 5))
    (tmp_path / "uneven.csv").write_text("time,node,x,y\n" + rows)
    import_movement([tmp_path / "uneven.csv"], tmp_path / "[2026] city?", MASTER, ImportOptions())
    search = ["contacts", str(tmp_path / "[2026] city?"), "--range-m", "10", "--out", str(tmp_path / "met*")]
    assert main(search) == 0
    assert "between two looks" not in capsys.readouterr().out
    assert [(row["start_s"], row["end_s"]) for row in table(tmp_path / "met*", "contacts")] == [(2.5, 3.0)]
    assert main([*search, "--step-s", "1"]) == 0
    assert "2 rows lie between two steps; a smaller --step-s looks more often" in capsys.readouterr().out
    assert json.loads((tmp_path / "met*" / "contacts.json").read_text())["rows_between_looks"] == 2
    assert table(tmp_path / "met*", "contacts") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["FILE", "--step-s", "0.0005", "--out", "o"], "must be a number of seconds from 0.001"),
        (["nowhere", "--out", "o"], "nowhere: no such file or folder"),
        (["FOLDER", "--out", "o"], "--range-m: missing"),
        (["FOLDER", "--range-m", "-5", "--out", "o"], "must be a number of metres from 0.1"),
        (["FOLDER", "--range-m", "50", "--out", "o"], "is not a folder of movement"),
        (["FILE", "--range-m", "50", "--out", "o"], "--range-m: is for movement"),
        (["FILE", "--format", "xml", "--out", "o"], "must be one of the-one-contacts, haggle, sociopatterns"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (tmp_path / "file").write_text("1 2 3\n")
    given = [each.replace("FOLDER", str(tmp_path)).replace("FILE", str(tmp_path / "file")) for each in arguments]
    assert main(["contacts", *given]) == 2
    assert said in capsys.readouterr().err


def test_what_a_task_holds_is_bounded_and_what_it_writes_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Node 1 is always next to node 0, and at every other tick next to node 2 or to node 3."""
    found = {}
    tick, node = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    x_m = np.where(node < 2, node, np.where(node == 2 + tick % 2, 2, 100 * node)).astype(float)
    for limit in (7, 10**6):
        monkeypatch.setattr(contact_tasks, "PAIRS_MAX", limit)
        folder = tmp_path / str(limit)
        for name in ("degrees", "components", "staging/stretches"):
            (folder / name).mkdir(parents=True)
        search = PositionSearch(folder, 0, Ticks(0.0, 1.0), 1.0)
        search.add(tick, node, x_m, np.zeros(80))
        files = search.close()
        found[limit] = [table(folder, "degrees"), table(folder, "components")]
        assert (len(list((folder / "degrees").iterdir())) > 5) == (limit == 7)
        assert (len(files) > 5) == (limit == 7)
        met = set[tuple[int, ...]]()
        for file in files:
            rows = map_arrays(folder / "staging" / "stretches" / file.name)
            one, other = nodes_of(rows["pair"])
            for a, b, start, end in zip(one, other, rows["start"], rows["end"], strict=True):
                met |= {(a, b, at) for at in range(int(start), int(end))}
        assert met == {(0, 1, at) for at in range(20)} | {(1, 2 + at % 2, at) for at in range(20)}
    assert found[7] == found[10**6]
    assert [row["degree"] for row in found[7][0][:8]] == [1, 2, 1, 0, 1, 2, 0, 1]
    assert found[7][1][1] == {"time_s": 1.0, "nodes": 4, "links": 2, "components": 2, "largest": 3, "isolated": 1}
