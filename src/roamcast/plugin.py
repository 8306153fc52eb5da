"""Everything that a plug-in is made of, in one place: ``from roamcast.plugin import PubSub, Host, Message, ...``.

These names stay; the modules that they come from may move. ``docs/plugins.md`` shows how they are used. Papers, which
are made of other parts, come from ``roamcast.papers``.
"""

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import (
    FALSE_POSITIVE,
    FALSE_POSITIVE_BROKER,
    FrameHandler,
    Host,
    NoParameters,
    Position,
    PubSub,
    World,
)
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    DURATION_S,
    FRACTION,
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    PERIOD_S,
    SIZE_BYTES,
    Limit,
    ParameterError,
    at_least,
    at_most,
    at_most_items,
    one_of,
)
from roamcast.core.policies import Policy
from roamcast.core.predicates import Predicate
from roamcast.core.topics import Topic
from roamcast.measuring.metrics import Metric, RunSummary
from roamcast.protocols.shared.delayed_messages import PendingMessages
from roamcast.protocols.shared.event_tables import EventTable, SeenEvents, StoredEvent, is_sound
from roamcast.routing import (
    Destination,
    GeographicRouter,
    Router,
    RouterUser,
    RoutingMessage,
    RoutingToken,
    load_router,
)
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.radio import BITRATE, DISC, IN_CONTACT, TWO_RAY, Contacts, Propagation, RadioModel, Reach
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Presence, Trajectories
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

__all__ = [
    "AT_LEAST_ONE",
    "AT_LEAST_ZERO",
    "BITRATE",
    "DISC",
    "DURATION_S",
    "FALSE_POSITIVE",
    "FALSE_POSITIVE_BROKER",
    "FRACTION",
    "GREATER_THAN_ZERO",
    "IN_CONTACT",
    "NO_ATTRIBUTES",
    "OPTIONAL_SIZE_BYTES",
    "PERIOD_S",
    "SIZE_BYTES",
    "TWO_RAY",
    "Area",
    "Attributes",
    "CarriesEvent",
    "Contacts",
    "Destination",
    "Event",
    "EventId",
    "EventTable",
    "FrameHandler",
    "GeographicRouter",
    "Host",
    "Interest",
    "InvalidValueError",
    "Limit",
    "Message",
    "Metric",
    "MobilityModel",
    "NoParameters",
    "ParameterError",
    "PendingMessages",
    "Policy",
    "Position",
    "Predicate",
    "Presence",
    "Propagation",
    "PubSub",
    "Publication",
    "RadioModel",
    "RandomStreams",
    "Reach",
    "Router",
    "RouterUser",
    "RoutingMessage",
    "RoutingToken",
    "RunSummary",
    "SeenEvents",
    "StoredEvent",
    "Subscription",
    "Topic",
    "TopicInterest",
    "Trajectories",
    "UserError",
    "Workload",
    "WorkloadModel",
    "World",
    "at_least",
    "at_most",
    "at_most_items",
    "is_sound",
    "load_router",
    "one_of",
]
