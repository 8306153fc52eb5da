"""Limits that keep predicates small, their size in a beacon, and how they are made in Python."""

import math
from typing import Any

import pytest

from roamcast.core.predicates import ANYTHING, NOTHING, PredicateError, compare, parse


def many(pattern: str, count: int, joint: str) -> str:
    return joint.join(pattern.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(" * 33 + "x = 1" + ")" * 33, "column 33: parentheses may be at most 32 deep"),
        ("(" * 100_000, "column 33: parentheses may be at most 32 deep"),
        (many("x = {}", 129, " or "), "column 1296: more than 128 alternatives when expanded"),
        (many("(a{0} = 1 or b{0} = 1)", 40, " and "), "column 135: more than 512 comparisons when expanded"),
        (many("x != {}", 513, " and "), "column 6547: a predicate has at most 512 comparisons"),
        ("x in {" + many("{}", 100_000, ",") + "}", "column 1945: a predicate has at most 512 comparisons"),
        ("x" * 1_000_001, "column 1000001: a predicate has at most 1,000,000 characters"),
    ],
)
def test_a_text_that_asks_too_much_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(text)
    assert str(caught.value) == f"predicate, {complaint}"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 32 + "x = 1" + ")" * 32,
        many("x = {}", 128, " or "),
        many("x{} = 1", 512, " and "),
        many('topic != "a{}.b"', 512, " and "),
        "topic in {" + many('"a{}"', 512, ", ") + "}",
        many(f'{"n" * 60}{{:04}} != "{chr(92)}u0001{"x" * 254}"', 512, " and "),
        many("(a{0} = 1 or b{0} = 1)", 6, " and "),
    ],
    ids=["deep", "alternatives", "attributes", "topics", "set", "long", "product"],
)
def test_the_largest_predicates_can_be_printed_and_parsed_again(text: str) -> None:
    predicate = parse(text)
    assert predicate != NOTHING
    assert predicate.terms == sum(each.terms for mine in predicate.alternatives for each in mine.comparisons())
    assert parse(str(predicate)) == predicate


def test_joining_predicates_has_the_same_limits() -> None:
    wide = parse(many("x = {}", 128, " or "))
    with pytest.raises(PredicateError, match=r"^predicate: more than 128 alternatives when expanded$"):
        wide | compare("y", "=", 1)
    with pytest.raises(PredicateError, match=r"^predicate: more than 128 alternatives when expanded$"):
        wide & parse(many("y = {}", 128, " or "))


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("nothing", 2),
        ("anything", 2 + 2),
        ("x < 5", 2 + 2 + (1 + 2 + 8)),
        ('topic = "traffic"', 2 + 2 + (1 + 2 + 7)),
        ('topic = "traffic" and speed_mps < 5', 2 + 2 + (1 + 2 + 7) + (1 + 10 + 8)),
        ("x between 1 and 5", 2 + 2 + (1 + 2 + 8 + 8)),
        ("x > 1 and x < 5", 2 + 2 + (1 + 2 + 8) * 2),
        ('x in {"a", "é"}', 2 + 2 + (1 + 2 + 2 + (2 + 1) + (2 + 2))),
        ("x present or jam = true", 2 + 2 + (1 + 2) + 2 + (1 + 4 + 1)),
    ],
)
def test_the_size_in_a_beacon_is_counts_operators_names_and_values(text: str, size_bytes: int) -> None:
    assert parse(text).size_bytes() == size_bytes


def test_predicates_can_be_made_in_python() -> None:
    made = compare("topic", "=", "traffic") & (compare("speed_mps", "<", 5) | compare("jam", "=", True))
    assert made == parse('topic = "traffic" and (speed_mps < 5 or jam = true)')
    assert compare("x", "between", 1, 2) == parse("x between 1 and 2")
    assert compare("x", "<", "") == NOTHING
    assert compare("topic", "=", ".") == ANYTHING


@pytest.mark.parametrize(
    ("name", "operator", "values", "complaint"),
    [
        ("in", "=", (1,), "'in' is not the name of an attribute"),
        ("a b", "=", (1,), "'a b' is not the name of an attribute"),
        ("x", "~", (1,), "unknown operator '~'; known: "),
        ("x", "<", (math.nan,), "a number must be finite"),
        ("x", "<", (math.inf,), "a number must be finite"),
        ("x", "=", (10**400,), "a number must be finite"),
        ("x", "=", (2**53 + 1,), "a whole number must be exact"),
        ("x", "=", ("\ud800",), "a text must not contain half of a surrogate pair"),
        ("x", "=", (None,), "expected a number, a text, or true or false, found a NoneType"),
        ("x", "=", (), "'=' needs at least one value"),
        ("x", "=", (1, 2), "'=' needs 1 value"),
        ("x", "in", (), "'in' needs at least one value"),
        ("x", "between", (1,), "'between' needs 2 values"),
        ("x", "present", (1,), "'present' needs 0 values"),
    ],
)
def test_what_makes_no_sense_in_python_is_the_same_kind_of_error(
    name: str, operator: str, values: tuple[Any, ...], complaint: str
) -> None:
    with pytest.raises(PredicateError) as caught:
        compare(name, operator, *values)
    assert str(caught.value).startswith(f"predicate: {complaint}")
