"""From a run's facts to the values of a table of metrics, and the fingerprint of such a table."""

import traceback
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from roamcast.core.components import PLUGIN_METRICS, Source
from roamcast.core.content_digest import content_digest
from roamcast.core.errors import UserError
from roamcast.core.plugin_packages import package_digest
from roamcast.core.plugins import PackagedComponent, PluginFile
from roamcast.measuring.metrics.function_text import function_text
from roamcast.measuring.metrics.metric import Metric, quotient
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.sim.facts import Facts


class MetricValue(NamedTuple):
    """The value of one metric in one run."""

    metric: str
    value: float | None
    """None where the run has none."""
    amount: float | None = None
    """The numerator of a pooled metric."""
    base: float | None = None
    """Its denominator."""


class RunMetrics(NamedTuple):
    """The metrics of a run and the table that they were computed by."""

    digest: str
    """The ``metrics_digest`` of that table."""
    values: tuple[MetricValue, ...]


def evaluate(facts: Facts, metrics: Iterable[Metric]) -> tuple[MetricValue, ...]:
    """Return the values of metrics in a run. A value that is not a finite number is none."""
    summary = RunSummary.of(facts)
    return tuple(_evaluated(metric, summary) for metric in metrics)


def _evaluated(metric: Metric, facts: RunSummary) -> MetricValue:
    try:
        amounts = metric.amounts(facts)
        value = metric.value(facts) if amounts is None else quotient(*amounts)
    except Exception as error:  # whatever the function of a plug-in does wrong
        frame = traceback.extract_tb(error.__traceback__)[-1]
        location = f"{Path(frame.filename).name}:{frame.lineno}"
        raise UserError(f"metric {metric.name}: {type(error).__name__}: {error} ({location})") from error
    return MetricValue(metric.name, value if value is not None and isfinite(value) else None, *(amounts or ()))


def metrics_digest(metrics: Iterable[Metric]) -> str:
    """Return the fingerprint of a table: the names of its metrics and the code that computes them.

    That code is this package, for a plug-in's metric all files of the plug-in, and the module of each function from
    elsewhere. A table with another fingerprint may give other values, so what was stored by it is computed again.
    """
    return content_digest([("package", _package_digest().encode()), *_functions(metrics)])


def _functions(metrics: Iterable[Metric]) -> Iterator[tuple[str, bytes]]:
    for metric in metrics:
        plugin = _plugin_of(metric)
        if isinstance(plugin, PackagedComponent):
            yield metric.name, package_digest(plugin).encode()
        elif isinstance(plugin, PluginFile):
            yield metric.name, plugin.source
        file = plugin.module().__name__ if isinstance(plugin, PluginFile) else None
        for function in (metric.function, metric.numerator, metric.denominator):
            if function is not None:
                module = getattr(function, "__module__", None) or type(function).__module__
                name = getattr(function, "__qualname__", type(function).__qualname__)
                line = getattr(getattr(function, "__code__", None), "co_firstlineno", 0)
                is_ours = module.startswith(__package__)
                text = "" if module == file else module if is_ours else function_text(function)
                yield f"{metric.name} {name}:{line}", text.encode("utf-8", "surrogatepass")


def _plugin_of(metric: Metric) -> Source | None:
    """Return the plug-in that a metric comes from; None: it is of this package, or was made by hand."""
    if metric.name not in PLUGIN_METRICS.names():
        return None
    try:
        return PLUGIN_METRICS.source(metric.name) if PLUGIN_METRICS.load(metric.name) is metric else None
    except UserError:
        return None


@cache
def _package_digest() -> str:
    found = (entry for entry in files(__package__).iterdir() if entry.name.endswith(".py"))
    return content_digest((entry.name, entry.read_bytes()) for entry in sorted(found, key=lambda entry: entry.name))
