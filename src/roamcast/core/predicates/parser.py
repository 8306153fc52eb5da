"""The parser of predicates, by recursive descent; ``docs/content.md`` has the grammar.

Everything is bounded while it is read (``limits.py``): at worst, a text from a stranger is an error, never a hang.
"""

from collections.abc import Callable
from typing import TypeVar

from roamcast.core.attributes import AttributeValue, Schema, is_attribute_name
from roamcast.core.predicates.comparisons import OF_TOPICS, TOPIC, Comparison, Operator, check_operands
from roamcast.core.predicates.conjunction import Conjunction, conjunction_of, within_limits
from roamcast.core.predicates.limits import ALTERNATIVES_MAX, DEPTH_MAX, TERMS_MAX
from roamcast.core.predicates.predicate import Predicate, conjoined
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.predicates.tokens import Source, Token

T = TypeVar("T")
Alternatives = tuple[Conjunction, ...]
_SYMBOLS = ("=", "!=", "<", "<=", ">", ">=")
_VALUE = "a number, a text in double quotes, true or false"


def parse(text: str, where: str = "predicate", schema: Schema | None = None) -> Predicate:
    """Parse a predicate, or raise an error that points at the column of the mistake.

    With a schema, an unknown attribute or a value of the wrong type is an error too.
    """
    return _Parser(Source(text, where), schema).predicate()


def check(predicate: Predicate, schema: Schema, where: str = "predicate") -> None:
    """Raise the error that ``parse`` with this schema would have raised.

    A predicate that was made in Python has no text and no columns; its error only names ``where``.
    """
    if predicate.source is not None:
        _Parser(predicate.source, schema).predicate()
        return
    for alternative in predicate.alternatives:
        for comparison in alternative.comparisons():
            if complaint := comparison.complaint(schema):
                raise PredicateError(complaint, where)


class _Parser:
    def __init__(self, source: Source, schema: Schema | None) -> None:
        self._source = source
        self._schema = schema
        self._tokens = source.tokens()
        self._next = next(self._tokens)
        self._opened: list[Token] = []
        self._terms = 0

    def predicate(self) -> Predicate:
        found = self._disjunction()
        if self._next.kind != "end":
            raise self._expected("and, or, or the end")
        return Predicate(found, self._source)

    def _disjunction(self) -> Alternatives:
        found = self._conjunction()
        while self._next.is_("or"):
            at = self._take().at
            more = self._conjunction()
            found = self._at(at, lambda: within_limits(found + more, ALTERNATIVES_MAX, TERMS_MAX))  # noqa: B023
        return found

    def _conjunction(self) -> Alternatives:
        found = self._item()
        while self._next.is_("and"):
            at = self._take().at
            more_at = self._next.at
            more = self._item()
            self._refuse_clash(found, more, more_at)
            found = self._at(at, lambda: conjoined(found, more))  # noqa: B023
        return found

    def _refuse_clash(self, found: Alternatives, more: Alternatives, at: int) -> None:
        """Point at an item that can never hold together with those before it because their values differ in type."""
        if found and more and all(mine.clash(theirs) for mine in found for theirs in more):
            raise self._source.error(found[0].clash(more[0]) or "", at)

    def _item(self) -> Alternatives:
        token = self._next
        if token.is_("("):
            return self._parenthesis()
        if token.is_("anything", "nothing"):
            self._take()
            return (Conjunction(),) if token.text == "anything" else ()
        if token.kind != "word" or (token.text != TOPIC and not is_attribute_name(token.text)):
            raise self._expected("an attribute, topic, '(', anything or nothing")
        return self._comparison(self._take())

    def _parenthesis(self) -> Alternatives:
        opening = self._take()
        self._opened.append(opening)
        if len(self._opened) > DEPTH_MAX:
            raise self._source.error(f"parentheses may be at most {DEPTH_MAX} deep", opening.at)
        found = self._disjunction()
        if not self._next.is_(")"):
            raise self._expected(f"and, or, or the ')' of the '(' in {self._source.column(opening.at)}")
        self._take()
        self._opened.pop()
        return found

    def _comparison(self, name: Token) -> Alternatives:
        operator_at = self._next.at
        operator = self._operator(name)
        value_at = self._next.at
        comparison = Comparison(name.text, operator, self._values(operator))
        self._terms += comparison.terms
        if self._terms > TERMS_MAX:
            raise self._source.error(f"a predicate has at most {TERMS_MAX} comparisons", name.at)
        is_misused = not comparison.values or (name.text == TOPIC and operator not in OF_TOPICS)
        self._at(operator_at if is_misused else value_at, lambda: check_operands(comparison))
        complaint = None if self._schema is None else comparison.complaint(self._schema)
        if complaint:
            is_known = self._schema is not None and name.text in self._schema
            raise self._source.error(complaint, value_at if is_known else name.at)
        found = self._at(value_at, lambda: conjunction_of(comparison))
        return () if found is None else (found,)

    def _operator(self, name: Token) -> Operator:
        token = self._next
        if token.is_("starts"):
            self._take()
            if not self._next.is_("with"):
                raise self._expected("with after starts")
            self._take()
            return Operator.STARTS_WITH
        if token.is_(*_SYMBOLS, "between", "in", "present", "missing"):
            return Operator(self._take().text)
        words = "=, !=, <, <=, >, >=, between, in, starts with, present or missing"
        raise self._expected(f"{words} after '{name.text}'")

    def _values(self, operator: Operator) -> tuple[AttributeValue, ...]:
        if operator is Operator.PRESENT or operator is Operator.MISSING:
            return ()
        if operator is Operator.IN:
            return self._members()
        first = self._value()
        if operator is not Operator.BETWEEN:
            return (first,)
        self._symbol("and")
        return first, self._value()

    def _members(self) -> tuple[AttributeValue, ...]:
        self._symbol("{")
        found = [self._value()]
        while self._next.is_(","):
            self._take()
            if len(found) == TERMS_MAX:
                raise self._source.error(f"a predicate has at most {TERMS_MAX} comparisons", self._next.at)
            found.append(self._value())
        if not self._next.is_("}"):
            raise self._expected("',' or '}'")
        self._take()
        return tuple(found)

    def _value(self) -> AttributeValue:
        if self._next.kind != "value":
            raise self._expected(_VALUE)
        return self._take().value

    def _symbol(self, text: str) -> None:
        if not self._next.is_(text):
            raise self._expected(text if text.isalpha() else f"'{text}'")
        self._take()

    def _take(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _expected(self, what: str) -> PredicateError:
        found = str(self._next)
        return self._source.error(
            f"expected {what}, found {found if len(found) <= 40 else found[:37] + '...'}", self._next.at
        )

    def _at(self, at: int, make: Callable[[], T]) -> T:
        """Call ``make``, and point at a position if it raises an error."""
        try:
            return make()
        except PredicateError as error:
            raise self._source.error(error.what, at) from None
