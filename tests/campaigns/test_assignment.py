"""Values from the command line."""

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roamcast.campaigns.assignment import assign, parse_assignments, parse_value, spread
from roamcast.core.errors import UserError


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


@pytest.mark.parametrize("own", [{}, {"router": {"beacon_s": 2}}])
def test_a_key_of_a_table_in_a_components_own_table_is_set_beside_what_counts_there(own: dict[str, Any]) -> None:
    before = {"protocol": {"name": "frugal", "router": {"hops_max": 16}, "broker-gpsr": own}}
    changed = assign(before, {"protocol.broker-gpsr.router.header_bytes": 30}, "--set")
    kept = own.get("router", {"hops_max": 16})
    assert changed["protocol"]["broker-gpsr"] == {"router": {**kept, "header_bytes": 30}}


def test_values_for_several_protocols_are_set_for_those_that_know_the_key() -> None:
    protocols = ["broker-aodv", "rendezvous-gpsr", "frugal"]
    given = {"protocol.advertisement_s": 2, "protocol.router.hops_max": 64, "protocol.frugal.x": 1, "duration_s": 5}
    assert spread(given, protocols, "--set") == {
        "protocol.rendezvous-gpsr.advertisement_s": 2,
        "protocol.rendezvous-gpsr.router.hops_max": 64,
        "protocol.frugal.x": 1,
        "duration_s": 5,
    }
    expected = r"--set protocol\.router\.hops_max = 64: none of broker-aodv, frugal knows this key"
    with pytest.raises(UserError, match=expected):
        spread({"protocol.router.hops_max": 64}, ["broker-aodv", "frugal"], "--set")
    with pytest.raises(UserError, match=r"unknown protocol 'broker-oadv'; did you mean 'broker-aodv'\? known: "):
        spread({"protocol.period_s": 1}, ["broker-oadv"], "--set")
