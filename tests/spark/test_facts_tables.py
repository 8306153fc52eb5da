from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_runs import made_up_facts

import roamcast
from roamcast.campaigns.run_files import FAILED, OK, RUN_FILE_SCHEMA, TABLE_SCHEMAS, RunOutcome, flat_tables, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.sim.facts import LATER_FACTS

FACTS = made_up_facts("tables", 3)
DOCUMENT = Path(roamcast.__file__).parents[2] / "docs" / "campaigns.md"


def test_a_run_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    write_parquet(run_row("ab", 3, "{}", RunOutcome(OK, cpu_s=0.5, facts=FACTS)), tmp_path / "ab.parquet")
    read = pq.ParquetFile(tmp_path / "ab.parquet").read()
    assert read.schema.equals(RUN_FILE_SCHEMA)
    (row,) = read.to_pylist()
    assert (row["run_id"], row["seed"], row["status"], row["cpu_s"]) == ("ab", 3, OK, 0.5)
    assert row["digest"] == FACTS.digest()
    assert [tuple(each.values()) for each in row["deliveries"]] == [tuple(each) for each in FACTS.deliveries]
    assert row["node_facts"] == [each._asdict() for each in FACTS.node_facts]


def test_flat_tables_hold_every_fact_beside_its_run() -> None:
    other = made_up_facts("tables", 4)
    rows = [run_row(run_id, 0, "{}", RunOutcome(OK, facts=facts)) for run_id, facts in (("a", FACTS), ("b", other))]
    tables = flat_tables(rows)
    for name in (*("publications", "deliveries", "traffic", "receptions", "drops"), *LATER_FACTS):
        expected = [{"run_id": "a", **each._asdict()} for each in getattr(FACTS, name)]
        expected += [{"run_id": "b", **each._asdict()} for each in getattr(other, name)]
        assert tables[name].to_pylist() == expected
    assert tables["nodes"].num_rows == len(FACTS.node_facts) + len(other.node_facts)
    assert tables["runs"].column("digest").to_pylist() == [FACTS.digest(), other.digest()]


def test_a_failed_run_has_a_row_and_no_facts() -> None:
    tables = flat_tables([run_row("a", 1, "{}", RunOutcome(FAILED, "ValueError: no", 0.1))])
    assert tables["runs"].select(["status", "reason", "nodes", "digest"]).to_pylist() == [
        {"status": FAILED, "reason": "ValueError: no", "nodes": None, "digest": None}
    ]
    assert [tables[name].num_rows for name in ("publications", "nodes", "drops")] == [0, 0, 0]


def test_a_run_without_facts_of_a_kind_has_an_empty_list() -> None:
    rows = [run_row("a", 1, "{}", RunOutcome(OK, facts=replace(FACTS, deliveries=(), drops=()))) for _ in range(2)]
    tables = flat_tables(rows)
    assert tables["deliveries"].num_rows == 0
    assert tables["traffic"].num_rows == 2 * len(FACTS.traffic)


def test_only_the_timings_depend_on_the_machine() -> None:
    slow, fast = (flat_tables([run_row("a", 1, "{}", RunOutcome(OK, None, s, FACTS))]) for s in (9.0, 0.1))
    assert {name for name in slow if not slow[name].equals(fast[name])} == {"timings"}


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").mkdir()
    with pytest.raises(OSError, match=r"a\.parquet"):
        write_parquet(pa.table({"a": [1]}), tmp_path / "a.parquet")
    assert [each.name for each in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("table", TABLE_SCHEMAS)
def test_every_table_and_column_is_documented(table: str) -> None:
    section = DOCUMENT.read_text(encoding="utf-8").split(f"\n### {table}\n")[1].split("\n##")[0]
    documented = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert documented == TABLE_SCHEMAS[table].names
