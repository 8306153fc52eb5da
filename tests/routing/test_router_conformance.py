"""Tests that every router must pass, found by its file: composition, hostile peers, floods, tight tables."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from gc import get_referents
from itertools import count
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from router_network import GraphHost, Letter, RouterNetwork

import roamcast.routing
from roamcast.core.errors import UnknownNameError
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.routing import GeographicRouter, Router, RoutingMessage, RoutingToken, load_router, router_names

ROUTERS = pytest.mark.parametrize("router", [pytest.param(load_router(name), id=name) for name in router_names()])
ME, NODES = 2, tuple(range(6))


@cache
def message_kinds() -> tuple[type[Message], ...]:
    """Return every type of message that a router defines."""
    found = [each.name for each in pkgutil.walk_packages(roamcast.routing.__path__, "roamcast.routing.")]
    names = [name for name in found if not name.endswith(".__main__")]  # which would compile
    members = [vars(importlib.import_module(name)).values() for name in names]
    kinds = {each for found in members for each in found if isinstance(each, type) and issubclass(each, RoutingMessage)}
    return tuple(sorted(kinds, key=lambda kind: kind.__name__))


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Draw a value of a type: plausible ones, so that they meet, and absurd ones."""
    if hint in LEAVES:
        return LEAVES[hint]
    arguments = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([anything(each) for each in arguments])
    if get_origin(hint) is tuple and arguments[-1] is not Ellipsis:
        return st.tuples(*map(anything, arguments))
    if get_origin(hint) is tuple:
        few = st.lists(anything(arguments[0]), max_size=4)
        return st.one_of(few, few.map(lambda some: some * 100)).map(tuple)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        kind: Any = hint
        return st.builds(kind, **{each.name: anything(hints[each.name]) for each in fields(kind) if each.init})
    return st.from_type(hint)


nodes = st.one_of(st.sampled_from(NODES), st.sampled_from(NODES), st.integers())
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.one_of(st.sampled_from(NODES), st.sampled_from((30, 255, 2**32 - 1)), st.integers()),
    float: st.one_of(st.sampled_from((0.0, 100.0, 250.0, 3.0)), st.floats()),
    NoneType: st.none(),
    Message: st.builds(Letter, st.one_of(st.just(100), st.integers())),
    Position: st.builds(Position, *[st.one_of(st.sampled_from((0.0, 100.0, 200.0, -70.0)), st.floats())] * 2),
}


class Trial:
    """One router under attack."""

    def __init__(self, router: type[Router], parameters: object) -> None:
        self.network = RouterNetwork(router, [ME], parameters, {ME: Position(0.0, 0.0)})
        self.router, self.host = self.network.routers[ME], self.network.hosts[ME]
        self.network.start()

    def receive(self, message: Message, sender: int) -> None:
        self.router.on_message(message, sender)

    def fail(self, place: int) -> None:
        """Let one of the router's own unicasts fail, or one that it never sent."""
        unicasts = [(message, to) for message, to in self.host.sent if to is not None]
        self.router.on_unicast_failed(*(unicasts[place % len(unicasts)] if unicasts else (Letter(1), place)))

    def send(self, to: int, at: Position | None) -> None:
        self.router.send(Letter(100), to, at)

    def send_to_place(self, place: Position) -> None:
        if isinstance(self.router, GeographicRouter):
            self.router.send_to_place(Letter(100), place)

    def wake(self, what: str, about: Any) -> None:
        self.router.on_wake(RoutingToken(what, about))

    def advance(self, seconds: float) -> None:
        self.network.run(self.network.now + seconds)


messages = st.one_of([anything(kind) for kind in message_kinds()] + [st.builds(Letter, st.integers())])
steps = st.one_of(
    st.tuples(st.just("receive"), messages, nodes),
    st.tuples(st.just("receive"), messages, nodes),
    st.tuples(st.just("fail"), st.integers(0, 50)),
    st.tuples(st.just("send"), nodes, st.one_of(st.none(), LEAVES[Position])),
    st.tuples(st.just("send_to_place"), LEAVES[Position]),
    st.tuples(st.just("wake"), st.sampled_from(("aodv-discovery", "aodv-relay", "gpsr-beacon", "x")), nodes),
    st.tuples(st.just("advance"), st.sampled_from((0.0, 0.05, 1.0, 10.0))),
)


def tight(router: type[Router], limit: int) -> Any:
    """Return a router's parameters with every table as small as a few entries."""
    tables = [each.name for each in fields(router.Parameters) if each.name.endswith("_max") and each.name != "hops_max"]
    return replace(router.Parameters(), **dict.fromkeys(tables, limit))


