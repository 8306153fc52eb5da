"""The harness itself: a host that writes down, and a link that carries."""

from typing import Any

import pytest

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import Host, NoParameters, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.flooding import FloodedEvent, Flooding
from roamcast.testing import Delivered, Dropped, FakeLink, RecordingHost, Sent, event_of, interest_in


class Echo(PubSub):
    """Answer each message with a smaller one, and note what happens."""

    summary = "answers"

    def __init__(self, host: Host, parameters: NoParameters) -> None:
        self.host = host
        self.parameters = parameters
        self.seen: list[tuple[float, object]] = []

    def subscribe(self, interest: Interest) -> None: ...

    def unsubscribe(self, interest: Interest) -> None: ...

    def publish(self, event: Event) -> None:
        self.host.deliver(event)

    def on_message(self, message: Message, sender: int) -> None:
        self.seen.append((self.host.now, (message.size_bytes, sender)))
        if message.size_bytes > 0:
            self.host.broadcast(Message(message.size_bytes - 1))
        else:
            self.host.drop(message, "enough")

    def on_wake(self, token: Any) -> None:
        self.seen.append((self.host.now, token))
        if token == "forever":
            self.host.wake(self.host.now, token)

    def storage_bytes(self) -> int:
        return 0


def echo_on(host: RecordingHost) -> Echo:
    return host.install(Echo)


def test_wakes_come_in_order_of_time_and_then_of_asking_up_to_the_very_moment() -> None:
    host = RecordingHost()
    echo = echo_on(host)
    for at_s, token in ((2.0, "c"), (1.0, "a"), (1.0, "b"), (3.0, "d"), (3.5, "e")):
        host.wake(at_s, token)
    host.advance_to(3.0)
    assert echo.seen == [(1.0, "a"), (1.0, "b"), (2.0, "c"), (3.0, "d")]
    assert host.now == 3.0
    assert host.wakes == {"e": 3.5}


def test_a_wake_replaces_the_one_of_the_same_token_and_can_be_cancelled() -> None:
    host = RecordingHost()
    echo = echo_on(host)
    host.wake(1.0, "moved")
    host.wake(2.0, "moved")
    host.wake(1.5, "cancelled")
    host.cancel_wake("cancelled")
    host.cancel_wake("never asked for")
    host.advance_to(5.0)
    assert echo.seen == [(2.0, "moved")]


def test_a_wake_in_the_past_comes_at_once_and_time_never_runs_backwards() -> None:
    host = RecordingHost(now_s=10.0)
    echo = echo_on(host)
    host.wake(1.0, "late")
    host.advance_to(5.0)
    assert (echo.seen, host.now) == ([], 10.0)
    host.advance_to(10.0)
    assert echo.seen == [(10.0, "late")]


def test_a_protocol_that_wakes_itself_for_ever_is_named() -> None:
    host = RecordingHost(node=4)
    echo_on(host)
    host.wake(1.0, "forever")
    with pytest.raises(AssertionError, match="node 4 still wakes itself"):
        host.advance_to(1.0)


def test_everything_that_a_protocol_does_is_written_down_with_its_time() -> None:
    host = RecordingHost()
    echo = echo_on(host)
    host.advance_to(2.0)
    echo.on_message(Message(1), 5)
    echo.on_message(Message(0), 5)
    echo.publish(event_of(0))
    assert host.broadcasts == [Sent(2.0, Message(0))]
    assert host.drops == [Dropped(2.0, Message(0), "enough")]
    assert host.deliveries == [Delivered(2.0, event_of(0))]
    assert host.take_messages() == [Message(0)]
    assert host.take_messages() == []


def test_only_who_hears_the_sender_gets_a_frame_and_hearing_need_not_be_mutual() -> None:
    hosts = [RecordingHost(node) for node in (1, 2, 3)]
    echoes = {host.node: echo_on(host) for host in hosts}
    link = FakeLink(hosts)
    link.hears = {(1, 2)}
    hosts[0].broadcast(Message(1))
    link.advance_to(0.0)
    assert {node: echo.seen for node, echo in echoes.items()} == {1: [], 2: [(0.0, (1, 1))], 3: []}


def test_answers_on_a_link_are_carried_in_order_and_at_the_same_instant() -> None:
    hosts = [RecordingHost(node) for node in (1, 2)]
    echoes = [echo_on(host) for host in hosts]
    link = FakeLink(hosts)
    link.join(1, 2)
    link.advance_to(7.0)
    hosts[0].broadcast(Message(3))
    link.advance_to(7.0)
    assert echoes[0].seen == [(7.0, (2, 2)), (7.0, (0, 2))]
    assert echoes[1].seen == [(7.0, (3, 1)), (7.0, (1, 1))]


def test_all_hosts_on_a_link_share_one_clock() -> None:
    hosts = [RecordingHost(node) for node in (1, 2)]
    echoes = [echo_on(host) for host in hosts]
    link = FakeLink(hosts)
    hosts[1].wake(1.0, "first")
    hosts[0].wake(2.0, "second")
    link.advance_to(1.5)
    assert [host.now for host in hosts] == [1.5, 1.5]
    link.advance_to(2.0)
    assert [echo.seen for echo in echoes] == [[(2.0, "second")], [(1.0, "first")]]


def test_a_partition_that_heals() -> None:
    hosts = [RecordingHost(node) for node in (1, 2)]
    protocols = [host.install(Flooding) for host in hosts]
    protocols[1].subscribe(interest_in("news"))
    link = FakeLink(hosts)
    link.join(1, 2)
    link.part(2)
    protocols[0].publish(event_of(1))
    link.advance_to(5.0)
    assert hosts[1].deliveries == []
    link.join(1, 2)
    link.advance_to(6.0)
    assert hosts[1].deliveries == [Delivered(5.5, event_of(1))]
    assert hosts[0].take_messages() == [FloodedEvent(400, event_of(1))] * 6
