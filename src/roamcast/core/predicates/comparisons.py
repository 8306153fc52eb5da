"""Comparisons: the smallest parts of a predicate, as a person writes them and as they are counted and sent."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum

from roamcast.core.attributes import AttributeType, AttributeValue, Schema, is_encodable, type_of
from roamcast.core.errors import suggestion
from roamcast.core.predicates.limits import LITERAL_LENGTH_MAX
from roamcast.core.predicates.predicate_error import PredicateError

TOPIC = "topic"
"""The name of an event's topic; comparisons with it follow the hierarchy of topics."""
EXACT_INTEGER_MAX = 2**53
"""Up to this, every integer is exact as a float of 8 bytes."""


class Operator(StrEnum):
    """How a value is compared, in the words of the language."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    BETWEEN = "between"
    IN = "in"
    STARTS_WITH = "starts with"
    PRESENT = "present"
    MISSING = "missing"


ORDERING = frozenset({Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST, Operator.BETWEEN})
OF_TOPICS = frozenset({Operator.EQUAL, Operator.NOT_EQUAL, Operator.IN})
TYPE_WORDS = {AttributeType.NUMBER: "a number", AttributeType.TEXT: "a text", AttributeType.BOOLEAN: "true or false"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One test of one attribute, or of the topic."""

    name: str
    operator: Operator
    values: tuple[AttributeValue, ...] = ()

    @property
    def terms(self) -> int:
        """Return how much the comparison counts against a limit: one per value, and at least one."""
        return max(1, len(self.values))

    def size_bytes(self) -> int:
        """Return the size in a beacon: an operator, a name unless it is the topic's, a count for a set, values."""
        name = 0 if self.name == TOPIC else 1 + len(self.name)
        count = 2 if self.operator is Operator.IN else 0
        return 1 + name + count + sum(map(_value_bytes, self.values))

    def complaint(self, schema: Schema) -> str | None:
        """Return the reason why a schema forbids this comparison, if it does."""
        if self.name == TOPIC:
            return None
        if self.name not in schema:
            listed = f"{suggestion(self.name, schema)}known: {', '.join(sorted(schema))}"
            known = listed if schema else "no attributes are declared"
            return f"unknown attribute '{self.name}'; {known}"
        expected = schema[self.name]
        if self.values and type_of(self.values[0]) != expected:
            found = format_value(self.values[0])
            return f"{self.name} is {TYPE_WORDS[expected]} and cannot be compared with {found}"
        return None

    def __str__(self) -> str:
        written = [format_value(value) for value in self.values]
        if self.operator is Operator.BETWEEN:
            return f"{self.name} between {written[0]} and {written[1]}"
        if self.operator is Operator.IN:
            return f"{self.name} in {{{', '.join(written)}}}"
        return " ".join([self.name, self.operator, *written])


def format_value(value: AttributeValue) -> str:
    """Write a value as in a predicate."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(int(value)) if value == int(value) and abs(value) <= EXACT_INTEGER_MAX else repr(float(value))


def literal(value: object) -> AttributeValue:
    """Return a value in the form that predicates store, or raise an error if they cannot."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > LITERAL_LENGTH_MAX:
            raise PredicateError(f"a text has at most {LITERAL_LENGTH_MAX} characters, this one has {len(value)}")
        if not is_encodable(value):
            raise PredicateError("a text must not contain half of a surrogate pair")
        return str(value)
    if not isinstance(value, (int, float)):
        raise PredicateError(f"expected a number, a text, or true or false, found a {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise PredicateError("a number must be finite")
    if isinstance(value, int) and int(number) != value:
        raise PredicateError(f"a whole number must be exact in 8 bytes; those up to {EXACT_INTEGER_MAX} are")
    return number + 0.0  # turns -0.0 into 0.0, so that equal values look equal


def check_operands(comparison: Comparison) -> None:
    """Raise an error if an operator cannot be used with its values."""
    name, operator, values = comparison.name, comparison.operator, comparison.values
    wanted = {Operator.BETWEEN: 2, Operator.PRESENT: 0, Operator.MISSING: 0, Operator.IN: len(values)}.get(operator, 1)
    if len(values) != wanted or (operator is Operator.IN and not values):
        raise PredicateError(f"'{operator}' needs {'at least one value' if not values else f'{wanted} values'}")
    types = {type_of(value) for value in values}
    if len(types) > 1:
        raise PredicateError(f"the values of '{operator}' must be of one type")
    if name == TOPIC and (operator not in OF_TOPICS or types != {AttributeType.TEXT}):
        raise PredicateError("a topic is compared with texts, by =, != or in; = follows the hierarchy of topics")
    if operator in ORDERING and types == {AttributeType.BOOLEAN}:
        raise PredicateError(f"true and false have no order, so '{operator}' cannot compare them")
    if operator is Operator.STARTS_WITH and types != {AttributeType.TEXT}:
        raise PredicateError("'starts with' needs a text in double quotes")
    if operator is Operator.BETWEEN and values[0] > values[1]:  # type: ignore[operator]
        low, high = format_value(values[0]), format_value(values[1])
        raise PredicateError(f"between {low} and {high}: the lower value must come first")


def _value_bytes(value: AttributeValue) -> int:
    """Return 1 for a truth value, 8 for a number, and 2 plus the length in UTF-8 for a text."""
    if isinstance(value, bool):
        return 1
    return 2 + len(value.encode()) if isinstance(value, str) else 8
