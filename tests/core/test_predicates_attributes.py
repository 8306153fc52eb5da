"""Attributes of events: typed, checked when they are made, and unchanged ever after."""

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes, AttributeType, type_of
from roamcast.core.errors import InvalidValueError
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import parse
from roamcast.core.topics import Topic

SAID = {"speed_mps": 4.5, "lanes": 2, "zone": "north", "jam": True}


def event(number: int = 1, attributes: Attributes = NO_ATTRIBUTES) -> Event:
    return Event(EventId(3, number), Topic("traffic"), 0.0, 5.0, 400, attributes)


def test_attributes_are_what_was_given_each_of_its_type() -> None:
    attributes = Attributes(SAID)
    assert attributes == SAID
    types = [AttributeType.NUMBER, AttributeType.NUMBER, AttributeType.TEXT, AttributeType.BOOLEAN]
    assert [type_of(value) for value in attributes.values()] == types


def test_a_number_of_another_library_becomes_a_plain_one_that_matches() -> None:
    attributes = Attributes({"x": np.float64(1.5)})
    assert type(attributes["x"]) is float
    assert parse("x = 1.5").matches(event(attributes=attributes))


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"x": math.nan}, "attributes x = nan: must be a finite number"),
        ({"x": -math.inf}, "attributes x = -inf: must be a finite number"),
        ({"x": 10**400}, "attributes x = inf: must be a finite number"),
        ({"x": None}, "attributes x = None: must be a number, a text, or true or false"),
        ({"x": [1]}, "attributes x = [1]: must be a number, a text, or true or false"),
        ({"x": "a\ud800"}, 'attributes x = "a\\ud800": must be at most 4096 characters of Unicode'),
        ({"x": "y" * 4097}, f'attributes x = "{"y" * 40}": must be at most 4096 characters of Unicode'),
        ({"topic": "a"}, 'attributes name = "topic": an attribute\'s name is at most 64 letters, digits and'),
        ({"between": 1}, 'attributes name = "between": an attribute\'s name'),
        ({"a b": 1}, 'attributes name = "a b": an attribute\'s name'),
        ({"": 1}, 'attributes name = "": an attribute\'s name'),
        ({"n" * 65: 1}, f'attributes name = "{"n" * 65}": an attribute\'s name'),
        ({3: 1}, "attributes name = 3: an attribute's name"),
        ({f"x{number}": 1 for number in range(65)}, 'attributes = "65 attributes": must be at most 64'),
    ],
)
def test_what_no_predicate_could_ask_for_is_refused(values: Any, complaint: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        Attributes(values)
    assert str(caught.value).startswith(complaint)


def test_attributes_never_change() -> None:
    attributes = Attributes(SAID)
    changes: list[Callable[[], object]] = [
        lambda: attributes.__setitem__("lanes", 3),
        lambda: attributes.__delitem__("lanes"),
        lambda: attributes.update({"lanes": 3}),
        lambda: attributes.__ior__({"lanes": 3}),
        lambda: attributes.setdefault("lane", 3),
        lambda: attributes.pop("lanes"),
        lambda: attributes.popitem(),
        lambda: attributes.clear(),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="never change"):
            change()
    assert attributes == SAID


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1.0, True)])
def test_values_of_different_types_make_attributes_and_events_different(one: Any, other: Any) -> None:
    for first, second in ((one, other), (other, one)):
        assert Attributes({"x": first}) != Attributes({"x": second})
        assert not Attributes({"x": first}) == Attributes({"x": second})  # noqa: SIM201 - the other operator
        assert Attributes({"x": first}) != {"x": second}
        assert {"x": first} != Attributes({"x": second})
        assert event(attributes=Attributes({"x": first})) != event(attributes=Attributes({"x": second}))
    assert len({Attributes({"x": one}), Attributes({"x": other})}) == 2


def test_a_whole_number_is_the_same_number_with_a_decimal_point() -> None:
    assert Attributes({"x": 1}) == Attributes({"x": 1.0})
    assert hash(Attributes({"x": 1})) == hash(Attributes({"x": 1.0}))
    assert not Attributes({"x": 1}) != {"x": 1.0}  # noqa: SIM202 - the other operator
    assert Attributes({"x": 1}) != "x"
    assert Attributes({"x": 1}) != Attributes({"y": 1})


def test_what_is_made_of_attributes_is_checked_and_never_changes_either() -> None:
    attributes = Attributes(SAID)
    for made in (attributes | {"lanes": 3}, {"lanes": 3} | attributes, attributes.copy(), attributes | attributes):
        assert type(made) is Attributes
    assert (attributes | {"lanes": 3})["lanes"] == 3
    assert ({"lanes": 3} | attributes)["lanes"] == 2
    with pytest.raises(InvalidValueError, match="must be a finite number"):
        attributes | {"lanes": math.nan}
    with pytest.raises(TypeError):
        attributes | [("lanes", 3)]


def test_attributes_can_be_hashed_copied_and_sent_to_another_process() -> None:
    attributes = Attributes(SAID)
    for again in (pickle.loads(pickle.dumps(attributes)), copy.copy(attributes), copy.deepcopy(attributes)):
        assert type(again) is Attributes
        assert again == attributes
        assert hash(again) == hash(attributes)


def test_an_event_has_no_attributes_unless_it_is_given_some_and_is_hashed_by_its_identifier() -> None:
    plain, telling = event(), event(attributes=Attributes(SAID))
    assert plain.attributes is NO_ATTRIBUTES
    assert plain != telling
    assert hash(plain) == hash(telling)
    assert len({plain, telling, event(2)}) == 3
    assert telling.size_bytes == 400
    assert pickle.loads(pickle.dumps(telling)) == telling
