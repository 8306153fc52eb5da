"""The facts of runs as Arrow tables: one nested row a run on its way, flat tables when a campaign ends.

The columns are read from the fact types of the simulator, so that a new fact needs no second list here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_type_hints

import pyarrow as pa

import roamcast
from roamcast.sim.facts import (
    BrokerFact,
    DeliveryFact,
    DropFact,
    Facts,
    FalsePositiveFact,
    NodeFact,
    PublicationFact,
    ReceptionFact,
    SubscriptionFact,
    TrafficFact,
)

OK = "ok"
FAILED = "failed"
"""The run raised an exception; the reason says which and where."""
CRASHED = "crashed"
"""The run ended its whole worker process, twice."""

_ARROW_TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}


def _struct(fact: type[NamedTuple]) -> pa.StructType:
    return pa.struct(
        [pa.field(name, _ARROW_TYPES[kind], nullable=False) for name, kind in get_type_hints(fact).items()]
    )


FACT_TYPES: dict[str, pa.StructType] = {
    "publications": _struct(PublicationFact),
    "deliveries": _struct(DeliveryFact),
    "traffic": _struct(TrafficFact),
    "receptions": _struct(ReceptionFact),
    "node_facts": _struct(NodeFact),
    "drops": _struct(DropFact),
    "subscriptions": _struct(SubscriptionFact),
    "brokers": _struct(BrokerFact),
    "false_positives": _struct(FalsePositiveFact),
}
"""The kinds of facts, by their name in ``Facts``, with their columns."""

RUN_FIELDS = (
    pa.field("run_id", pa.string(), nullable=False),
    pa.field("seed", pa.int64(), nullable=False),
    pa.field("version", pa.string(), nullable=False),
    pa.field("scenario_json", pa.string(), nullable=False),
    pa.field("status", pa.string(), nullable=False),
    pa.field("reason", pa.string()),
    pa.field("digest", pa.string()),
    pa.field("nodes", pa.int64()),
    pa.field("duration_s", pa.float64()),
    pa.field("frames", pa.int64()),
    pa.field("frame_receptions", pa.int64()),
)
TIMING_FIELDS = (pa.field("run_id", pa.string(), nullable=False), pa.field("cpu_s", pa.float64()))
PLAN_FIELDS = (
    pa.field("sweep", pa.string(), nullable=False),
    pa.field("point", pa.string(), nullable=False),
    pa.field("run_id", pa.string(), nullable=False),
    pa.field("seed", pa.int64(), nullable=False),
)

RUN_FILE_SCHEMA = pa.schema(
    [*RUN_FIELDS, TIMING_FIELDS[1], *(pa.field(name, pa.list_(kind)) for name, kind in FACT_TYPES.items())]
)
"""One file a run: its description and all its facts in one row."""

TABLE_SCHEMAS: dict[str, pa.Schema] = {
    "plan": pa.schema(PLAN_FIELDS),
    "runs": pa.schema(RUN_FIELDS),
    "timings": pa.schema(TIMING_FIELDS),
    **{{"node_facts": "nodes"}.get(name, name): pa.schema([RUN_FIELDS[0], *kind]) for name, kind in FACT_TYPES.items()},
}
"""The flat tables of a campaign, by the name of their folder."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended."""

    status: str
    reason: str | None = None
    cpu_s: float | None = None
    """The only thing here that differs when the same run is made twice."""
    facts: Facts | None = None


def run_row(run_id: str, seed: int, scenario_json: str, outcome: RunOutcome) -> pa.Table:
    """Return a run as the one row of its file."""
    facts = outcome.facts
    values = {
        "run_id": run_id,
        "seed": seed,
        "version": roamcast.__version__,
        "scenario_json": scenario_json,
        "status": outcome.status,
        "reason": outcome.reason,
        "digest": facts.digest() if facts else None,
        "cpu_s": outcome.cpu_s,
        **{name: getattr(facts, name, None) for name in ("nodes", "duration_s", "frames", "frame_receptions")},
    }
    columns = [pa.array([values[field.name]], field.type) for field in [*RUN_FIELDS, TIMING_FIELDS[1]]]
    columns += [_nested(getattr(facts, name, ()), kind) for name, kind in FACT_TYPES.items()]
    return pa.Table.from_arrays(columns, schema=RUN_FILE_SCHEMA)


def _nested(facts: Sequence[tuple[object, ...]], kind: pa.StructType) -> pa.ListArray:
    """Return facts as a column with one row, a list of structs, built by column and not by fact."""
    columns = list(zip(*facts, strict=True)) or [()] * kind.num_fields
    arrays = [pa.array(column, field.type) for column, field in zip(columns, kind, strict=True)]
    return pa.ListArray.from_arrays(
        pa.array([0, len(facts)], pa.int32()), pa.StructArray.from_arrays(arrays, fields=list(kind))
    )


def flat_tables(runs: Iterable[pa.Table]) -> dict[str, pa.Table]:
    """Return the rows of run files as flat tables, in the order of the files; all tables but the plan."""
    joined = pa.concat_tables(runs).combine_chunks()
    tables = {name: joined.select([field.name for field in TABLE_SCHEMAS[name]]) for name in ("runs", "timings")}
    for name in FACT_TYPES:
        lists = _only_chunk(joined.column(name))
        structs = lists.flatten()
        run_ids = _only_chunk(joined.column("run_id")).take(lists.value_parent_indices())
        table = "nodes" if name == "node_facts" else name
        tables[table] = pa.Table.from_arrays([run_ids, *structs.flatten()], schema=TABLE_SCHEMAS[table])
    return tables


def _only_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
