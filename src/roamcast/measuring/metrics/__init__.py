"""The metrics of a run: one table, which every command, document, axis and Spark task reads.

A metric is a name, a unit, a group, a direction, a sentence and a function of a run's facts (``metric.Metric``). To add
one, add it to the file of its group. ``evaluate`` computes all of them from a run's facts, and ``metrics_digest`` tells
whether the table has changed since.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from roamcast.core.components import PLUGIN_METRICS
from roamcast.core.errors import NameClashError, PluginError, UserError
from roamcast.measuring.measurements import Kind
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
    "DriverMetrics",
    "Metric",
    "MetricValue",
    "MetricsFunction",
    "RunMetrics",
    "RunSummary",
    "axis_label",
    "bounds_of",
    "evaluate",
    "known_metrics",
    "load_plugin_metric",
    "metric_bounds",
    "metrics_digest",
    "plugin_metrics",
    "run_metrics",
    "unit_of",
    "unusable_metrics",
]

BUILT_IN_METRICS = (*DELIVERY_METRICS, *TRAFFIC_METRICS, *NODE_LOAD_METRICS, *MATCH_METRICS)
"""The metrics that come with roamcast, in the order in which they are shown."""

MetricsFunction = Callable[[], Mapping[str, Metric]]
"""A function that returns the table. Spark's tasks call it in their workers, as they call the simulator."""


def known_metrics() -> Mapping[str, Metric]:
    """Return every metric by its name, in the order in which they are shown: those of plug-ins come last.

    A plug-in's metric that cannot be used is not there; ``unusable_metrics`` says why.
    """
    return {**{metric.name: metric for metric in BUILT_IN_METRICS}, **plugin_metrics()}


def plugin_metrics() -> dict[str, Metric]:
    """Return the metrics of all plug-ins by name, without those that cannot be used."""
    return {name: metric for name, metric in _tried_plugin_metrics() if not isinstance(metric, UserError)}


def unusable_metrics() -> list[str]:
    """Return a line for each metric of a plug-in that cannot be used."""
    return [str(error) for _, error in _tried_plugin_metrics() if isinstance(error, UserError)]


def load_plugin_metric(name: str) -> Metric:
    """Return a plug-in's metric, or say why it cannot be used."""
    if any(metric.name == name for metric in BUILT_IN_METRICS):
        raise NameClashError("metric", name, ["built in", *PLUGIN_METRICS.origins(name)])
    return cast(Metric, PLUGIN_METRICS.load(name))


def _tried_plugin_metrics() -> Iterator[tuple[str, Metric | UserError]]:
    for name in PLUGIN_METRICS.names():
        try:
            yield name, load_plugin_metric(name)
        except (PluginError, NameClashError) as error:
            yield name, error


@dataclass(frozen=True, slots=True)
class DriverMetrics:
    """The driver's table of metrics, in a form in which a worker can be told of it."""

    function: MetricsFunction
    names: tuple[str, ...]
    digest: str
    """The table's ``metrics_digest``."""

    @classmethod
    def of(cls, function: MetricsFunction) -> "DriverMetrics":
        """Describe the table that a function returns here."""
        table = function()
        return cls(function, tuple(table), metrics_digest(table.values()))

    def table(self) -> Mapping[str, Metric]:
        """Return the same table in this process, or say which metric is missing: no run is stored without it."""
        here = self.function()
        for name in self.names:
            if name not in here:
                raise UserError(f"a worker cannot use the metric '{name}': {_why_missing(name)}")
        return {name: here[name] for name in self.names}


def _why_missing(name: str) -> str:
    try:
        load_plugin_metric(name)
    except UserError as error:
        return str(error)
    return "it is not in the worker's table"


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


def bounds_of(measured: str, kind: Kind = Kind.VALUE) -> Bounds:
    """Return the possible values of what is measured under a name: of a metric, or of one at a validity (``@90``)."""
    metric = known_metrics().get(measured.partition("@")[0])
    return UNBOUNDED if metric is None else metric_bounds(metric, kind)


def metric_bounds(metric: Metric, kind: Kind) -> Bounds:
    """Return the possible values of a metric or of its ratio."""
    return metric.bounds if kind is Kind.VALUE else UNBOUNDED
