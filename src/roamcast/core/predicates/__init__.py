"""Predicates over the topic and the attributes of events: interests by content.

``parse`` reads one, ``str`` writes it, ``summarize`` condenses many into one; ``docs/content.md`` defines the language.
"""

from roamcast.core.predicates.attribute_policy import AttributePolicy
from roamcast.core.predicates.limits import ALTERNATIVES_MAX
from roamcast.core.predicates.parser import check, parse
from roamcast.core.predicates.predicate import ANYTHING, NOTHING, Predicate, compare
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.predicates.summary import SUMMARY_TERMS_MAX, summarize

__all__ = [
    "ALTERNATIVES_MAX",
    "ANYTHING",
    "NOTHING",
    "SUMMARY_TERMS_MAX",
    "AttributePolicy",
    "Predicate",
    "PredicateError",
    "check",
    "compare",
    "parse",
    "summarize",
]
