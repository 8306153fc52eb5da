"""Values from the command line."""

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.experiments.assignment import parse_assignments, parse_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("200", 200),
        ("2_000_000", 2_000_000),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ('"a b"', "a b"),
        ("[1, 5]", [1, 5]),
        ("{ node = 1 }", {"node": 1}),
        ("flooding", "flooding"),
        ("news.local", "news.local"),
        ("", ""),
        ("[1, 5", "[1, 5"),
        ("1\nseed = 5", "1\nseed = 5"),
        ("[" * 100_000, "[" * 100_000),
        ("0x" + "f" * 100, "0x" + "f" * 100),
    ],
)
def test_a_value_is_toml_or_the_text_itself(text: str, expected: Any) -> None:
    assert repr(parse_value(text)) == repr(expected)


def test_assignments_are_read_in_order_and_the_last_one_counts() -> None:
    texts = ["radio.range_m=200", " protocol.name = frugal", 'name="a=b"', "radio.range_m=300"]
    assert parse_assignments(texts) == {"radio.range_m": 300, "protocol.name": "frugal", "name": "a=b"}


@pytest.mark.parametrize("text", ["radio.range_m", "", "=5", " =5"])
def test_what_is_no_assignment_gets_a_line(text: str) -> None:
    with pytest.raises(UserError, match=r"^--set .*: must be key=value, as in radio.range_m=200$"):
        parse_assignments([text])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_every_text_is_read_as_toml_or_as_the_text_that_it_is(text: str) -> None:
    value = parse_value(text)
    assert value == text or tomllib.loads(f"value = {text}")["value"] is not None
