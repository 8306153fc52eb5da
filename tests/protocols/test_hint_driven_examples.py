"""The hint-driven paper's own worked examples: figures 2 and 4 with the text beside them."""

import pytest
from hint_peers import NEWS, beacon, hinted, sent_events

from roamcast.core.events import Event
from roamcast.protocols.hint_driven.protocol import HintDriven
from roamcast.testing import FakeLink, RecordingHost, event_of

START_S = 100.0
"""When the event is published; what was heard before is told by ``Story``."""


class Story:
    """Nodes by letters or numbers, what they have heard of whom, and who hears whom now."""

    def __init__(self, names: str, missed: dict[str, dict[str, int]], links: list[str]) -> None:
        self.number = {name: at for at, name in enumerate(names)}
        self.hosts = {name: RecordingHost(at, random=0.5, now_s=0.0) for name, at in self.number.items()}
        self.protocols = {name: host.install(HintDriven) for name, host in self.hosts.items()}
        for name, others in missed.items():
            for other, count in sorted(others.items(), key=lambda each: -each[1]):
                self.hosts[name].advance_to(START_S - 5.0 * count - 2.0)
                self.protocols[name].on_message(beacon(NEWS), self.number[other])
        for host in self.hosts.values():
            host.advance_to(START_S)
        self.link = FakeLink(self.hosts.values())
        for pair in links:
            self.link.join(*(self.number[name] for name in pair))

    def publish(self, name: str) -> Event:
        event = event_of(self.number[name], published_at_s=START_S)
        self.protocols[name].publish(event)
        self.link.advance_to(START_S + 2.0)
        return event

    def listed(self, **hints: float) -> dict[int, float]:
        return {self.number[name.removeprefix("b")]: hint for name, hint in hints.items()}

    def sent(self, name: str) -> list[tuple[float, object]]:
        return [(round(at_s - START_S, 6), message) for at_s, message in sent_events(self.hosts[name])]


@pytest.fixture
def figure_2() -> Story:
    """b0 is heard by b1 and b2; b1 has just heard b4, b2 has missed five beacons of it, b3 hears b1."""
    story = Story("01234", {"1": {"4": 0}, "2": {"4": 5}, "3": {"4": 1}}, ["01", "02", "12", "13", "14"])
    story.protocols["4"].subscribe(NEWS)
    return story


def test_figure_2_the_nearer_broker_sends_first_and_the_farther_one_keeps_silent(figure_2: Story) -> None:
    event = figure_2.publish("0")
    assert figure_2.sent("0") == [(0.0, hinted(event))]  # its destination list is empty, and yet it sends
    assert figure_2.sent("1") == [(0.015, hinted(event, figure_2.listed(b4=0.0)))]
    assert figure_2.sent("2") == []
    assert figure_2.hosts["2"].drop_reasons() == ["suppressed"]
    assert figure_2.hosts["4"].delivered() == [event]


def test_figure_2_zero_is_the_lowest_hint_so_that_who_hears_it_has_nothing_to_add(figure_2: Story) -> None:
    figure_2.publish("0")
    assert figure_2.sent("3") == []
    assert figure_2.hosts["3"].drop_reasons() == ["not-nearer"]


def test_figure_2_without_the_nearer_broker_the_farther_one_sends_after_its_delay(figure_2: Story) -> None:
    figure_2.link.part(1)
    figure_2.link.join(2, 4)
    event = figure_2.publish("0")
    assert figure_2.sent("2") == [(round(0.5 / 3 + 0.015, 6), hinted(event, figure_2.listed(b4=0.5)))]
    assert figure_2.hosts["4"].delivered() == [event]


@pytest.fixture
def figure_4() -> Story:
    """S knows of C from long ago. D, whom S reaches, knows of A and, better, of C. E and F hear D; E is beside C and F
    has heard of B; G hears F and is beside A and B."""
    missed = {
        "S": {"C": 9},
        "D": {"C": 6, "A": 5},
        "E": {"C": 0},
        "F": {"B": 4},
        "G": {"A": 0, "B": 0},
    }
    story = Story("SABCDEFG", missed, ["SD", "DE", "DF", "EC", "FG", "GA", "GB"])
    for name in "ABC":
        story.protocols[name].subscribe(NEWS)
    return story


def test_figure_4_the_destination_list_grows_and_its_hints_fall_on_the_way(figure_4: Story) -> None:
    event = figure_4.publish("S")
    from_d = figure_4.listed(C=0.6, A=0.5)
    d_at_s = round(0.5 / 3 + 0.015, 6)  # the lower of its two hints decides
    assert figure_4.sent("S") == [(0.0, hinted(event, figure_4.listed(C=0.9)))]
    assert figure_4.sent("D") == [(d_at_s, hinted(event, from_d))]
    assert figure_4.sent("E") == [(round(d_at_s + 0.015, 6), hinted(event, {**from_d, **figure_4.listed(C=0.0)}))]
    f_at_s = round(d_at_s + 0.4 / 3 + 0.015, 6)
    from_f = {**from_d, **figure_4.listed(B=0.4)}
    assert figure_4.sent("F") == [(f_at_s, hinted(event, from_f))]
    from_g = {**from_f, **figure_4.listed(A=0.0, B=0.0)}
    assert figure_4.sent("G") == [(round(f_at_s + 0.015, 6), hinted(event, from_g))]


def test_figure_4_all_three_subscribers_are_reached_and_none_sends_the_event_on(figure_4: Story) -> None:
    event = figure_4.publish("S")
    assert {name: figure_4.hosts[name].delivered() for name in "ABC"} == {"A": [event], "B": [event], "C": [event]}
    assert [figure_4.sent(name) for name in "ABC"] == [[], [], []]
