"""The parameters of DRIP. Its authors' numbers are not known: the defaults are our choice."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    PERIOD_S,
    ParameterError,
    at_most,
    one_of,
)

ALL, WANTED = "all", "wanted"
HOPS_LIMIT = 255
"""The most hops: what a byte holds."""
ANNOUNCEMENTS_MAX = 4
"""A fast broker announces itself at most this many times as often as one at rest."""
_Hops = Annotated[int, AT_LEAST_ONE, at_most(HOPS_LIMIT)]
_Seconds = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
_Table = Annotated[int, GREATER_THAN_ZERO]


@dataclass(frozen=True, slots=True)
class DripParameters:
    """The keys of ``[protocol]`` for DRIP. All defaults are our choice."""

    region_hops: _Hops = 7
    """A node that hears of no broker within this many hops stands for election. Gives the BRVST paper's 16 regions."""
    resign_hops: Annotated[int, AT_LEAST_ZERO, at_most(HOPS_LIMIT)] = 3
    """A broker within this many hops of one with a lower number resigns."""
    publications: Annotated[str, one_of(ALL, WANTED)] = ALL
    """Which events a broker shares: ``all`` with every other broker, as the BRVST paper has it, or each only with those
    whose regions ask for it.
    """
    announce_s: Annotated[float, PERIOD_S] = 3.0
    """The longest time between a broker's announcements to the whole network, in seconds."""
    announce_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)] = 10.0
    """A moving broker announces itself at least once every so many metres, and at most four times in ``announce_s``.

    As in tree groups. Once every 15 m delivers less, once every 7.5 m not clearly more.
    """
    missed_announcements: Annotated[float, AT_LEAST_ONE] = 2.5
    """A broker not heard for this many announcement periods is lost."""
    election_s: _Seconds = 3.0
    """The longest time a starting node waits before it stands for election, in seconds; drawn uniformly."""
    lonely_checks: Annotated[int, AT_LEAST_ONE] = 8
    """For how many seconds all known brokers must be farther away than ``region_hops`` before a node stands for
    election."""
    refresh_s: Annotated[float, PERIOD_S] = 10.0
    """How often a node renews its membership, in seconds; a subscriber does so too when its route has changed."""
    missed_refreshes: Annotated[float, AT_LEAST_ONE] = 2.5
    """A node not heard for this many refresh periods is no longer in the region."""
    strong_fraction: Annotated[float, FRACTION] = 0.75
    """A link longer than this share of the radio's range counts for two hops; with 1, every link counts for one."""
    relay_s: Annotated[float, GREATER_THAN_ZERO, at_most(10.0)] = 0.02
    """The longest delay before an announcement is relayed, in seconds; drawn uniformly each time."""
    retry_s: Annotated[float, PERIOD_S] = 1.0
    """How long a message that finds no route waits before it is retried, in seconds."""
    retries: Annotated[int, AT_LEAST_ZERO, at_most(1000)] = 8
    """How often such a message is retried."""
    hops_max: _Hops = 64
    """The most hops a message travels."""
    brokers_max: _Table = 64
    """The most brokers a node knows; a nearer one replaces the farthest."""
    ways_max: _Table = 6
    """The most neighbours a node knows as routes to one broker."""
    pointers_max: _Table = 512
    """The most nodes to which a node knows the route down."""
    members_max: _Table = 1024
    """The most nodes a broker accepts into its region."""
    subscriptions_max: _Table = 4096
    """The most subscriptions a broker keeps of its own region, and of each other region."""
    events_max: _Table = 1024
    """The most events a broker keeps for later subscribers."""
    waiting_max: _Table = 64
    """The most messages that wait on a node for a route."""
    identifiers_max: _Table = 4096
    """The most identifiers of delivered events that a node remembers."""
    relays_deliver: bool = True
    """Whether a node that forwards an event for others delivers it to its own user, if that one asked for it.

    Neither paper says. A node that has an event which its user wants would hardly wait for a copy of its own; BRVST has
    the same choice, so that neither protocol is favoured.
    """
    header_bytes: Annotated[int, AT_LEAST_ZERO, at_most(65_535)] = 28
    """The size of every message's headers, in bytes: IP 20, UDP 8, as with BRVST's router."""

    def __post_init__(self) -> None:
        if self.resign_hops >= self.region_hops:
            raise ParameterError("resign_hops", f"must be below region_hops ({self.region_hops})")

    def announce_after_s(self, speed_mps: float | None) -> float:
        """Return how long a broker moving at this speed waits between announcements."""
        if not speed_mps:
            return self.announce_s
        return min(self.announce_s, max(self.announce_s / ANNOUNCEMENTS_MAX, self.announce_m / speed_mps))

    @property
    def timeout_s(self) -> float:
        """Return how long a broker may be silent."""
        return self.missed_announcements * self.announce_s

    @property
    def member_timeout_s(self) -> float:
        """Return how long a member, or a route down, may be silent."""
        return self.missed_refreshes * self.refresh_s
