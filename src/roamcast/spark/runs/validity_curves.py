"""Delivery over the validity of events: what a run would have delivered had every event been valid for less time.

A campaign that asks for such curves computes them when it makes its tables (``compaction``). For other tables it is
done here: each run's publications and deliveries come together in one task, which rebuilds that much of the run's facts
and has the metrics themselves computed from them (``measuring.shorter_validity``).
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from roamcast.campaigns.run_files import FACTS, fact_tuples
from roamcast.measuring.metrics import MetricsFunction
from roamcast.measuring.shorter_validity import values_by_validity
from roamcast.sim.facts import Facts
from roamcast.spark.runs.campaign_tables import CampaignTables

SCHEMA = "run_id string, metric string, value double"
_ARROW = pa.schema([("run_id", pa.string()), ("metric", pa.string()), ("value", pa.float64())])


def delivery_by_validity(tables: CampaignTables, validities_s: Sequence[float], metrics: MetricsFunction) -> DataFrame:
    """Return ``reliability@90`` and the like of every run with publications: (run_id, metric, value).

    A validity longer than that of an event of the run cannot be known from it and is null.
    """

    def evaluated(publications: pa.Table, deliveries: pa.Table) -> pa.Table:
        facts = _facts(publications, deliveries)
        run_ids = publications.column("run_id").to_pylist()[:1]
        values = list(values_by_validity(facts, validities_s, metrics()))
        rows = [(run_id, *pair) for run_id in run_ids for pair in values]
        return pa.Table.from_pylist([dict(zip(_ARROW.names, row, strict=True)) for row in rows], _ARROW)

    publications, deliveries = tables.publications.groupBy("run_id"), tables.deliveries.groupBy("run_id")
    return publications.cogroup(deliveries).applyInArrow(evaluated, SCHEMA)


def _facts(publications: pa.Table, deliveries: pa.Table) -> Facts:
    return Facts(
        nodes=0,
        duration_s=0.0,
        publications=_tuples(publications, "publications"),
        deliveries=_tuples(deliveries, "deliveries"),
        traffic=(),
        receptions=(),
        node_facts=(),
        drops=(),
        frames=0,
        frame_receptions=0,
        trace_digest=0,
    )


def _tuples(table: pa.Table, name: str) -> tuple[Any, ...]:
    fact = FACTS[name]
    structs = table.select(list(fact._fields)).to_struct_array()
    return tuple(row for chunk in structs.chunks for row in fact_tuples(chunk, fact))
