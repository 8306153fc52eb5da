"""The parameters of DRIP, with the source of each default. No numbers of its authors are known: they are our choice."""

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
)

HOPS_LIMIT = 255
"""What a byte holds."""
ANNOUNCEMENTS_MAX = 4
"""How many times as often a fast broker announces itself at most."""
_Hops = Annotated[int, AT_LEAST_ONE, at_most(HOPS_LIMIT)]
_Seconds = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
_Table = Annotated[int, GREATER_THAN_ZERO]


@dataclass(frozen=True, slots=True)
class DripParameters:
    """The keys of ``[protocol]`` for DRIP."""

    region_hops: _Hops = 7
    """A node that hears of no broker within so many hops stands for election. Gives the BRVST paper's 16 regions."""
    resign_hops: Annotated[int, AT_LEAST_ZERO, at_most(HOPS_LIMIT)] = 3
    """A broker that has come this near to one with a lower number is broker no more."""
    announce_s: Annotated[float, PERIOD_S] = 3.0
    """How often a broker announces itself to the whole network, in seconds, at the longest."""
    announce_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)] = 10.0
    """A moving broker announces itself at least once on so many metres, and at most four times in ``announce_s``.

    As tree groups do. Once on 15 m delivers less, once on 7.5 m not clearly more.
    """
    missed_announcements: Annotated[float, AT_LEAST_ONE] = 2.5
    """A broker that was not heard for this many announcements is lost."""
    election_s: _Seconds = 3.0
    """A node that starts waits up to so long before it stands, drawn at random, in seconds."""
    lonely_checks: Annotated[int, AT_LEAST_ONE] = 8
    """For how many seconds all known brokers must be further than ``region_hops`` before a node stands."""
    refresh_s: Annotated[float, PERIOD_S] = 10.0
    """How often a node tells its broker that it is there, in seconds; a subscriber also when its way has changed."""
    missed_refreshes: Annotated[float, AT_LEAST_ONE] = 2.5
    """A node that was not heard for this many times is no longer of the region."""
    strong_fraction: Annotated[float, FRACTION] = 0.75
    """A link that is longer than this part of the radio's range counts for two hops; all count for one if this is 1."""
    relay_s: Annotated[float, GREATER_THAN_ZERO, at_most(10.0)] = 0.02
    """An announcement is relayed after up to so long, drawn each time, in seconds."""
    retry_s: Annotated[float, PERIOD_S] = 1.0
    """How long a message that finds no way waits before it is tried again, in seconds."""
    retries: Annotated[int, AT_LEAST_ZERO, at_most(1000)] = 8
    """How often such a message is tried again."""
    hops_max: _Hops = 64
    """How far a message goes at most."""
    brokers_max: _Table = 64
    """How many brokers a node knows; one that is nearer takes the place of the farthest."""
    ways_max: _Table = 6
    """How many neighbours a node knows as ways to a broker."""
    pointers_max: _Table = 512
    """For how many nodes a node knows the way down."""
    members_max: _Table = 1024
    """How many nodes a broker takes into its region."""
    subscriptions_max: _Table = 4096
    """How many subscriptions a broker keeps of its own region, and of any other."""
    events_max: _Table = 1024
    """How many events a broker keeps for later subscribers."""
    waiting_max: _Table = 64
    """How many messages wait on a node for a way."""
    identifiers_max: _Table = 4096
    """How many identifiers of delivered events are remembered."""
    header_bytes: Annotated[int, AT_LEAST_ZERO, at_most(65_535)] = 28
    """What every message has beside its contents: IP 20, UDP 8 bytes, as with the router of BRVST."""

    def __post_init__(self) -> None:
        if self.resign_hops >= self.region_hops:
            raise ParameterError("resign_hops", f"must be below region_hops ({self.region_hops})")

    def announce_after_s(self, speed_mps: float | None) -> float:
        """Return how long a broker of a speed waits between announcements."""
        if not speed_mps:
            return self.announce_s
        return min(self.announce_s, max(self.announce_s / ANNOUNCEMENTS_MAX, self.announce_m / speed_mps))

    @property
    def timeout_s(self) -> float:
        """Return how long a broker may be silent."""
        return self.missed_announcements * self.announce_s

    @property
    def member_timeout_s(self) -> float:
        """Return how long a member, or a way down, may be silent."""
        return self.missed_refreshes * self.refresh_s
