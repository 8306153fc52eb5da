"""Curves of the hint-driven paper's figures, over one quantity, each of a protocol with its keys."""

from collections.abc import Mapping, Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.papers.shared.curves import CURVE, Curve

PROBABILITY, CREDITS = "protocol.probability", "protocol.credits"
SUBSCRIBERS, RATE = "workload.subscribers", "workload.rate_hz"
SPEED, NODES = "mobility.speed_mps", "nodes.count"
DELIVERY, COST, COLLISIONS = "delivery_ratio", "frames_per_delivery", "frames_lost_ratio"
PAPER_DELIVERY, PAPER_COST, PAPER_GOSSIP_COST = 0.7, 2.5, 5.5
"""The delivery ratio of hints without credits, their frames per delivery, and those of gossip; section 5.2."""
HINTS = "hint-driven"
"""The name of the protocol; some of its curves have credits."""


def hints(count: int) -> Curve:
    """Return hint-driven routing with some credits."""
    counted = {0: "no credit", 1: "1 credit"}.get(count, f"{count} credits")
    return Curve(f"hints, {counted}", HINTS, {CREDITS: count})


def gossip(probability: float) -> Curve:
    """Return gossip with a forwarding probability."""
    return Curve(f"gossip, p = {probability:g}", "gossip", {PROBABILITY: probability})


def beaconing(interval_s: float) -> Curve:
    """Return hint-driven routing with a beacon interval, and time for twelve beacons to fill its hint tables."""
    values = {"protocol.beacon_interval_s": interval_s, "settle_s": 12 * interval_s}
    return Curve(f"a beacon every {interval_s:g} s", HINTS, values)


ANY_GOSSIP, ANY_HINTS = Curve("gossip", "gossip"), Curve("hints", HINTS)
"""The curves whose probability or credits are on the axis."""
FLOODING, GOSSIP, LOW_GOSSIP = gossip(1.0), gossip(0.5), gossip(0.3)
"""Gossip that forwards everything, figure 5's default, and our reading of a low probability."""
BEACON_INTERVALS_S = (1, 2.5, 5, 10, 20)
"""Figure 5's default, half and twice as long, and two that break what the paper says of the others."""
SUBSCRIBERS_CREDITS = (0, 1, 2, 5)
"""The credits of figure 8."""
CURVES = {
    curve.label: curve
    for curve in (
        *(ANY_HINTS, *(hints(count) for count in SUBSCRIBERS_CREDITS)),
        *(beaconing(interval_s) for interval_s in BEACON_INTERVALS_S),
        *(ANY_GOSSIP, LOW_GOSSIP, GOSSIP, FLOODING),
    )
}
"""Every curve of every figure by its label, in the order in which a figure lists them."""

SWEEP_CURVES: Mapping[str, tuple[Curve, ...]] = {
    "probability": (ANY_GOSSIP,),
    "credits": (ANY_HINTS,),
    "subscribers": (*map(hints, SUBSCRIBERS_CREDITS), GOSSIP),
    "rate": (hints(0), GOSSIP, FLOODING),
    "speed": tuple(map(beaconing, BEACON_INTERVALS_S)),
    "size": (hints(0), hints(2), GOSSIP, FLOODING),
    "density": (hints(0), hints(2), LOW_GOSSIP, GOSSIP, FLOODING),
}
"""The curves of each sweep at full scale."""


def measured_curves(measured: Measurements, sweep: str) -> Sequence[Curve]:
    """Return the curves of a sweep, in the order of ``CURVES``."""
    labels = {str(row.point[CURVE]) for row in measured if row.sweep == sweep}
    return [curve for label, curve in CURVES.items() if label in labels]
