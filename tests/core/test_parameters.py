"""Tables of a scenario become dataclasses, or one clear line."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    ParameterError,
    as_table,
    at_most,
    at_most_items,
    build,
    check,
    one_of,
    parameter_names,
    user_error,
)
from roamcast.core.topics import Topic

ROOT = Topic.root()


@dataclass(frozen=True, slots=True)
class Stop:
    """A table inside the table."""

    place: str
    wait_s: Annotated[float, AT_LEAST_ZERO] = 3

    def __post_init__(self) -> None:
        if self.place == "nowhere":
            raise ParameterError("place", "must be somewhere")


@dataclass(frozen=True, slots=True)
class Trip:
    """One field of every kind."""

    length_m: Annotated[float, GREATER_THAN_ZERO, at_most(1_000_000)]
    speed_mps: tuple[Annotated[float, AT_LEAST_ZERO], float] = (1, 2)
    cars: Annotated[int, AT_LEAST_ONE] = 1
    share: Annotated[float, FRACTION] = 0.5
    paved: bool = True
    kind: Annotated[str, one_of("road", "rail")] = "road"
    topic: Topic = ROOT
    limit_mps: Annotated[float, GREATER_THAN_ZERO] | None = None
    driver: Annotated[int, AT_LEAST_ZERO] | Annotated[str, one_of("anyone")] = "anyone"
    through: Annotated[tuple[Stop, ...], at_most_items(2)] = ()
    last: Stop | None = None
    counter: int = field(init=False, default=7)

    def __post_init__(self) -> None:
        if self.speed_mps[0] > self.speed_mps[1]:
            raise ParameterError("speed_mps", "must be [lowest, highest]")
        if self.paved and self.kind == "rail":
            raise ParameterError("paved", "must be false for rails")
        if self.limit_mps is None and self.cars > 10:
            raise ParameterError("limit_mps", "is needed for so many cars")


def line(table: dict[str, Any]) -> str:
    """Return what a person is told about a table."""
    with pytest.raises(UserError) as caught:
        build(Trip, {"length_m": 5, **table}, "a.toml [trip]")
    return str(caught.value)


def test_a_table_becomes_an_instance_with_its_defaults() -> None:
    trip = build(Trip, {"length_m": 5, "topic": "a.b", "through": [{"place": "x"}], "last": {"place": "y"}}, "p")
    assert trip == Trip(5.0, topic=Topic("a.b"), through=(Stop("x"),), last=Stop("y"))
    assert type(trip.length_m) is float


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"length_m": -5}, "length_m = -5: must be greater than 0"),
        ({"length_m": 1000001}, "length_m = 1000001: must be at most 1,000,000"),
        ({"length_m": "5"}, 'length_m = "5": must be a number'),
        ({"length_m": True}, "length_m = true: must be a number"),
        ({"length_m": float("nan")}, "length_m = nan: must be a finite number"),
        ({"length_m": float("inf")}, "length_m = inf: must be a finite number"),
        ({"length_m": None}, "length_m = None: must be a number"),
        ({"speed_mps": 5}, "speed_mps = 5: must be a list of 2, each a number"),
        ({"speed_mps": [1, 2, 3]}, "speed_mps = [1, 2, 3]: must be a list of 2, each a number"),
        ({"speed_mps": [1, "b"]}, 'speed_mps[1] = "b": must be a number'),
        ({"speed_mps": [-1, 2]}, "speed_mps[0] = -1: must be at least 0"),
        ({"speed_mps": [5, 1]}, "speed_mps = [5, 1]: must be [lowest, highest]"),
        ({"cars": 0}, "cars = 0: must be at least 1"),
        ({"cars": 1.5}, "cars = 1.5: must be a whole number"),
        ({"share": 1.01}, "share = 1.01: must be between 0 and 1"),
        ({"paved": 1}, "paved = 1: must be true or false"),
        ({"kind": "air"}, 'kind = "air": must be one of "road", "rail"'),
        ({"kind": "rail"}, "paved = true: must be false for rails"),
        ({"cars": 11}, "limit_mps: is needed for so many cars"),
        ({"topic": 5}, "topic = 5: must be a topic"),
        ({"limit_mps": 0}, "limit_mps = 0: must be greater than 0"),
        ({"limit_mps": "fast"}, 'limit_mps = "fast": must be a number'),
        ({"driver": -1}, "driver = -1: must be at least 0"),
        ({"driver": "me"}, 'driver = "me": must be one of "anyone"'),
        ({"driver": 1.5}, "driver = 1.5: must be a whole number or a text"),
        ({"through": 5}, "through = 5: must be a list, each a table"),
        ({"through": [5]}, "through[0] = 5: must be a table"),
        ({"through": [{"place": "a"}, {}]}, "through[1] place: missing; a text is needed"),
        ({"through": [{"place": "a", "x": 1}]}, "through[0] x = 1: unknown key; known keys: place, wait_s"),
        ({"through": [{"place": "a", "wait_s": -1}]}, "through[0] wait_s = -1: must be at least 0"),
        ({"through": [{"place": "nowhere"}]}, 'through[0] place = "nowhere": must be somewhere'),
        ({"last": 5}, "last = 5: must be a table"),
    ],
)
def test_a_mistake_gets_one_line_with_place_value_and_expectation(table: dict[str, Any], expected: str) -> None:
    assert line(table) == f"a.toml [trip] {expected}"


def test_a_list_that_is_too_long_is_refused() -> None:
    assert line({"through": [{"place": "a"}] * 3}).endswith("must have at most 2 items")


def test_a_number_that_no_float_holds_is_refused() -> None:
    assert line({"length_m": 10**400}).endswith(": must be a finite number")


def test_an_unknown_key_names_the_known_ones_and_those_that_others_read() -> None:
    with pytest.raises(UserError) as caught:
        build(Stop, {"plase": 1}, "a.toml [stop]", also_known=("model",))
    assert (
        str(caught.value)
        == "a.toml [stop] plase = 1: unknown key; did you mean 'place'? known keys: model, place, wait_s"
    )


def test_a_field_that_is_not_for_tables_is_an_unknown_key() -> None:
    assert "unknown key" in line({"counter": 1})
    assert "counter" not in parameter_names(Trip)


def test_a_missing_key_says_what_is_needed() -> None:
    with pytest.raises(UserError) as caught:
        build(Trip, {}, "a.toml [trip]")
    assert str(caught.value) == "a.toml [trip] length_m: missing; a number is needed"


@pytest.mark.parametrize("key", ["a\nb", "\x1b[31m", "k" * 1000, ""])
def test_whatever_a_key_holds_the_complaint_is_one_short_line(key: str) -> None:
    told = line({key: 1})
    assert len(told) < 400
    assert told.isprintable()


def test_whatever_a_topic_holds_the_complaint_is_one_line() -> None:
    assert "\n" not in line({"topic": "a\nb"})


def test_an_empty_text_stands_for_none_where_none_is_possible() -> None:
    assert build(Trip, {"length_m": 1, "limit_mps": "", "last": ""}, "p") == build(Trip, {"length_m": 1}, "p")
    assert "must be a number" in line({"length_m": ""})


def test_an_incomplete_table_can_be_checked() -> None:
    assert check(Trip, {"cars": 2.0, "topic": "a"}, "p") == {"cars": 2, "topic": Topic("a")}
    with pytest.raises(InvalidValueError):
        check(Trip, {"cars": 0}, "p")


def test_a_complaint_can_show_a_value_from_deep_inside() -> None:
    assert str(user_error(ParameterError("through[3] place", "is closed", "x"), "a.toml [trip]", "not this")) == (
        'a.toml [trip] through[3] place = "x": is closed'
    )
    assert (
        str(user_error(ParameterError("cars", "are too many"), "a.toml [trip]", 5))
        == "a.toml [trip] cars = 5: are too many"
    )


STOPS = st.fixed_dictionaries(
    {"place": st.sampled_from(["a", "", "é b"])}, optional={"wait_s": st.floats(0, 100) | st.integers(0, 9)}
)
TABLES = st.fixed_dictionaries(
    {"length_m": st.floats(0.1, 1e6) | st.integers(1, 1000)},
    optional={
        "speed_mps": st.lists(st.floats(-0.0, 50) | st.integers(0, 50), min_size=2, max_size=2).map(sorted),
        "cars": st.integers(1, 10) | st.sampled_from([2.0, 3.0]),
        "paved": st.booleans(),
        "topic": st.sampled_from([".", "a", "a.b-c"]),
        "limit_mps": st.none() | st.floats(0.1, 9) | st.just(""),
        "driver": st.integers(0, 9) | st.just("anyone"),
        "through": st.lists(STOPS, max_size=2),
        "last": st.none() | STOPS,
    },
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # both would watch the wall clock
@given(TABLES)
def test_an_instance_gives_the_table_that_makes_it_again(table: dict[str, Any]) -> None:
    trip = build(Trip, table, "p")
    complete = as_table(trip)
    assert sorted(complete) == sorted(parameter_names(Trip))
    assert build(Trip, complete, "p") == trip
    assert as_table(build(Trip, complete, "p")) == complete


def test_numbers_look_the_same_however_they_were_written() -> None:
    given_whole = as_table(build(Trip, {"length_m": 10, "cars": 3.0, "speed_mps": [-0.0, 2]}, "p"))
    given_float = as_table(build(Trip, {"length_m": 10.0, "cars": 3, "speed_mps": [0.0, 2.0]}, "p"))
    assert repr(given_whole) == repr(given_float)
    assert repr(given_whole["speed_mps"]) == "[0.0, 2.0]"


def test_a_default_looks_like_the_same_value_given() -> None:
    assert repr(as_table(Trip(1))) == repr(as_table(build(Trip, {"length_m": 1.0, "speed_mps": [1.0, 2.0]}, "p")))
    assert as_table(Stop("a"))["wait_s"].is_integer()
    assert repr(as_table(Stop("a"))["wait_s"]) == "3.0"
