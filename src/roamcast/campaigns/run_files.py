"""The facts and metrics of runs as Arrow tables: one nested row per run at first, flat tables when a campaign ends.

The columns are read from the fact types of the simulator, so that a new fact needs no second list here.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints

import pyarrow as pa

import roamcast
from roamcast.measuring.metrics import MetricValue, RunMetrics
from roamcast.sim.facts import (
    BrokerFact,
    DeliveryFact,
    DropFact,
    Facts,
    FalsePositiveFact,
    FirstMatchFact,
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


FACTS: dict[str, Any] = {
    "publications": PublicationFact,
    "deliveries": DeliveryFact,
    "traffic": TrafficFact,
    "receptions": ReceptionFact,
    "node_facts": NodeFact,
    "drops": DropFact,
    "subscriptions": SubscriptionFact,
    "brokers": BrokerFact,
    "false_positives": FalsePositiveFact,
    "first_matches": FirstMatchFact,
}
"""The kinds of facts, by their name in ``Facts``."""
FACT_TYPES: dict[str, pa.StructType] = {name: _struct(fact) for name, fact in FACTS.items()}
"""The columns of each kind."""
METRICS = "metrics"
PLAN = "plan"
"""The table of where runs stand in sweeps; no file of a run has a part of it."""
METRIC_TYPE = pa.struct(
    [
        pa.field("metric", pa.string(), nullable=False),
        *(pa.field(name, pa.float64()) for name in MetricValue._fields[1:]),
    ]
)
_LISTS = {**FACT_TYPES, METRICS: METRIC_TYPE}
"""The kinds of facts of which a run has many."""
_OTHER_NAMES = {"node_facts": "nodes"}
"""The lists whose flat table has another name."""

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

FACTS_FILE_SCHEMA = pa.schema(
    [*RUN_FIELDS, TIMING_FIELDS[1], *(pa.field(name, pa.list_(kind)) for name, kind in FACT_TYPES.items())]
)
"""A file of a run that was made before metrics were stored with it."""
METRIC_FIELDS = (pa.field("metrics_digest", pa.string()), pa.field(METRICS, pa.list_(METRIC_TYPE)))
RUN_FILE_SCHEMA = pa.schema([*FACTS_FILE_SCHEMA, *METRIC_FIELDS])
"""One file a run: its description, all its facts, its metrics and the digest of their table, in one row."""


METRIC_TABLE_FIELDS = (RUN_FIELDS[0], *list(METRIC_TYPE)[:2])


def table_name(kind: str) -> str:
    """Return the name of the flat table with the facts of a kind."""
    return _OTHER_NAMES.get(kind, kind)


TABLE_SCHEMAS: dict[str, pa.Schema] = {
    PLAN: pa.schema(PLAN_FIELDS),
    "runs": pa.schema(RUN_FIELDS),
    "timings": pa.schema(TIMING_FIELDS),
    **{table_name(name): pa.schema([RUN_FIELDS[0], *kind]) for name, kind in _LISTS.items()},
}
"""The flat tables of a campaign, by the name of their folder."""
BY_VALIDITY = "by_validity"
BY_VALIDITY_SCHEMA = pa.schema(METRIC_TABLE_FIELDS)
"""The table of metrics at shorter validities, for campaigns that ask for them."""


def table_schema(name: str) -> pa.Schema:
    """Return the columns of a table, by the name of its folder."""
    return BY_VALIDITY_SCHEMA if name == BY_VALIDITY else TABLE_SCHEMAS[name]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended."""

    status: str
    reason: str | None = None
    cpu_s: float | None = None
    """The only thing here that differs when the same run is made twice."""
    facts: Facts | None = None
    metrics: RunMetrics | None = None
    """None where they could not be computed, or have not been yet."""


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
    return with_metrics(pa.Table.from_arrays(columns, schema=FACTS_FILE_SCHEMA), outcome.metrics)


def with_metrics(row: pa.Table, metrics: RunMetrics | None) -> pa.Table:
    """Return a run's row with these metrics instead of those that it has, if any."""
    digest, values = (None, ()) if metrics is None else metrics
    columns = [row.column(name) for name in FACTS_FILE_SCHEMA.names]
    columns += [pa.array([digest], pa.string()), _nested(values, METRIC_TYPE)]
    return pa.Table.from_arrays(columns, schema=RUN_FILE_SCHEMA)


def facts_of(row: pa.Table, names: Collection[str] = tuple(FACTS)) -> Facts:
    """Return the facts in a run's row, or some kinds of them.

    The trace digest is not there: it is stored only as a part of ``digest``.
    """
    (values,) = row.select(["nodes", "duration_s", "frames", "frame_receptions"]).to_pylist()
    kinds: dict[str, Any] = {
        name: fact_tuples(_only_chunk(row.column(name)).flatten(), fact) if name in names else ()
        for name, fact in FACTS.items()
    }
    return Facts(**values, **kinds, trace_digest=0)


def fact_tuples(structs: pa.StructArray, fact: Any) -> tuple[Any, ...]:
    """Return facts of one kind from their columns."""
    columns = [structs.field(name).to_pylist() for name in fact._fields]
    return tuple(fact(*values) for values in zip(*columns, strict=True))


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
    for name in _LISTS:
        lists = _only_chunk(joined.column(name))
        structs = lists.flatten()
        run_ids = _only_chunk(joined.column("run_id")).take(lists.value_parent_indices())
        table = table_name(name)
        tables[table] = pa.Table.from_arrays([run_ids, *structs.flatten()], schema=TABLE_SCHEMAS[table])
    return tables


def _only_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
