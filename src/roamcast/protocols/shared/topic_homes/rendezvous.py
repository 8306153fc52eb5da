"""Rendezvous: the home of a topic tells publishers who subscribes, and publishers decide (paper, section 3.2.2).

A publisher advertises its topic once a period; the home answers with the list of subscriptions to it. The paper's
publishers advertise from the start; a node of ours cannot know that it will publish, so it begins with its first event
on a topic and goes on for a while after the last. An event that has no recent list waits for the next one. These are
our choices.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event
from roamcast.core.host import Host, Position
from roamcast.core.messages import Message
from roamcast.core.topics import LENGTH_MAX, Topic
from roamcast.protocols.shared.event_tables import is_sound
from roamcast.protocols.shared.topic_homes.homes import event_homes, home_topic
from roamcast.protocols.shared.topic_homes.messages import (
    NODE_BYTES,
    NUMBER_BYTES,
    POSITION_BYTES,
    SUBSCRIPTION_BYTES_MAX,
    TIME_BYTES,
    Advertise,
    HomePayload,
    Subscribe,
    SubscriptionList,
    is_sound_subscription,
)
from roamcast.protocols.shared.topic_homes.subscription_table import SubscriptionTable
from roamcast.protocols.shared.topic_homes.system import TopicHomes
from roamcast.routing import Destination

LIST_BYTES_MAX = SUBSCRIPTION_BYTES_MAX
"""The longest list of subscriptions, in bytes: the most a datagram holds."""
ADVERTISE_BYTES = NODE_BYTES + 1 + POSITION_BYTES
"""The size of an advertisement without its topic, at most, in bytes."""
ADVERTISE = "advertise"
"""The token of the wake at which a publisher advertises its topics."""


_Key = tuple[Topic, Destination]
"""A topic this node publishes on, reduced to its first segment, and one of its homes."""


@dataclass(slots=True)
class _Advertised:
    """The state of advertising a topic at one of its homes."""

    published_at_s: float
    listed_at_s: float = -inf
    """When the last list arrived."""


class Rendezvous(TopicHomes):
    """One node's side of a system with rendezvous points."""

    def __init__(self, host: Host, parameters: Any) -> None:
        super().__init__(host, parameters)
        self._advertised: dict[_Key, _Advertised] = {}
        self._listed: dict[_Key, SubscriptionTable] = {}
        self._waiting: list[tuple[Event, Destination]] = []

    # --- publishers ----------------------------------------------------------------------------------------

    def _disseminate(self, event: Event) -> None:
        """Send an event to the subscribers on a recent list; where there is none, let the event wait."""
        topic, now_s = home_topic(event.topic), self._host.now
        for home in event_homes(topic, self.system.find_home, self._host.world, self._parameters.root_home):
            advertised = self._advertised.get((topic, home))
            if advertised is None:
                advertised = self._begin_advertising(topic, home)
            advertised.published_at_s = now_s
            if advertised.listed_at_s + self._parameters.timeout_s > now_s:
                self._notify(event, self._listed[topic, home])
            else:
                self._wait(event, home)

    def _begin_advertising(self, topic: Topic, home: Destination) -> _Advertised:
        is_first, topics = not self._advertised, {each for each, _ in self._advertised}
        if topic not in topics and len(topics) >= self._parameters.topics_max:
            oldest, _ = min(self._advertised, key=lambda each: self._advertised[each].published_at_s)
            for key in [each for each in self._advertised if each[0] == oldest]:
                self._stop_advertising(key)
        if is_first:  # otherwise the timer is running already
            self._host.wake(self._host.now + self._parameters.advertisement_s, ADVERTISE)
        self._listed[topic, home] = SubscriptionTable(self._parameters.timeout_s, self._parameters.subscriptions_max)
        advertised = self._advertised[topic, home] = _Advertised(self._host.now)
        self._advertise(topic, home)
        return advertised

    def _stop_advertising(self, key: _Key) -> None:
        """Forget a topic at one of its homes, and drop the events that wait for its list."""
        del self._advertised[key], self._listed[key]
        for event in self._take_waiting(key):
            self._host.drop(_message_of(event), "no-list")

    def _take_waiting(self, key: _Key) -> list[Event]:
        """Remove and return the events that wait for a list."""
        taken = [event for event, home in self._waiting if (home_topic(event.topic), home) == key]
        self._waiting = [each for each in self._waiting if (home_topic(each[0].topic), each[1]) != key]
        return taken

    def _wait(self, event: Event, home: Destination) -> None:
        self._waiting.append((event, home))
        if len(self._waiting) > self._parameters.waiting_max:
            oldest, _ = self._waiting.pop(0)
            self._host.drop(_message_of(oldest), "too-many-waiting")

    def on_wake(self, token: Any) -> None:
        """Ask for the lists of the topics on which this node has published lately."""
        if token != ADVERTISE:
            super().on_wake(token)
            return
        now_s = self._host.now
        for event in [event for event, _ in self._waiting if not event.is_valid(now_s)]:
            self._host.drop(_message_of(event), "expired")
        self._waiting = [each for each in self._waiting if each[0].is_valid(now_s)]
        awaited = {(home_topic(event.topic), home) for event, home in self._waiting}
        for key, advertised in tuple(self._advertised.items()):
            if key in awaited or advertised.published_at_s + self._parameters.advertising_s > now_s:
                self._advertise(*key)
            else:
                self._stop_advertising(key)
        if self._advertised:
            self._host.wake(now_s + self._parameters.advertisement_s, ADVERTISE)

    def _advertise(self, topic: Topic, home: Destination) -> None:
        at = self._host.position() if isinstance(home, Position) else None
        size_bytes = NODE_BYTES + 1 + len(topic.path) + (0 if at is None else POSITION_BYTES)
        self._send_home(Advertise(size_bytes, home, self._host.node, topic, at), home)

    def _on_own_payload(self, payload: Message) -> None:
        """Take a list of subscriptions, and send the events that waited for it."""
        if not isinstance(payload, SubscriptionList):
            super()._on_own_payload(payload)
            return
        key, now_s = (payload.topic, payload.home), self._host.now
        advertised = self._advertised.get(key)
        if advertised is None:
            self._host.drop(payload, "not-asked-for")
            return
        if not _is_sound_list(payload, self._parameters.subscriptions_max):
            self._host.drop(payload, "malformed")
            return
        for subscription, age_s in payload.subscriptions:
            self._listed[key].add(subscription, now_s - age_s, now_s)
        advertised.listed_at_s = now_s
        for event in self._take_waiting(key):
            if event.is_valid(now_s):
                self._notify(event, self._listed[key])
            else:
                self._host.drop(_message_of(event), "expired")

    # --- homes ---------------------------------------------------------------------------------------------

    def _serve(self, payload: HomePayload) -> None:
        """Store a subscription, or answer an advertisement with those to its topic, whatever their filters."""
        if isinstance(payload, Subscribe):
            self._store_subscription(payload)
        elif isinstance(payload, Advertise):
            if 0 < payload.size_bytes <= LENGTH_MAX + ADVERTISE_BYTES:
                self._router.send(self._answer(payload), payload.publisher, payload.at)
            else:
                self._host.drop(payload, "malformed")
        else:
            self._host.drop(payload, "unknown-kind")

    def _answer(self, advertisement: Advertise) -> SubscriptionList:
        """Return the subscriptions to a topic, the latest first; those that do not fit into a packet are dropped."""
        now_s, topic = self._host.now, TopicInterest(advertisement.topic)
        found = [
            (kept.message, now_s - kept.heard_at_s)
            for kept in self._subscriptions.fresh(now_s)
            if kept.message.home == advertisement.home and any(map(topic.overlaps, kept.message.interests))
        ]
        size_bytes, listed = NUMBER_BYTES + len(advertisement.topic.path), []
        for message, age_s in sorted(found, key=lambda each: each[1]):
            if size_bytes + message.size_bytes + TIME_BYTES > LIST_BYTES_MAX:
                self._host.drop(message, "list-full")
                continue
            size_bytes += message.size_bytes + TIME_BYTES
            listed.append((message, age_s))
        return SubscriptionList(size_bytes, advertisement.topic, advertisement.home, tuple(listed))

    def storage_bytes(self) -> int:
        """Add the lists this node has received as a publisher, and the waiting events."""
        lists = sum(table.size_bytes(self._host.now) for table in self._listed.values())
        return super().storage_bytes() + lists + sum(event.size_bytes for event, _ in self._waiting)


def _is_sound_list(message: SubscriptionList, count_max: int) -> bool:
    listed = message.subscriptions
    return len(listed) <= count_max and all(
        is_sound_subscription(subscription) and subscription.home == message.home and 0 <= age_s < inf
        for subscription, age_s in listed
    )


def _message_of(event: Event) -> Message:
    """Return a message that stands for an event in a drop."""
    return Message(event.size_bytes if is_sound(event) else 0)
