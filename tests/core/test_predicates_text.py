"""The text form of predicates: what is written is read, what is read is printed, and what is wrong is pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicate_draws import EVENTS, Both, Compare, Tree, any_trees, holds, is_accepted, trees, written

from roamcast.core.attributes import AttributeType
from roamcast.core.errors import UserError
from roamcast.core.predicates import ANYTHING, PredicateError, check, compare, parse

SCHEMA = {"speed_mps": AttributeType.NUMBER, "zone": AttributeType.TEXT, "jam": AttributeType.BOOLEAN}
VALUE = "expected a number, a text in double quotes, true or false"
ITEM = "expected an attribute, topic, '(', anything or nothing"
TOPIC_RULE = "a topic is compared with texts, by =, != or in; = follows the hierarchy of topics"


@pytest.mark.parametrize(
    "text",
    [
        'topic = "traffic" and speed_mps < 5',
        'speed_mps < 5 and topic = "traffic"',
        'topic in {"traffic", "weather.rain"} and topic != "traffic.trams"',
        "speed_mps between 1 and 5 and lanes != 2",
        "speed_mps > 0.1 and speed_mps <= 1e+300",
        'zone starts with "north" or (zone in {"east", "west"} and jam = true) or zone missing',
        'zone >= "m" and zone < "p"',
        'zone != "a\\"b\\\\c\\n\\u0001é"',
        "jam in {false, true}",
        "x = -9007199254740992",
        "speed_mps present",
        "anything",
        "nothing",
    ],
)
def test_what_a_person_writes_is_printed_back_the_same(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("x>=1 and x<=5", "x between 1 and 5"),
        ("x>=1 and x<=5 and x!=1", "x > 1 and x <= 5"),
        ("x >= 2 and x <= 2.0", "x = 2"),
        ("x in {3,1,1}", "x in {1, 3}"),
        ("x > -0 and x < .5", "x > 0 and x < 0.5"),
        ("x = 1 and (y = 2 or z = 3)", "(x = 1 and y = 2) or (x = 1 and z = 3)"),
        ("x = 1 or y = 2 and z = 3", "x = 1 or (y = 2 and z = 3)"),
        ("x = 1 or x = 1", "x = 1"),
        ("x = 1 and x = 2", "nothing"),
        ("x missing and x != 1", "nothing"),
        ("x present and x < 1", "x < 1"),
        ("jam != true", "jam = false"),
        ('zone >= "ab" and zone < "ac"', 'zone starts with "ab"'),
        ('topic = "a" and topic = "a.b"', 'topic = "a.b"'),
        ('topic = "a" and topic = "b"', "nothing"),
        ('topic = "."', "anything"),
        ("  x\n =\t1 ", "x = 1"),
    ],
)
def test_what_means_the_same_is_printed_in_one_way(text: str, printed: str) -> None:
    assert str(parse(text)) == printed
    assert parse(printed) == parse(text)


@given(trees())
def test_what_is_printed_is_parsed_to_an_equal_predicate_and_printed_the_same(tree: Tree) -> None:
    predicate = parse(written(tree))
    assert parse(str(predicate)) == predicate
    assert str(parse(str(predicate))) == str(predicate)
    assert predicate.terms == sum(each.terms for mine in predicate.alternatives for each in mine.comparisons())


@given(st.text(max_size=60), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_any_number_survive_being_printed(text: str, number: float) -> None:
    for predicate in (compare("x", "=", text), compare("x", "<=", text), compare("x", "starts with", text)):
        assert parse(str(predicate)) == predicate
    assert parse(str(compare("x", ">", number))) == compare("x", ">", number)


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, f"{ITEM}, found the end"),
        ("topic = ", 9, f"{VALUE}, found the end"),
        ('topic = "traffic" and', 22, f"{ITEM}, found the end"),
        ("speed_mps << 5", 12, f"{VALUE}, found '<'"),
        ("speed_mps == 5", 12, f"{VALUE}, found '='"),
        ("speed_mps 5", 11, "expected =, !=, <, <=, >, >=, between, in, starts with, present or missing after "
         "'speed_mps', found '5'"),
        ('zone starts "a"', 13, 'expected with after starts, found "a"'),
        ("x = 1 y = 2", 7, "expected and, or, or the end, found 'y'"),
        ("x = 1 or (y = 2", 16, "expected and, or, or the ')' of the '(' in column 10, found the end"),
        ("x = 1)", 6, "expected and, or, or the end, found ')'"),
        ("and = 1", 1, f"{ITEM}, found 'and'"),
        ("x in [1]", 6, 'cannot read "["'),
        ("x in (1)", 6, "expected '{', found '('"),
        ("x in {}", 7, f"{VALUE}, found '}}'"),
        ("x in {1 2}", 9, "expected ',' or '}', found '2'"),
        ('x in {1, "a"}', 6, "the values of 'in' must be of one type"),
        ("x in {1, true}", 6, "the values of 'in' must be of one type"),
        ("x between 5 and 1", 11, "between 5 and 1: the lower value must come first"),
        ("x between 5 or 1", 13, "expected and, found 'or'"),
        ("x = nan", 5, f"{VALUE}, found 'nan'"),
        ("x = 1e999", 5, "a number must be finite"),
        ("x = 9007199254740993", 5, "a whole number must be exact in 8 bytes; those up to 9007199254740992 are"),
        ("x = " + "9" * 500, 5, "a number has at most 400 digits"),
        ('x = "abc', 5, 'this text has no closing "'),
        ("x = 'abc'", 5, 'cannot read "\'"; texts must be in double quotes'),
        (r'x = "\q"', 6, "cannot read this character in a text; write it as in JSON"),
        ('x = "a\tb"', 7, "cannot read this character in a text; write it as in JSON"),
        (r'x = "\ud800"', 5, "a text must not contain half of a surrogate pair"),
        (f'x = "{"a" * 256}"', 5, "a text has at most 255 characters, this one has 256"),
        (f'x "{"a" * 100}"', 3, "expected =, !=, <, <=, >, >=, between, in, starts with, present or missing after 'x', "
         f'found "{"a" * 36}...'),
        ("x = 1 and jam < true", 17, "true and false have no order, so '<' cannot compare them"),
        ("x starts with 1", 15, "'starts with' needs a text in double quotes"),
        ('topic < "a"', 7, TOPIC_RULE),
        ("topic present", 7, TOPIC_RULE),
        ("topic = 5", 9, TOPIC_RULE),
        ('topic = "a b"', 9, "'a b' is not a topic: segments of letters, digits, '_' and '-' joined by dots, or '.'"),
        ("a" * 65 + " = 1", 1, f"{ITEM}, found '{'a' * 36}..."),
        ("é = 1", 1, 'cannot read "\\u00e9"'),
        ('x = 1 and x = "a"', 11, "x is compared with a number and with a text, which can never hold together"),
        ("x < 3 and (y = 1 and x != true)", 11,
         "x is compared with a number and with true or false, which can never hold together"),
        ('(x = 1 or x = 2) and (x = "a" or x = "b")', 22,
         "x is compared with a number and with a text, which can never hold together"),
    ],
)  # fmt: skip
def test_an_error_points_at_the_column_and_says_what_was_expected(text: str, column: int, what: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(text, "campus.toml [workload] interest")
    assert str(caught.value) == f"campus.toml [workload] interest, column {column}: {what}"
    assert isinstance(caught.value, UserError)


def test_in_a_text_of_several_lines_the_line_is_named_too() -> None:
    with pytest.raises(PredicateError, match=r"^predicate, line 2, column 5: expected a number"):
        parse("x = 1 and\ny = z")


@given(st.text(alphabet='xy= !<>(){},."\\topicandorbetween123-e\n\0é', max_size=40))
def test_whatever_is_written_is_a_predicate_or_an_error_of_one_line(text: str) -> None:
    try:
        predicate = parse(text)
    except PredicateError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
    else:
        assert parse(str(predicate)) == predicate


@given(trees(), st.data())
def test_a_character_that_is_lost_or_doubled_never_does_worse_than_an_error(tree: Tree, data: st.DataObject) -> None:
    text = written(tree)
    at = data.draw(st.integers(min_value=0, max_value=len(text) - 1))
    for changed in (text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:]):
        try:
            assert parse(changed) is not None
        except PredicateError as error:
            assert ", column " in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "sped_mps < 5",
            "column 1: unknown attribute 'sped_mps'; did you mean 'speed_mps'? known: jam, speed_mps, zone",
        ),
        ("speed_mps < 5 and zone = 3", "column 26: zone is a text and cannot be compared with 3"),
        ('speed_mps = "fast"', 'column 13: speed_mps is a number and cannot be compared with "fast"'),
        ("jam = 1", "column 7: jam is true or false and cannot be compared with 1"),
        ("lanes missing", "column 1: unknown attribute 'lanes'; known: jam, speed_mps, zone"),
        ("zone = 1 and zone = 2", "column 8: zone is a text and cannot be compared with 1"),
    ],
)
def test_a_schema_makes_slips_of_the_pen_errors(text: str, complaint: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(text, schema=SCHEMA)
    assert str(caught.value) == f"predicate, {complaint}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "sped_mps < 5",
            "column 1: unknown attribute 'sped_mps'; did you mean 'speed_mps'? known: jam, speed_mps, zone",
        ),
        ("speed_mps < 5 and zone = 3", "column 26: zone is a text and cannot be compared with 3"),
        ("zone = 1 and zone = 2", "column 8: zone is a text and cannot be compared with 1"),
    ],
)
def test_a_predicate_that_was_parsed_is_checked_as_if_it_were_parsed_with_the_schema(text: str, complaint: str) -> None:
    with pytest.raises(PredicateError) as caught:
        check(parse(text, "city.toml interest"), SCHEMA)
    assert str(caught.value) == f"city.toml interest, {complaint}"


def test_a_predicate_that_was_made_in_python_is_checked_without_a_column() -> None:
    made = compare("speed_mps", "<", 5) & compare("zone", "=", 3)
    with pytest.raises(PredicateError, match=r"^interest: zone is a text and cannot be compared with 3$"):
        check(made, SCHEMA, "interest")


def test_where_no_attributes_are_known_none_are_listed() -> None:
    with pytest.raises(
        PredicateError, match=r"^predicate, column 1: unknown attribute 'x'; no attributes are declared$"
    ):
        parse("x = 1", schema={})


@given(any_trees())
def test_only_what_can_never_hold_is_refused_for_its_types(tree: Tree) -> None:
    assert is_accepted(tree) or any(not any(holds(part, each) for each in EVENTS) for part in parts(tree))


def parts(tree: Tree) -> list[Tree]:
    """Return a tree and all that it consists of."""
    return [tree] if isinstance(tree, Compare) else [tree, *parts(tree.one), *parts(tree.other)]


@given(any_trees())
def test_two_comparisons_of_one_attribute_with_different_types_are_refused_wherever_they_stand(tree: Tree) -> None:
    clash = Both(Compare("z", "=", (1,)), Compare("z", "=", ("a",)))
    assert not is_accepted(Both(clash, tree))
    assert not is_accepted(Both(tree, clash))


def test_of_alternatives_only_those_that_can_hold_are_left() -> None:
    assert str(parse('(x = 1 or x = "a") and x != "b"')) == 'x = "a"'


def test_what_fits_a_schema_passes() -> None:
    text = 'topic = "traffic" and speed_mps < 5 and zone starts with "a" or jam = true and zone present'
    check(parse(text, schema=SCHEMA), SCHEMA)
    check(ANYTHING, {})
