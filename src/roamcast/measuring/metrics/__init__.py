"""The metrics of a run: one table, which every command, document, axis and Spark task reads.

A metric is a name, a unit, a group, a direction, a sentence and a function of a run's facts (``metric.Metric``). To add
one, add it to the file of its group. ``evaluate`` computes all of them from a run's facts, and ``metrics_digest`` tells
whether the table has changed since.
"""

from collections.abc import Callable, Mapping
from typing import cast

from roamcast.core.components import PLUGIN_METRICS, plugin_metrics
from roamcast.core.errors import NameClashError
from roamcast.measuring.metrics.delivery import DELIVERY_METRICS
from roamcast.measuring.metrics.evaluation import MetricValue, RunMetrics, evaluate, metrics_digest
from roamcast.measuring.metrics.match_metrics import MATCH_METRICS
from roamcast.measuring.metrics.metric import Metric
from roamcast.measuring.metrics.node_load import NODE_LOAD_METRICS
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.measuring.metrics.traffic import TRAFFIC_METRICS
from roamcast.measuring.statistics import UNBOUNDED, Bounds
from roamcast.sim.facts import Facts

__all__ = [
    "BUILT_IN_METRICS",
    "Metric",
    "MetricValue",
    "MetricsFunction",
    "RunMetrics",
    "RunSummary",
    "axis_label",
    "bounds_of",
    "evaluate",
    "known_metrics",
    "metrics_digest",
    "run_metrics",
    "unit_of",
]

BUILT_IN_METRICS = (*DELIVERY_METRICS, *TRAFFIC_METRICS, *NODE_LOAD_METRICS, *MATCH_METRICS)
"""The metrics that come with roamcast, in the order in which they are shown."""

MetricsFunction = Callable[[], Mapping[str, Metric]]
"""A function that returns the table. Spark's tasks call it in their workers, as they call the simulator."""


def known_metrics() -> Mapping[str, Metric]:
    """Return every metric by its name, in the order in which they are shown: those of plug-ins come last."""
    built_in = {metric.name: metric for metric in BUILT_IN_METRICS}
    plugged_in = plugin_metrics()
    for name in built_in.keys() & plugged_in.keys():
        raise NameClashError("metric", name, ["built in", PLUGIN_METRICS.source(name).origin])
    return {**built_in, **{name: cast(Metric, metric) for name, metric in plugged_in.items()}}


def unit_of(measured: str) -> str:
    """Return the unit of what is measured under a name, "1" for a pure number; "" if there is no such metric."""
    metric = known_metrics().get(measured.partition("@")[0])
    return "" if metric is None else metric.unit


def run_metrics(facts: Facts) -> dict[str, float | None]:
    """Return the value of every metric of a run; None where the run has none, such as the latency of no delivery."""
    return {found.metric: found.value for found in evaluate(facts, known_metrics().values())}


def axis_label(name: str, unit: str | None = None) -> str:
    """Return what an axis, or the head of a column, calls a metric: "Delivery ratio", "Latency, mean (s)".

    ``unit`` is for an axis that shows the values in another unit than the table's, kB instead of bytes.
    """
    return known_metrics()[name].label_with(unit)


def bounds_of(measured: str) -> Bounds:
    """Return the possible values of what is measured under a name: of a metric, or of one at a validity (``@90``)."""
    metric = known_metrics().get(measured.partition("@")[0])
    return UNBOUNDED if metric is None else metric.bounds
