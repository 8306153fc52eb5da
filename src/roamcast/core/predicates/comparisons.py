"""Comparisons: the smallest parts of a predicate as a person writes them, and as they are counted and sent."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum

from roamcast.core.attributes import AttributeType, AttributeValue, Schema, is_encodable, type_of
from roamcast.core.errors import suggestion
from roamcast.core.predicates.limits import LITERAL_LENGTH_MAX
from roamcast.core.predicates.predicate_error import PredicateError

TOPIC = "topic"
"""The name that stands for an event's topic; its comparisons follow the hierarchy of topics."""
EXACT_WHOLE_NUMBER_MAX = 2**53
"""Beyond it, a whole number may not be the one that was written once it is stored in 8 bytes."""


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
        """Return how much the comparison counts against a limit: one a value, at least one."""
        return max(1, len(self.values))

    def size_bytes(self) -> int:
        """Return the size in a beacon: an operator, a name unless it is the topic's, a count for a set, values."""
        name = 0 if self.name == TOPIC else 1 + len(self.name)
        count = 2 if self.operator is Operator.IN else 0
        return 1 + name + count + sum(map(_value_bytes, self.values))

    def complaint(self, schema: Schema) -> str | None:
        """Return what a schema has against this comparison, in a few words."""
        if self.name == TOPIC:
            return None
        if self.name not in schema:
            listed = f"{suggestion(self.name, schema)}known: {', '.join(sorted(schema))}"
            known = listed if schema else "no attributes are declared"
            return f"unknown attribute '{self.name}'; {known}"
        expected = schema[self.name]
        if self.values and type_of(self.values[0]) != expected:
            found = shown(self.values[0])
            return f"{self.name} is {TYPE_WORDS[expected]}, it cannot be compared with {found}"
        return None

    def __str__(self) -> str:
        written = [shown(value) for value in self.values]
        if self.operator is Operator.BETWEEN:
            return f"{self.name} between {written[0]} and {written[1]}"
        if self.operator is Operator.IN:
            return f"{self.name} in {{{', '.join(written)}}}"
        return " ".join([self.name, self.operator, *written])


def shown(value: AttributeValue) -> str:
    """Write a value as it stands in a predicate."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(int(value)) if value == int(value) and abs(value) <= EXACT_WHOLE_NUMBER_MAX else repr(float(value))


def literal(value: object) -> AttributeValue:
    """Return a value as predicates hold it, or say why they cannot."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > LITERAL_LENGTH_MAX:
            raise PredicateError(f"a text has at most {LITERAL_LENGTH_MAX} characters, this one {len(value)}")
        if not is_encodable(value):
            raise PredicateError("a text must not hold half of a surrogate pair")
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
        raise PredicateError(f"a whole number must be exact in 8 bytes; those up to {EXACT_WHOLE_NUMBER_MAX} are")
    return number + 0.0  # which makes 0.0 of -0.0, so that equal values look equal


def check_operands(comparison: Comparison) -> None:
    """Say why an operator cannot be used with its values, if it cannot."""
    name, operator, values = comparison.name, comparison.operator, comparison.values
    wanted = {Operator.BETWEEN: 2, Operator.PRESENT: 0, Operator.MISSING: 0, Operator.IN: len(values)}.get(operator, 1)
    if len(values) != wanted or (operator is Operator.IN and not values):
        raise PredicateError(f"'{operator}' needs {'at least one value' if not values else f'{wanted} values'}")
    types = {type_of(value) for value in values}
    if len(types) > 1:
        raise PredicateError(f"the values of '{operator}' must be of one type")
    if name == TOPIC and (operator not in OF_TOPICS or types != {AttributeType.TEXT}):
        raise PredicateError("a topic is compared by =, != or in, with texts; = follows the hierarchy of topics")
    if operator in ORDERING and types == {AttributeType.BOOLEAN}:
        raise PredicateError(f"true and false have no order, so '{operator}' cannot compare them")
    if operator is Operator.STARTS_WITH and types != {AttributeType.TEXT}:
        raise PredicateError("'starts with' needs a text in double quotes")
    if operator is Operator.BETWEEN and values[0] > values[1]:  # type: ignore[operator]
        raise PredicateError(f"between {shown(values[0])} and {shown(values[1])}: the lower value comes first")


def _value_bytes(value: AttributeValue) -> int:
    """Return 1 for a truth value, 8 for a number, and for a text 2 and its UTF-8."""
    if isinstance(value, bool):
        return 1
    return 2 + len(value.encode()) if isinstance(value, str) else 8
