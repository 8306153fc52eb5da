"""docs/tables.md says what is in the files, and its example reads them."""

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from roamcast.campaigns.run_files import TABLE_SCHEMAS
from roamcast.cli import main
from roamcast.measuring.metrics import known_metrics
from roamcast.recordings.recording_layout import (
    COMPONENTS_SCHEMA,
    CONTACTS_SCHEMA,
    DEGREES_SCHEMA,
    MOVEMENT_SCHEMA,
    NODES_SCHEMA,
)
from roamcast.report.metrics_page import METRICS_BEGIN, METRICS_END, metrics_markdown

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
SCHEMAS = {
    "runs": TABLE_SCHEMAS["runs"],
    "metrics": TABLE_SCHEMAS["metrics"],
    "movement": MOVEMENT_SCHEMA,
    "nodes": NODES_SCHEMA,
    "contacts": CONTACTS_SCHEMA,
    "degrees": DEGREES_SCHEMA,
    "components": COMPONENTS_SCHEMA,
}
TYPES = {pa.string(): "text", pa.float64(): "float64", pa.int32(): "int32", pa.int64(): "int64", pa.bool_(): "bool"}
UNITS = {"_s": "s", "_m": "m"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_column_stands_on_the_page_with_its_type_its_unit_and_whether_it_may_be_null(name: str) -> None:
    section = PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0].split("<!-- generated")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\| (.*) \|$", section, re.MULTILINE)
    assert [(column, kind) for column, kind, *_ in rows] == [(each.name, TYPES[each.type]) for each in SCHEMAS[name]]
    for column, _, unit, meaning in rows:
        assert ("null" in meaning) == SCHEMAS[name].field(column).nullable, column
        ending = next((ending for ending in UNITS if column.endswith(ending)), None)
        assert ending is None or unit.strip() == UNITS[ending]


def test_the_metrics_on_the_page_are_those_of_the_table() -> None:
    generated = PAGE.split(METRICS_BEGIN)[1].split(METRICS_END)[0].strip()
    assert generated == metrics_markdown(), "stale: call make docs"


SCENARIO = """
name = "square"
duration_s = 12
[area]
width_m = 400
height_m = 400
[nodes]
count = 12
[mobility]
model = "random-waypoint"
speed_mps = [2, 10]
[radio]
model = "range"
range_m = 150
[workload]
model = "single-topic"
subscriber_fraction = 0.6
validity_s = 12
[protocol]
name = "frugal"
"""


def test_the_example_without_what_it_reads_ends_with_one_line(tmp_path: Path) -> None:
    example = [sys.executable, str(ROOT / "examples" / "read_tables.py")]
    ended = subprocess.run(example, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "campus/tables: no such folder; the top of this file says how to make it\n"


@pytest.mark.usefixtures("spark")
def test_the_example_reads_what_the_commands_have_made(tmp_path: Path) -> None:
    (tmp_path / "square.toml").write_text(SCENARIO)
    scenario, campaign = str(tmp_path / "square.toml"), tmp_path / "campaign"
    protocols = ["--protocols", "frugal,flooding", "--seeds", "2"]
    assert main(["compare", scenario, *protocols, "--out", str(campaign)]) == 0
    recording = ROOT / "tests" / "golden" / "sumo-grid"
    assert main(["contacts", str(recording), "--range-m", "100", "--out", str(tmp_path / "contacts")]) == 0
    metrics = pq.read_table(campaign / "tables" / "metrics")
    assert metrics.schema.remove_metadata() == TABLE_SCHEMAS["metrics"]
    assert set(metrics.column("metric").to_pylist()) == known_metrics().keys()
    assert len(metrics) == 4 * len(known_metrics())
    example = [sys.executable, str(ROOT / "examples" / "read_tables.py")]
    paths = [str(campaign), str(recording), str(tmp_path / "contacts")]
    ended = subprocess.run([*example, *paths], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert re.search(r"^ok +4$", ended.stdout, re.MULTILINE)
    assert "delivery_ratio" in ended.stdout
    assert "1,888 rows, at most" in ended.stdout
    for column in ("deviation", "from_s", "share_longer", "share_in_largest"):  # by DuckDB
        assert re.search(rf"│ +{column} +│", ended.stdout), column
