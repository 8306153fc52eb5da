"""Predicates over the topic and the attributes of events: the content-based kind of interest.

``parse`` reads one, ``str`` writes it, ``summarize`` condenses many into one; ``docs/content.md`` has the language.
"""

from roamcast.core.predicates.errors import PredicateError
from roamcast.core.predicates.parser import parse
from roamcast.core.predicates.predicate import ANYTHING, NOTHING, Predicate, check, compare
from roamcast.core.predicates.summary import SUMMARY_TERMS_MAX, summarize

__all__ = [
    "ANYTHING",
    "NOTHING",
    "SUMMARY_TERMS_MAX",
    "Predicate",
    "PredicateError",
    "check",
    "compare",
    "parse",
    "summarize",
]
