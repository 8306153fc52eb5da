"""AODV's promise: whatever breaks, is lost, comes twice or overtakes, following next hops never leads in a circle."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from router_network import Letter, RouterNetwork

from roamcast.routing.aodv.messages import RouteReply
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.protocol import Aodv
from roamcast.routing.aodv.route_table import Route
from roamcast.routing.aodv.sequence_numbers import SEQUENCE_COUNT, is_newer

LETTER = Letter(10)
LOOP = """
from test_aodv_loops import broken_chain
from roamcast.routing.aodv import replies as _aodv_replies
from roamcast.routing.aodv import route_table as _aodv_routes

_aodv_routes.next_number = lambda number: number
_aodv_replies.RouteReplies.can_answer = lambda self, route, *_: route.is_active and route.is_confirmed
broken_chain().network.run(40.0)
"""
"""A network of nodes that break two of the rules."""


class Watched:
    """A network that is looked at after everything that happens in it."""

    def __init__(self, count: int, parameters: AodvParameters | None = None, seed: int = 0) -> None:
        self.network = RouterNetwork(Aodv, range(count), parameters, seed=seed)
        self.network.after_each = self.check
        self._numbers: dict[tuple[int, int], int] = {}

    def route(self, node: int, destination: int) -> Route | None:
        return self.network.routers[node].routes.known(destination, self.network.now)

    def check(self) -> None:
        for destination in self.network.routers:
            for node in self.network.routers:
                if node != destination:
                    self._check_route(node, destination)
                    self._check_number(node, destination)

    def _check_route(self, node: int, destination: int) -> None:
        """Along a route, the number is at least as new at the next hop, and with the same number it is nearer."""
        here = self.route(node, destination)
        if here is None or not here.is_active or here.next_hop == destination:
            return
        there = self.route(here.next_hop, destination)
        if there is None or not there.is_active:
            return
        assert here.sequence is not None
        assert there.sequence is not None
        is_better = is_newer(there.sequence, here.sequence) or (
            there.sequence == here.sequence and there.hops < here.hops
        )
        assert is_better, f"{node} -> {here.next_hop} -> {there.next_hop} for {destination}"
        path, at = [node], here.next_hop
        while at != destination and (step := self.route(at, destination)) is not None and step.is_active:
            assert at not in path, f"a circle for {destination}: {path}"
            path.append(at)
            at = step.next_hop

    def _check_number(self, node: int, destination: int) -> None:
        route = self.route(node, destination)
        if route is None or route.sequence is None:
            self._numbers.pop((node, destination), None)
            return
        before = self._numbers.get((node, destination), route.sequence)
        assert not is_newer(before, route.sequence), f"{node} went back from {before} to {route.sequence}"
        self._numbers[node, destination] = route.sequence


@st.composite
def stories(draw: st.DrawFn, count: int) -> list[tuple[str, int, int, float]]:
    nodes = st.integers(0, count - 1)
    deeds = st.sampled_from(("send", "send", "send", "part", "join"))
    pauses_s = st.sampled_from((0.0, 0.05, 0.3, 1.0, 2.9, 3.1, 8.0, 16.0))
    return draw(st.lists(st.tuples(deeds, nodes, nodes, pauses_s), min_size=5, max_size=40))


@settings(max_examples=250)
@given(data=st.data(), count=st.integers(3, 7), seed=st.integers(0, 999))
def test_routes_never_form_a_loop_and_numbers_never_go_back(data: st.DataObject, count: int, seed: int) -> None:
    only_destination, repairs = data.draw(st.tuples(st.booleans(), st.booleans()))
    watched = Watched(count, AodvParameters(destination_only=only_destination, local_repair=repairs), seed)
    network = watched.network
    network.delay_s_max = data.draw(st.sampled_from((0.001, 0.05, 0.5)))
    network.loss = data.draw(st.sampled_from((0.0, 0.1, 0.4)))
    network.lost_answers = data.draw(st.sampled_from((0.0, 0.2)))
    pairs = list(combinations(range(count), 2))
    for one, other in data.draw(st.sets(st.sampled_from(pairs), min_size=count - 1)):
        network.join(one, other)
    for deed, one, other, pause_s in data.draw(stories(count)):
        if deed == "send":
            network.routers[one].send(LETTER, other)
        elif deed == "part":
            network.part(one, other)
        elif one != other:
            network.join(one, other)
        watched.check()
        network.run(network.now + pause_s)
    network.run(network.now + 40.0)


def broken_chain() -> Watched:
    """Return 0 - 1 - 2, joined, with a route from 0 to 2 in use, that then breaks between 1 and 2 unheard by 0."""
    watched = Watched(3, AodvParameters(destination_only=False))
    network = watched.network
    network.join(0, 1)
    network.join(1, 2)
    network.routers[0].send(LETTER, 2)
    network.run(1.0)
    network.part(1, 2)
    network.part(0, 1)  # so that 0 does not hear the error
    network.routers[1].send(LETTER, 2)
    network.run(1.1)
    network.join(0, 1)
    return watched


def test_who_has_lost_a_route_gets_no_answer_from_those_whose_route_leads_through_it() -> None:
    watched = broken_chain()
    mine, theirs = watched.route(1, 2), watched.route(0, 2)
    assert mine is not None
    assert theirs is not None
    assert (mine.is_active, theirs.is_active, theirs.next_hop) == (False, True, 1)
    watched.network.run(2.5)
    assert [message for message, _ in watched.network.hosts[0].sent if isinstance(message, RouteReply)] == []
    watched.network.run(40.0)
    assert watched.network.users[1].given_up[0].reason == "no-route-found"


def test_the_watch_sees_the_loop_that_numbers_which_are_not_counted_up_make() -> None:
    in_python = {**os.environ, "ROAMCAST_PURE": "1"}  # what is compiled calls what it was compiled with
    seen = subprocess.run(
        [sys.executable, "-c", LOOP],
        check=False,
        cwd=Path(__file__).parent,
        env=in_python,
        capture_output=True,
        text=True,
    )
    assert seen.stderr.splitlines()[-1] == "AssertionError: 0 -> 1 -> 0 for 2"


@pytest.mark.parametrize(
    ("one", "other", "newer"),
    [
        (1, 0, True),
        (0, 1, False),
        (5, 5, False),
        (0, SEQUENCE_COUNT - 1, True),
        (SEQUENCE_COUNT - 1, 0, False),
        (2**31 - 1, 0, True),
        (2**31 + 1, 0, False),
        (10, SEQUENCE_COUNT - 10, True),
    ],
)
def test_sequence_numbers_are_compared_round_the_circle(one: int, other: int, newer: bool) -> None:
    assert is_newer(one, other) is newer


@given(st.integers(0, SEQUENCE_COUNT - 1), st.integers(1, 2**31 - 1))
def test_a_number_ahead_by_less_than_half_the_circle_is_newer_and_never_both(number: int, ahead: int) -> None:
    later = (number + ahead) % SEQUENCE_COUNT
    assert is_newer(later, number)
    assert not is_newer(number, later)
