"""The result of one run: its metrics, its deliveries, and the facts that both are computed from."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.errors import UnknownNameError
from roamcast.measuring.metrics import known_metrics, run_metrics
from roamcast.report.text_tables import number
from roamcast.sim.facts import Facts

if TYPE_CHECKING:
    import pandas

IN_SHORT = ("delivery_ratio", "latency_mean_s", "frames_per_delivery", "bytes_sent_per_node")
"""The metrics that stand for a run in one line."""
TABLES = ("deliveries", "metrics")
"""The tables that ``to_pandas`` makes."""


class Delivery(NamedTuple):
    """An event was handed to the application of a node."""

    event: int
    """The event's number in the order of publication, from 0."""
    topic: str
    publisher: int
    node: int
    """The node that received the event."""
    published_at_s: float
    """Seconds from the start of the measurement."""
    latency_s: float
    """From publication to delivery."""
    in_time: bool
    """Whether the event was still valid."""
    counted: bool
    """Whether the node counts for the delivery ratio: not the publisher, and interested before the publication."""


@dataclass(frozen=True, repr=False)
class RunResult:
    """One run: what happened in it and what was measured."""

    scenario: Scenario
    """The scenario, with everything that was changed."""
    protocol: str
    seed: int
    facts: Facts
    """Everything that the run recorded; ``facts.digest()`` is the same wherever the same run is made."""
    run_id: str | None
    """The run's identity in campaigns; None for a protocol that was given as a class."""
    causes: Mapping[str, int] | None = None
    """How many pairs of an event and a subscriber that did not get it have each cause, if the run was to explain that
    (``roamcast.sim.undelivered.CAUSES``)."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and other processes: what is computed from the facts is computed there again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def metrics(self) -> Mapping[str, float | None]:
        """Return every metric by its name; None where the run has no value, such as the latency of no delivery."""
        return MappingProxyType(run_metrics(self.facts))

    @cached_property
    def deliveries(self) -> tuple[Delivery, ...]:
        """Return every delivery, ordered by publication and then by latency."""
        published = {fact.event: fact for fact in self.facts.publications}
        found = []
        for fact in sorted(self.facts.deliveries, key=lambda fact: (fact.event, fact.latency_s, fact.node)):
            event = published[fact.event]
            when = (event.published_at_s, fact.latency_s, fact.latency_s < event.validity_s)
            found.append(Delivery(fact.event, event.topic, event.publisher, fact.node, *when, fact.counted))
        return tuple(found)

    @cached_property
    def traffic(self) -> Mapping[str, Mapping[str, int]]:
        """Return the frames and bytes of all nodes together, by kind of message."""
        sums: dict[str, Counter[str]] = {}
        for row in self.facts.traffic:
            counts = sums.setdefault(row.kind, Counter())
            counts.update({name: value for name, value in row._asdict().items() if name not in ("node", "kind")})
        return {kind: dict(counts) for kind, counts in sorted(sums.items())}

    @cached_property
    def drops(self) -> Mapping[str, int]:
        """Return how often the protocol did not act on something, by its reason."""
        drops: Counter[str] = Counter()
        for row in self.facts.drops:
            drops[row.reason] += row.times
        return dict(sorted(drops.items()))

    def to_pandas(self, table: str = "metrics") -> "pandas.DataFrame":
        """Return the ``metrics`` as a tidy table, one row each, or the ``deliveries``."""
        import pandas  # here: it takes a second to import, and few runs need it

        if table not in TABLES:
            raise UnknownNameError("table", str(table), TABLES, "to_pandas")
        if table == "deliveries":
            return pandas.DataFrame(self.deliveries, columns=Delivery._fields)
        frame = pandas.DataFrame(
            {
                "scenario": self.scenario.name,
                "protocol": self.protocol,
                "seed": self.seed,
                "metric": list(self.metrics),
                "value": list(self.metrics.values()),
                "unit": [known_metrics()[name].unit for name in self.metrics],
            }
        )
        return frame.astype({"value": "float64"})

    def __repr__(self) -> str:
        """Return a line with the metrics that matter most."""
        short = ", ".join(f"{name} {number(self.metrics[name])}" for name in IN_SHORT)
        return f"<RunResult {self._title}: {short}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        described = {name: (metric.unit, metric.description) for name, metric in known_metrics().items()}
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (name, number(value), *described[name])) + "</tr>"
            for name, value in self.metrics.items()
        )
        head = "<tr><th>metric</th><th>value</th><th>unit</th><th>what it is</th></tr>"
        return f"<p><b>{escape(self._title)}</b></p><table>{head}{rows}</table>"

    @property
    def _title(self) -> str:
        return f"{self.scenario.name}, {self.protocol}, seed {self.seed}"
