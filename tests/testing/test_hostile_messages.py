"""The messages that the suite is made of: any type with any contents, the same for a seed, and floods of new ones."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import count, islice
from math import isfinite
from random import Random
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NewType

import pytest
from broken_protocols import Carried, Sound

from roamcast.core.events import Event, EventId
from roamcast.core.messages import Message
from roamcast.protocols import load_protocol
from roamcast.protocols.frugal.messages import Heartbeat
from roamcast.testing import HostileMessages, flood
from roamcast.testing.conformance.hostile_checks import held_objects
from roamcast.testing.field_types import UnknownFieldTypeError
from roamcast.testing.message_flood import fresh
from roamcast.testing.message_types import message_kinds, own_message_kinds
from roamcast.testing.tight_parameters import tight_parameters

Number = NewType("Number", int)


class Colour(Enum):
    """Some words."""

    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    """Two things."""

    left: int
    right: str


@dataclass(frozen=True, slots=True)
class Everything(Message):
    """A message with a field of each type that can be made."""

    kind: ClassVar[str] = "everything"
    number: Annotated[Number, "marked"]
    word: Literal["a", "b"]
    colour: Colour
    pair: Pair
    maybe: float | None
    raw: bytes
    flag: bool
    several: tuple[EventId, ...]
    fixed: tuple[int, str]
    distinct: frozenset[int]
    packed: Message
    event: Event


@dataclass(frozen=True, slots=True)
class Picky(Message):
    """A message that refuses every number."""

    kind: ClassVar[str] = "picky"

    def __post_init__(self) -> None:
        raise ValueError("no")


def drawn(seed: int, kinds: tuple[type[Message], ...] = ()) -> Iterator[Message]:
    supply = HostileMessages(Random(seed), kinds)
    return (supply.message() for _ in count())


def test_the_same_seed_gives_the_same_messages_and_another_seed_others() -> None:
    # Pickled, since what a message shares with itself many times over is written once; as text it can be gigabytes.
    first, again, other = ([pickle.dumps(each) for each in islice(drawn(seed), 300)] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_type_comes_up_and_every_field_has_sound_and_absurd_values() -> None:
    messages = list(islice(drawn(3, (Everything,)), 500))
    assert {type(each) for each in messages} == {Everything}
    values: dict[str, list[Any]] = {name: [getattr(each, name) for each in messages] for name in Everything.__slots__}
    assert {*values["word"]} == {"a", "b"}
    assert {*values["colour"]} == {*Colour}
    assert {*values["flag"]} == {False, True}
    assert None in values["maybe"]
    assert any(value is not None and not isfinite(value) for value in values["maybe"])
    assert min(values["number"]) < 0 < 2**63 < max(values["number"])
    assert max(len(value) for value in values["several"]) >= 300 > min(len(value) for value in values["several"])
    assert any(event.size_bytes <= 0 for event in values["event"])
    assert any(event.size_bytes == 400 for event in values["event"])
    assert len({event.id for event in values["event"]}) < len({repr(event) for event in values["event"]})


def test_events_come_again_so_that_a_second_delivery_can_show() -> None:
    events = [message.event for message in islice(drawn(4, (Everything,)), 40) if isinstance(message, Everything)]
    assert len(set(map(repr, events))) < len(events)


def test_a_type_that_refuses_all_contents_is_sent_as_a_bare_message() -> None:
    assert type(next(drawn(5, (Picky,)))) is Message


def test_every_type_of_our_protocols_is_drawn() -> None:
    assert {type(each) for each in islice(drawn(6), 2000)} == set(message_kinds())


def test_in_a_flood_nothing_comes_twice() -> None:
    numbers = count()
    made = [message for _ in range(20) for message in flood(numbers, (Everything, Carried))]
    assert len(set(made)) == len(made)
    assert {each.size_bytes for each in made} == {400}


def test_a_type_that_cannot_be_made_is_named_with_those_that_can() -> None:
    with pytest.raises(UnknownFieldTypeError, match="cannot make a Random; messages consist of numbers, texts"):
        fresh(Random, count())
    with pytest.raises(UnknownFieldTypeError, match="cannot make a Random"):
        HostileMessages(Random(1)).value(Random)


def test_a_protocols_own_messages_are_those_of_its_module_folder_and_bases() -> None:
    assert own_message_kinds(Sound) == (Carried,)
    assert Heartbeat in own_message_kinds(load_protocol("frugal"))
    assert {kind.__module__.split(".")[2] for kind in own_message_kinds(load_protocol("frugal"))} == {"frugal"}
    assert len(own_message_kinds(load_protocol("broker-aodv"))) > 2  # from the folder of its base class


def test_the_count_of_what_is_held_sees_a_table_that_grows() -> None:
    class Leaky:
        def __init__(self) -> None:
            self.table: dict[int, list[EventId]] = {1: []}
            self.numbers = count()  # has no end, and must not be counted to it

    leaky = Leaky()
    before = held_objects(leaky)
    leaky.table[1].append(EventId(1, 1))
    assert held_objects(leaky) > before


def test_tight_limits_are_on_tables_and_not_on_sizes_or_times() -> None:
    parameters = tight_parameters(load_protocol("frugal"))
    assert (parameters.events_max, parameters.neighbours_max, parameters.identifiers_max) == (5, 5, 5)
    assert (parameters.message_bytes_max, parameters.heartbeat_s_max) == (2304, 1.0)