@ROUTERS
@pytest.mark.parametrize("limit", [None, 2])
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(story=st.lists(steps, min_size=10, max_size=40))
def test_it_survives_anything_that_peers_send(
    router: type[Router], limit: int | None, story: list[tuple[Any, ...]]
) -> None:
    trial = Trial(router, router.Parameters() if limit is None else tight(router, limit))
    for name, *arguments in story:
        getattr(trial, name)(*arguments)
        assert trial.router.storage_bytes() >= 0
    for message, _ in trial.host.sent:
        assert isinstance(message, RoutingMessage)
        assert message.size_bytes > 0
        hash(message)


def fresh(hint: Any, numbers: Any) -> Any:
    """Return a sound value of a type that was never returned before, as far as the type allows."""
    arguments = get_args(hint)
    if hint is Message:
        return Letter(100, str(next(numbers)))
    if hint in (int, float, bool):
        return hint(next(numbers))
    if hint is Position:
        return Position(float(next(numbers) % 500), float(next(numbers) % 500))
    if get_origin(hint) in (Union, UnionType):
        return fresh(next(each for each in arguments if each is not NoneType), numbers)
    if get_origin(hint) is tuple:
        return tuple(fresh(each, numbers) for each in (arguments[:1] * 3 if arguments[-1] is Ellipsis else arguments))
    hints = get_type_hints(hint)
    values = {each.name: fresh(hints[each.name], numbers) for each in fields(hint) if each.init}
    return hint(**{name: 3 if name in ("hops", "hops_left") else value for name, value in values.items()})


def contents(value: object, seen: set[int]) -> int:
    """Count everything that can be reached from a value, of Python or compiled, the host left out."""
    leaves = (GraphHost, int, float, str, bytes, type(None), type)
    if id(value) in seen or isinstance(value, leaves) or callable(value):
        return 0
    seen.add(id(value))
    if isinstance(value, Mapping):
        return len(value) + sum(contents(each, seen) for each in (*value.keys(), *value.values()))
    if isinstance(value, Iterable):
        return sum(1 + contents(each, seen) for each in value)
    if is_dataclass(value):
        return sum(contents(getattr(value, each.name), seen) for each in fields(value))
    return sum(contents(each, seen) for each in get_referents(value))


@ROUTERS
def test_it_keeps_within_its_memory_limits_under_a_flood(router: type[Router]) -> None:
    trial = Trial(router, tight(router, 5))
    numbers, held, stored_bytes = count(1000), [], []
    for step in range(200):
        for kind in message_kinds():
            trial.receive(fresh(kind, numbers), next(numbers))
            trial.receive(fresh(kind, numbers), 7)
        trial.send(next(numbers), Position(100.0, 100.0))
        trial.advance(0.01 * (step % 2))
        trial.host.sent.clear()
        trial.host.drops.clear()
        held.append(contents(trial.router, {id(trial.network.users[ME])}))
        stored_bytes.append(trial.router.storage_bytes())
    assert max(held) > 5
    assert max(held[100:]) <= 1.1 * max(held[:100]) + 5
    assert max(stored_bytes[100:]) <= 1.1 * max(stored_bytes[:100])


@ROUTERS
def test_what_is_not_its_own_is_counted_and_not_acted_upon(router: type[Router]) -> None:
    trial = Trial(router, router.Parameters())
    trial.receive(Letter(10), 3)
    trial.fail(3)
    assert [reason for _, reason in trial.host.drops] == ["unknown-kind"]
    assert trial.host.sent == []


@ROUTERS
def test_its_tokens_and_messages_can_be_told_from_the_users(router: type[Router]) -> None:
    network = RouterNetwork(router, NODES, places={node: Position(100.0 * node, 0.0) for node in NODES})
    for node in NODES[1:]:
        network.join(node - 1, node)
    network.start()
    network.run(5.0)
    network.routers[0].send(Letter(100), 5, Position(500.0, 0.0))
    network.run(8.0)
    assert len(network.users[5].arrived) == 1
    for host in network.hosts.values():
        assert all(isinstance(message, RoutingMessage) for message, _ in host.sent)
        assert all(isinstance(token, RoutingToken) for token in host.wakes)


@ROUTERS
def test_each_parameter_has_a_default_and_a_docstring_and_each_kind_a_name_of_its_own(router: type[Router]) -> None:
    assert router.Parameters() == router.Parameters()
    assert router.summary
    kinds = [kind.kind for kind in message_kinds() if kind is not RoutingMessage]
    assert len(set(kinds)) == len(kinds)


def test_routers_are_found_by_their_files() -> None:
    assert {"aodv", "gpsr"} <= set(router_names())
    with pytest.raises(
        UnknownNameError, match=r"unknown routing protocol 'oadv'; did you mean 'aodv'\? known: aodv, gpsr"
    ):
        load_router("oadv")
