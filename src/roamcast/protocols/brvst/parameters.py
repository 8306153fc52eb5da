"""The parameters of BRVST, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    LASTING_S,
    PART_BYTES,
    PERIOD_S,
    SOME_BYTES,
    Limit,
    ParameterError,
    at_most,
    one_of,
)
from roamcast.matching.dyadic import LEVELS_MAX
from roamcast.routing.sogr.parameters import SogrParameters

SOGR = SogrParameters()
"""The router as it is by default."""
RANGE_VECTORS, DYADIC = "range-vectors", "dyadic"
ZONES_MAX = 16
"""From side to side: what is new is multicast to all zones, so each more costs every publisher."""
GRIDS_MAX = 64
VECTOR_BITS_MAX = 4096
POWER_OF_TWO = Limit(lambda value: value.bit_count() == 1, "must be a power of 2")


@dataclass(frozen=True, slots=True)
class BrvstParameters:
    """The keys of ``[protocol]`` for BRVST. Sections are the paper's; where none is named, the choice is ours."""

    zones_per_side: Annotated[int, AT_LEAST_ONE, at_most(ZONES_MAX)] = 2
    """How many zones the area has from side to side, and from bottom to top; section V: 4 in all. At most 16."""
    grids_per_side: Annotated[int, AT_LEAST_ONE, at_most(GRIDS_MAX)] = 4
    """How many grids the area has from side to side, a multiple of the zones; section V: 4 in each zone."""
    summaries: Annotated[str, one_of(RANGE_VECTORS, DYADIC)] = RANGE_VECTORS
    """"range-vectors": the paper's. "dyadic": TAMA's rounding and tables in the same zones, without aggregation."""
    alpha: Annotated[float, FRACTION] = 0.9
    """How far a range must fill the segments of its vector; section V."""
    filling: Annotated[str, one_of("together", "each")] = "together"
    """Whether all segments of a vector must be filled so far, or each of them (docs/matching.md)."""
    vector_bits: Annotated[int, AT_LEAST_ONE, POWER_OF_TWO, at_most(VECTOR_BITS_MAX)] = 64
    """The longest range vector, in bits."""
    dyadic_levels: Annotated[int, AT_LEAST_ONE, at_most(LEVELS_MAX)] = 13
    """The levels of TAMA's trees; those of a public implementation."""
    announce_s: Annotated[float, PERIOD_S] = 4.0
    """How often a manager says that it is there, in seconds; at once after it has moved half of the radio's range."""
    silent_factor: Annotated[float, AT_LEAST_ONE] = 2.5
    """A manager that was not heard for so many of these times is gone."""
    election_s: Annotated[float, LASTING_S] = 0.5
    """How long the node farthest from a cell's centre waits before it takes the office; nearer ones wait less."""
    relay_margin: Annotated[float, AT_LEAST_ZERO] = 1.0
    """How far outside a cell a node still relays what its manager says, as a share of the radio's range."""
    relay_copies: Annotated[int, AT_LEAST_ONE] = 3
    """A node that hears so many more copies of it before its own turn relays it no more."""
    look_s: Annotated[float, PERIOD_S] = 1.0
    """How often a node looks where it is and what has become due, in seconds."""
    position_share: Annotated[float, GREATER_THAN_ZERO] = 1.0
    """A subscriber tells its manager where it is after it has moved by this share of the radio's range."""
    refresh_s: Annotated[float, PERIOD_S] = 30.0
    """How often subscriptions and summaries are said again though unchanged; section IV-B2 has such a period."""
    gather_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.5
    """The shortest time between two summaries to the same manager, in seconds; changes between them go together."""
    lazy_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 5.0
    """How long a summary that only asks for less may wait, in seconds: until then some data comes in vain."""
    covered_asks: bool = True
    """Whether a subscription that changes no summary is told to the zone manager, so that its cache is looked through.

    Else it gets nothing from the cache; the paper's text has the cache looked through upon changes (section IV-D).
    """
    cache_max: Annotated[int, GREATER_THAN_ZERO] = 512
    """How many publications a zone manager caches, section IV-D has no number; and how many advertisements it keeps."""
    cache_s: Annotated[float, LASTING_S] = 60.0
    """How long, in seconds; section IV-D has such a time."""
    zone_summary_s: Annotated[float, LASTING_S] = 60.0
    """A zone's summary that matches no data for so long is removed; section IV-C has such a time."""
    advertise_s: Annotated[float, PERIOD_S] = 60.0
    """After so long a publisher's vectors are multicast to all zones again; section IV-C has such a period."""
    subscribers_max: Annotated[int, GREATER_THAN_ZERO] = 512
    """How many subscribers a grid manager keeps; the one heard longest ago makes room."""
    subscriptions_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many subscriptions of one subscriber."""
    summaries_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """How many entries a grid's or a zone's summary has; more are not sent."""
    rows_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many grid managers and how many zones a zone manager keeps."""
    cells_max: Annotated[int, GREATER_THAN_ZERO] = 32
    """Of how many cells a node remembers the manager."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many messages wait on a node that knows no manager to send them to; the oldest makes room."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many events are remembered as delivered, and by a grid manager as passed on."""
    part_bytes: Annotated[int, SOME_BYTES] = 1400
    """How large a part of an office's state is sent at once when it is handed over."""
    header_bytes: Annotated[int, PART_BYTES] = 28
    """What a broadcast has beside its contents: IP 20, UDP 8 bytes."""
    router: SogrParameters = SOGR
    """The parameters of SOGR."""

    def __post_init__(self) -> None:
        if self.grids_per_side % self.zones_per_side:
            raise ParameterError("grids_per_side", f"must be a multiple of zones_per_side ({self.zones_per_side})")
