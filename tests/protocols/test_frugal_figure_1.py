"""The Frugal paper's own worked example: figure 1 and the text beside it, in its three parts.

Topics T0 > T0.T1 > T0.T1.T2. p1 asks for T1, p2 for T2, p3 for T0. p1 has e3 (of T1), p2 has e4 and e5 (of T2).
"""

from frugal_peers import announcements, events, give, identifiers, sent_events

from roamcast.protocols.frugal.protocol import BACKOFF, Frugal
from roamcast.testing import FakeLink, RecordingHost, event_of, interest_in

T0, T1, T2 = "T0", "T0.T1", "T0.T1.T2"
E3, E4, E5 = event_of(9, 3, T1), event_of(9, 4, T2), event_of(9, 5, T2)


class Illustration:
    """The three processes, with heartbeats at 0.1, 0.2 and 0.3 s of every second."""

    def __init__(self) -> None:
        self.p1, self.p2, self.p3 = (RecordingHost(node, random) for node, random in ((1, 0.1), (2, 0.2), (3, 0.3)))
        self.link = FakeLink([self.p1, self.p2, self.p3])
        for host, topic, received in ((self.p1, T1, [E3]), (self.p2, T2, [E4, E5]), (self.p3, T0, [])):
            frugal = host.install(Frugal)
            frugal.subscribe(interest_in(topic))
            give(frugal, *received)

    def part_1(self) -> None:
        self.link.join(1, 2)
        self.link.advance_to(2.0)

    def part_2(self) -> None:
        self.link.join(1, 2, 3)
        self.link.advance_to(4.0)

    def part_3(self) -> None:
        self.link.part(1)
        self.link.advance_to(20.0)


def test_part_1_p2_sends_p1_the_two_events_of_the_topic_below_its_own() -> None:
    story = Illustration()
    story.part_1()
    # p1's heartbeat makes p2 announce; p2's makes p1 announce: of e3, which p2 does not ask for, nothing is said.
    assert announcements(story.p2) == [(0.1, identifiers(E4, E5))]
    assert announcements(story.p1) == [(0.2, identifiers())]
    assert sent_events(story.p2) == [(0.2 + 1.0 / (2.0 * 2), events([E4, E5], informed=(1,)))]
    assert sent_events(story.p1) == []
    assert story.p1.delivered() == [E3, E4, E5]
    assert story.p2.delivered() == [E4, E5]


def test_part_2_p1_has_more_to_send_so_it_sends_first_and_p2_then_has_nothing_to_send() -> None:
    story = Illustration()
    story.part_1()
    already = len(story.p2.broadcasts)
    story.link.join(1, 2, 3)
    story.link.advance_to(2.3)  # p3 has heard both and now beats, too: the last identifiers are exchanged
    assert announcements(story.p3) == [(2.1, identifiers()), (2.2, identifiers())]
    assert announcements(story.p1)[1:] == [(2.3, identifiers(E3, E4, E5))]
    assert announcements(story.p2)[1:] == [(2.3, identifiers(E4, E5))]
    p1_backoff_s, p2_backoff_s = story.p1.wakes[BACKOFF] - 2.3, story.p2.wakes[BACKOFF] - 2.3
    assert p1_backoff_s < p2_backoff_s
    assert story.p1.wakes[BACKOFF] == 2.3 + 1.0 / (2.0 * 3)
    assert story.p2.wakes[BACKOFF] == 2.3 + 1.0 / (2.0 * 2)
    story.link.advance_to(4.0)
    assert sent_events(story.p1) == [(2.3 + 1.0 / (2.0 * 3), events([E3, E4, E5], informed=(2, 3)))]
    assert [sent for sent in story.p2.broadcasts[already:] if sent.message.events] == []
    assert story.p3.delivered() == [E3, E4, E5]
    # p2 overheard: e3 is a parasite to it, and the others it had.
    assert story.p2.drop_reasons() == ["parasite", "duplicate", "duplicate"]
    assert story.p2.delivered() == [E4, E5]


def test_part_3_p1_moves_on_and_p2_and_p3_know_that_they_have_nothing_to_exchange() -> None:
    story = Illustration()
    story.part_1()
    story.part_2()
    before = [len(sent_events(host)) for host in (story.p1, story.p2, story.p3)]
    story.part_3()
    assert [len(sent_events(host)) for host in (story.p1, story.p2, story.p3)] == before == [1, 1, 0]
    assert [host.delivered() for host in (story.p1, story.p2, story.p3)] == [[E3, E4, E5], [E4, E5], [E3, E4, E5]]
