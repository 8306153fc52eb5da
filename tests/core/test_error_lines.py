"""Errors that a person can cause: one line, with the place, the value and what was expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.errors import InvalidValueError, UnknownNameError, UserError


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-5, "-5"),
        (2.5, "2.5"),
        ("far", '"far"'),
        (True, "true"),
        ([10, 5], "[10, 5]"),
        (("a", False), '["a", false]'),
        ("two\nlines", '"two lines"'),
        ("x" * 200, '"' + "x" * 76 + "..."),
    ],
)
def test_a_wrong_value_is_shown_as_it_stands_in_a_file_and_on_one_line(value: object, shown: str) -> None:
    error = InvalidValueError("city.toml [radio] range_m", value, "must be greater than 0")
    assert str(error) == f"city.toml [radio] range_m = {shown}: must be greater than 0"
    assert (error.where, error.value, error.expected) == ("city.toml [radio] range_m", value, "must be greater than 0")


@given(st.recursive(st.one_of(st.text(), st.integers(), st.booleans(), st.floats()), st.lists, max_leaves=50))
def test_whatever_the_value_the_line_is_one_line_of_bounded_length(value: object) -> None:
    text = str(InvalidValueError("here", value, "expected"))
    assert len(text.splitlines()) == 1
    assert len(text) <= len("here = : expected") + 80


def test_an_unknown_name_comes_with_the_known_ones_in_order() -> None:
    assert str(UnknownNameError("protocol", "mine", ["gossip", "flooding"])) == (
        "unknown protocol 'mine'; known: flooding, gossip"
    )
    assert str(UnknownNameError("figure", "8", ["10", "9", "all"])) == "unknown figure '8'; known: 9, 10, all"
    assert str(UnknownNameError("metric", "mine", [])) == "unknown metric 'mine'; there are none"


def test_an_unknown_name_comes_with_the_closest_known_one() -> None:
    assert str(UnknownNameError("protocol", "gosip", ["gossip"], "city.toml [protocol] name")) == (
        "city.toml [protocol] name: unknown protocol 'gosip'; did you mean 'gossip'? known: gossip"
    )


def test_nothing_is_suggested_where_no_known_name_is_similar() -> None:
    assert str(UnknownNameError("protocol", "olsr", ["gossip", "flooding"])).endswith("known: flooding, gossip")


def test_all_of_them_are_what_the_command_line_catches() -> None:
    assert issubclass(InvalidValueError, UserError)
    assert issubclass(UnknownNameError, UserError)
