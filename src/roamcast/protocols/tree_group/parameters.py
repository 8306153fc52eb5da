"""The parameters of tree groups, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    PERIOD_S,
    SIZE_BYTES,
    ParameterError,
    at_most,
)
from roamcast.matching.bloom import BITS_MAX, HASHES_MAX, BloomShape
from roamcast.matching.combinations import ATTRIBUTES_LIMIT
from roamcast.protocols.shared.tree_links import HEARTBEATS_MAX

LEVELS_LIMIT = 64
"""The deepest tree that a scenario may ask for."""


@dataclass(frozen=True, slots=True)
class TreeGroupParameters:
    """The keys of ``[protocol]`` for tree groups. Table 1 and section numbers are the paper's."""

    levels_limit: Annotated[int, AT_LEAST_ONE, at_most(LEVELS_LIMIT)] = 9
    """The highest level number in a tree, the leader's being 0; table 1."""
    levels_preferred: Annotated[int, AT_LEAST_ONE, at_most(LEVELS_LIMIT)] = 4
    """The level down to which nodes join freely; a group that reaches it is saturated; table 1."""
    members_limit: Annotated[int, AT_LEAST_ONE] = 250
    """The most nodes in a group; the paper has a limit but does not state it. Our choice."""
    heartbeat_s: Annotated[float, PERIOD_S] = 1.0
    """The longest time between heartbeats, in seconds. Our choice; the paper gives none."""
    heartbeat_m: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A moving node sends a heartbeat at least once every so many metres, and at most four times in ``heartbeat_s``.
    Our choice."""
    positions: bool = True
    """Whether heartbeats carry positions, from which nodes estimate signal strengths and leave weak links in time. Our
    choice."""
    missed_heartbeats: Annotated[float, AT_LEAST_ONE] = 3.0
    """A neighbour not heard for this many heartbeats and a half is lost. Our choice."""
    merge_interval_s: Annotated[float, PERIOD_S] = 3.0
    """How often a leader looks for a group to merge with, in seconds. Our choice."""
    local_borders: Annotated[int, AT_LEAST_ZERO] = 1
    """How many borders between groups a local event may cross: "the local group or a few adjacent" (3.3)."""
    gateways_near: Annotated[int, AT_LEAST_ONE] = 2
    """A node does not become a gateway to a group if so many neighbours of its own group are gateways to it. Our
    choice: one more than needed, since a gateway is soon out of reach."""
    filter_bits: Annotated[int, GREATER_THAN_ZERO, at_most(BITS_MAX)] = 512
    """The size of a Bloom filter, in bits: the paper's m, which it does not state. Our choice."""
    filter_hashes: Annotated[int, GREATER_THAN_ZERO, at_most(HASHES_MAX)] = 4
    """The number of hashes of a Bloom filter: the paper's k, which it does not state. Our choice."""
    attributes_max: Annotated[int, AT_LEAST_ONE, at_most(ATTRIBUTES_LIMIT)] = 8
    """The most attributes of a publication, whose 2^n - 1 combinations are looked up (3.5). Our choice."""
    power: Annotated[float, FRACTION] = 1.0
    """A node's power, from 0 to 1, for the leader's weight; hosts do not report it, so it is the same for all."""
    power_weight: Annotated[float, AT_LEAST_ZERO] = 1.0
    """The factor of power in a leader's weight; all four factors are equal, since WACA's are not known."""
    signal_weight: Annotated[float, AT_LEAST_ZERO] = 1.0
    """The factor of the signal strength in a leader's weight."""
    clustering_weight: Annotated[float, AT_LEAST_ZERO] = 1.0
    """The factor of the local clustering coefficient in a leader's weight."""
    dissemination_weight: Annotated[float, AT_LEAST_ZERO] = 1.0
    """The factor of the dissemination degree in a leader's weight."""
    leader_bonus: Annotated[float, AT_LEAST_ZERO] = 0.25
    """A serving leader's bonus on its weight, which is at most 1, so that no leader is deposed without need (WACA)."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 128
    """The most neighbours a node knows; the one heard longest ago is replaced. Our choice."""
    children_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most children a node accepts. Our choice."""
    groups_max: Annotated[int, GREATER_THAN_ZERO] = 32
    """The most groups that a heartbeat or an event's message names. Our choice."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most events that wait on a node without a parent. Our choice."""
    replay_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 3.0
    """A new child is sent the events that its filter asks for and that this node heard in the last so many seconds; 0
    for none. Our choice: as long as a node without a parent takes to find one, or to start over."""
    replay_bytes: Annotated[int, AT_LEAST_ZERO] = 16_384
    """The most bytes of such events that a node keeps, and that it sends again within ``replay_s``. Our choice: twice
    what is published in 3 s in table 1's scenario with events of 100 bytes."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as seen. Our choice."""
    header_bytes: Annotated[int, SIZE_BYTES] = 12
    """The size of every message's header, its kind and the sender's label, in bytes; docs/tree-group.md lists the rest.
    Our choice."""
    node_bytes: Annotated[int, SIZE_BYTES] = 4
    """The size of a node's identifier, and so of a group's, in bytes; Frugal's."""

    def __post_init__(self) -> None:
        if self.levels_preferred > self.levels_limit:
            raise ParameterError("levels_preferred", f"must be at most levels_limit ({self.levels_limit})")
        if self.power_weight + self.signal_weight + self.clustering_weight + self.dissemination_weight <= 0:
            raise ParameterError("power_weight", "one of the four weights must be greater than 0")

    @property
    def shape(self) -> BloomShape:
        """Return the size of all filters."""
        return BloomShape(self.filter_bits, self.filter_hashes)

    @property
    def heartbeat_s_min(self) -> float:
        """Return the shortest time between heartbeats."""
        return self.heartbeat_s / HEARTBEATS_MAX
