"""The cost of a gossip that delivers as much as something else, between the probabilities that were measured.

Cost and delivery are joined by straight lines from one forwarding probability to the next. Between two of them the
true curve lies below its chord, so that gossip's cost comes out too high: by about 1 % with steps of 0.1.
"""

from collections.abc import Sequence
from dataclasses import replace

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.statistics import Sampled, average
from roamcast.measuring.verdicts import Band, Part, Ratio, Value
from roamcast.papers.hint_driven.claim_parts import Line
from roamcast.papers.hint_driven.curves import ANY_GOSSIP, COST, DELIVERY, PROBABILITY
from roamcast.papers.shared.claim_parts import Row, formula_part
from roamcast.papers.shared.interpolation import interpolated

BY_PROBABILITY = Line("probability", PROBABILITY, ANY_GOSSIP)
LOWEST = 0.3
"""Below this probability gossip delivers less than half; such points are not needed for any comparison."""


def _gossip_rows(measured: Measurements) -> tuple[list[Row], list[Row]]:
    values = [value for value in BY_PROBABILITY.values(measured) if value >= LOWEST]
    delivery, cost = ([BY_PROBABILITY.at(measured, metric, value) for value in values] for metric in (DELIVERY, COST))
    return delivery or [None], cost or [None]


def gossip_cost_part(label: str, measured: Measurements, delivery: float, band: Band | None) -> Part:
    """Return a part for the cost of a gossip with some delivery."""
    deliveries, costs = _gossip_rows(measured)

    def quantity(values: Sequence[Sampled]) -> Value:
        return Value.of(interpolated(values[: len(deliveries)], values[len(deliveries) :], delivery))

    return formula_part(label, [*deliveries, *costs], quantity, band)


def cost_over_gossip_part(
    label: str, measured: Measurements, points: Sequence[tuple[Row, Row]], band: Band | None
) -> Part:
    """Return a part for the cost of something over that of a gossip that delivers as much.

    ``points`` has the delivery and the cost of each point; the part is the geometric mean of their ratios, with the
    lowest and the highest of them.
    """
    deliveries, costs = _gossip_rows(measured)
    gossip = len(deliveries)

    def logs(values: Sequence[Sampled]) -> list[Sampled]:
        along, prices, own = values[:gossip], values[gossip : 2 * gossip], values[2 * gossip :]
        pairs = zip(own[::2], own[1::2], strict=True)
        return [cost.log() - interpolated(along, prices, delivery).log() for delivery, cost in pairs]

    def part(rows: Sequence[tuple[Row, Row]]) -> Part:
        own = [row for point in rows for row in point] or [None, None]
        return formula_part(label, [*deliveries, *costs, *own], lambda values: Ratio.of(average(logs(values))), band)

    whole = part(points)
    ratios = [each.quantity.value for each in map(part, [[point] for point in points]) if each.quantity is not None]
    if whole.quantity is None or len(points) < 2:
        return whole
    return replace(whole, extent=(min(ratios), max(ratios)))
