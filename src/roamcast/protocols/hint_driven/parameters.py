"""The parameters of hint-driven routing, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ZERO,
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    PERIOD_S,
    SIZE_BYTES,
    at_most,
)
from roamcast.core.predicates import ALTERNATIVES_MAX, SUMMARY_TERMS_MAX
from roamcast.protocols.hint_driven.messages import CREDITS_MAX


@dataclass(frozen=True, slots=True)
class HintDrivenParameters:
    """The keys of ``[protocol]`` for hint-driven routing. Sections and figures are those of the paper."""

    beacon_interval_s: Annotated[float, PERIOD_S] = 5.0
    """The paper's delta t, in seconds: the interval between beacons, the same for all nodes; figure 5."""
    credits: Annotated[int, AT_LEAST_ZERO, at_most(CREDITS_MAX)] = 0
    """How often an event may be forwarded without a hint, along each path it takes; figure 5."""
    missed_beacons_max: Annotated[int, GREATER_THAN_ZERO] = 10
    """A hint is the number of missed beacons divided by this; after more missed beacons the row is deleted. Section
    4."""
    delay_divisor: Annotated[float, GREATER_THAN_ZERO] = 3.0
    """Before it forwards an event, a node waits its lowest hint divided by this, in seconds; figure 3."""
    random_delay_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.03
    """The longest random delay added to that, in seconds; drawn uniformly. Our choice."""
    empty_beacons: bool = False
    """Whether nodes without subscriptions send beacons too. Our choice: no."""
    summary_terms_max: Annotated[int, GREATER_THAN_ZERO, at_most(ALTERNATIVES_MAX)] = SUMMARY_TERMS_MAX
    """The most terms in a beacon's predicate; a longer one is widened until it fits. Our choice."""
    hints_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most rows in the hint table; the one heard longest ago is replaced. Our choice."""
    destinations_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most entries in a destination list; further ones are left out. Our choice."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most events that may wait to be forwarded; further ones are not forwarded. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as heard. Our choice."""
    header_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 8
    """The size of a beacon without its predicate, and of an event's message without the event and the list, in bytes.
    Our choice."""
    destination_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 6
    """The size of an entry in the destination list, in bytes: 4 for the node, 2 for the hint. Our choice."""
    identifier_bytes: Annotated[int, SIZE_BYTES] = 16
    """The size of an identifier in memory, in bytes; the Frugal paper's."""
