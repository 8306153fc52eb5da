"""The parameters of BRVST, with the source of each default."""

from dataclasses import dataclass
from math import ceil, log2
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    DURATION_S,
    FRACTION,
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    PERIOD_S,
    SIZE_BYTES,
    ParameterError,
    at_most,
    one_of,
)
from roamcast.matching.dyadic import LEVELS_MAX
from roamcast.routing.sogr.parameters import SogrParameters

SOGR = SogrParameters()
"""The router with its default parameters."""
RANGE_VECTORS, DYADIC = "range-vectors", "dyadic"
ZONES_MAX = 16
"""The most zones per side: news is multicast to all zones, so each further one costs every publisher."""
GRIDS_MAX = 64
VECTOR_BITS_MAX = 4096
ROUNDING = 1e-9
"""How much of a step from one length to the next is taken for an error of rounding."""


@dataclass(frozen=True, slots=True)
class BrvstParameters:
    """The keys of ``[protocol]`` for BRVST. Sections are the paper's; where none is named, the choice is ours."""

    zones_per_side: Annotated[int, AT_LEAST_ONE, at_most(ZONES_MAX)] = 2
    """The number of zones along each side of the area; section V has 4 in all. At most 16."""
    grids_per_side: Annotated[int, AT_LEAST_ONE, at_most(GRIDS_MAX)] = 4
    """The number of grids along each side of the area, a multiple of the zones; section V has 4 in each zone."""
    summaries: Annotated[str, one_of(RANGE_VECTORS, DYADIC)] = RANGE_VECTORS
    """"range-vectors": the paper's. "dyadic": TAMA's rounding and tables in the same zones, without aggregation."""
    alpha: Annotated[float, FRACTION] = 0.9
    """The share of its vector's segments that a range must fill; section V."""
    filling: Annotated[str, one_of("together", "each")] = "together"
    """Whether that share applies to all segments of a vector together or to each one (docs/matching.md)."""
    narrow_share: Annotated[float, GREATER_THAN_ZERO, at_most(1.0)] = 0.1
    """The share of an attribute's limits that a narrow range has: vectors are as long as describes it to alpha."""
    dyadic_levels: Annotated[int, AT_LEAST_ONE, at_most(LEVELS_MAX)] = 13
    """The number of levels in TAMA's trees; as in a public implementation."""
    announce_s: Annotated[float, PERIOD_S] = 4.0
    """How often a manager announces itself, in seconds; also at once after it has moved half of the radio's range."""
    silent_factor: Annotated[float, AT_LEAST_ONE] = 2.5
    """A manager not heard for this many announcement intervals is considered gone."""
    election_s: Annotated[float, DURATION_S] = 0.5
    """How long the node farthest from a cell's centre waits before it becomes manager, in seconds; closer ones wait
    less."""
    relay_margin: Annotated[float, AT_LEAST_ZERO] = 1.0
    """How far outside a cell a node still relays its manager's announcements, as a share of the radio's range."""
    relay_copies: Annotated[int, AT_LEAST_ONE] = 3
    """A node that hears this many further copies of an announcement before its own turn does not relay it."""
    look_s: Annotated[float, PERIOD_S] = 1.0
    """How often a node checks its position and what has become due, in seconds."""
    position_share: Annotated[float, GREATER_THAN_ZERO] = 1.0
    """A subscriber reports its position to its manager after it has moved by this share of the radio's range."""
    refresh_s: Annotated[float, PERIOD_S] = 30.0
    """How often unchanged subscriptions and summaries are sent again, in seconds; section IV-B2 has such a period."""
    gather_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.5
    """The shortest time between two summaries to the same manager, in seconds; changes in between are sent together."""
    lazy_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 5.0
    """How long a summary that only narrows the previous one may wait, in seconds; until then some data arrives in
    vain."""
    covered_asks: bool = True
    """Whether a subscription that changes no summary is reported to the zone manager, so that its cache is searched.

    Otherwise the subscription gets nothing from the cache; in the paper's text the cache is searched upon changes
    (section IV-D).
    """
    cache_max: Annotated[int, GREATER_THAN_ZERO] = 512
    """The most publications a zone manager caches, and the most advertisements it keeps; section IV-D gives no
    number."""
    cache_s: Annotated[float, DURATION_S] = 60.0
    """How long a zone manager caches a publication, in seconds; section IV-D has such a time."""
    zone_summary_s: Annotated[float, DURATION_S] = 60.0
    """A zone's summary that matches no data for this long is removed, in seconds; section IV-C has such a time."""
    advertise_s: Annotated[float, PERIOD_S] = 60.0
    """How long until a publisher's vectors are multicast to all zones again, in seconds; section IV-C has such a
    period."""
    farther_share: Annotated[float, AT_LEAST_ZERO, at_most(100.0)] = 0.0
    """By what share of ``advertise_s`` that period is longer for each zone of distance beyond the neighbours.

    Section IV-C offers this "for a large system"; section V has four zones, all of them neighbours. 0: equal periods.
    """
    query_zones: Annotated[int, AT_LEAST_ZERO, at_most(ZONES_MAX)] = 0
    """A zone whose subscriptions match nothing asks zone managers up to this many zones away; 0: it does not ask.

    Section IV-C: it "could also" do so. Neighbours are told of its subscriptions in any case.
    """
    query_s: Annotated[float, PERIOD_S] = 60.0
    """How long a subscription of a zone matches nothing before the zone asks, and asks again, in seconds."""
    subscribers_max: Annotated[int, GREATER_THAN_ZERO] = 512
    """The most subscribers a grid manager keeps; the one heard longest ago is replaced."""
    subscriptions_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most subscriptions of one subscriber."""
    summaries_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """The most entries in a grid's or a zone's summary; further ones are not sent."""
    rows_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most grid managers, and the most zones, that a zone manager keeps."""
    cells_max: Annotated[int, GREATER_THAN_ZERO] = 32
    """The most cells whose managers a node remembers."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most messages that wait on a node until it knows a manager to send them to; the oldest is dropped."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most events remembered as delivered, and by a grid manager as forwarded."""
    part_bytes: Annotated[int, SIZE_BYTES] = 1400
    """The size of the parts in which a manager's state is handed over, in bytes."""
    filter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.0
    """How long a manager takes to compare a publication with one filter, in seconds; it compares one at a time.

    Section V-A: more filters in a grid incur a longer matching time. It gives no number.
    """
    relays_deliver: bool = True
    """Whether a node that forwards an event for others delivers it to its own user, if that one asked for it.

    Neither paper says. A node that has an event which its user wants would hardly wait for a copy of its own; DRIP has
    the same choice, so that neither protocol is favoured.
    """
    header_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 28
    """The size of a broadcast without its contents, in bytes: IP 20, UDP 8."""
    router: SogrParameters = SOGR
    """The parameters of SOGR."""

    def __post_init__(self) -> None:
        if self.grids_per_side % self.zones_per_side:
            raise ParameterError("grids_per_side", f"must be a multiple of zones_per_side ({self.zones_per_side})")

    @property
    def vector_bits(self) -> int:
        """Return the length of the longest vectors, of subscriptions and publications, in bits.

        A range that begins and ends anywhere overlaps one segment more than it fills, on average. So in a vector of n
        segments a range of a share w of the limits fills w n of w n + 1. The length is the smallest power of two at
        which that is alpha: the more accuracy is asked for, the longer vectors are (section IV-A1, figure 9).
        """
        segments = self.alpha / max(1.0 - self.alpha, 1.0 / VECTOR_BITS_MAX) / self.narrow_share
        return min(VECTOR_BITS_MAX, 1 << max(0, ceil(log2(max(segments, 1.0)) - ROUNDING)))

    def advertise_after_s(self, distance: int) -> float:
        """Return how long until vectors are advertised again to a zone at some distance in zones, in seconds."""
        return self.advertise_s * (1.0 + self.farther_share * max(distance - 1, 0))

    def owed_s(self, distance: int) -> float:
        """Return how long after an advertisement a publication can be made without a new one, and be cached.

        In seconds, for zones at some distance from each other.
        """
        return self.advertise_after_s(distance) + self.cache_s
