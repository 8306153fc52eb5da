"""Widening: replacing two conjunctions with one that covers both, the hull of each attribute.

The loss of precision is estimated by a rule of thumb, between 0 and 1 for each attribute. It only ranks pairs: a wrong
rank makes a summary wider than necessary, never narrower.
"""

from collections.abc import Iterable
from itertools import takewhile
from math import inf, isfinite
from typing import Any

from roamcast.core.attributes import AttributeType, AttributeValue
from roamcast.core.predicates.comparisons import TOPIC
from roamcast.core.predicates.conjunction import Conjunction
from roamcast.core.predicates.domains import PRESENT, Domain, Presence
from roamcast.core.predicates.topic_sets import ROOT, TopicSet, common, depth, topic_hull
from roamcast.core.predicates.values import Cut, Members, Span, after, all_values, before, members, span

MEMBERS_KEPT = 8
"""A union of more values than this becomes the span from the first to the last; of more topics, some are replaced by
one above them."""


def hull(one: Domain, other: Domain) -> Domain | None:
    """Return a domain that covers both, or None if nothing short of dropping the constraint does."""
    if one.covers(other):
        return one
    if other.covers(one):
        return other
    if isinstance(one, TopicSet) and isinstance(other, TopicSet):
        return topic_hull(one, other, MEMBERS_KEPT)
    if not isinstance(one, Members | Span) or not isinstance(other, Members | Span):
        return None  # present or a value, and missing
    if one.kind is not other.kind:
        return PRESENT
    if isinstance(one, Members) and isinstance(other, Members) and len(one.values | other.values) <= MEMBERS_KEPT:
        return members(one.kind, one.values | other.values)
    left_out = [each for each in _excluded(one) | _excluded(other) if not (one.contains(each) or other.contains(each))]
    cuts = (*_cuts(one), *_cuts(other))
    return _spanning(one.kind, min(cuts), max(cuts), sorted(left_out)[:MEMBERS_KEPT])


def merged(one: Conjunction, other: Conjunction) -> Conjunction:
    """Return a conjunction that covers both: the hulls of the attributes that both constrain."""
    hulls = ((name, hull(domain, other.by_name[name])) for name, domain in one.constraints if name in other.by_name)
    return Conjunction(tuple((name, domain) for name, domain in hulls if domain is not None))


def loss(one: Conjunction, other: Conjunction, both: Conjunction) -> float:
    """Return how much wider ``both`` is than the two it was merged from; 0: not at all, inf: it matches anything."""
    if not both.constraints:
        return inf
    differing = [name for name, _ in one.constraints + other.constraints if _differ(name, one, other)]
    if len(set(differing)) == 1 and differing[0] in both.by_name:
        name = differing[0]
        if _is_union(one.by_name[name], other.by_name[name], both.by_name[name]):
            return 0.0
    return sum(_widened(narrow, both.by_name.get(name)) for each in (one, other) for name, narrow in each.constraints)


def coarser(conjunction: Conjunction, terms_max: int) -> Conjunction:
    """Return a conjunction that covers this one and has at most ``terms_max`` terms, possibly none."""
    outlines = ((name, _outline(domain)) for name, domain in conjunction.constraints)
    left = {name: domain for name, domain in outlines if domain is not None}
    sizes = {name: domain.terms for name, domain in left.items()}
    while sum(sizes.values()) > terms_max:
        name = max(sizes, key=lambda name: (name != TOPIC, sizes[name]))  # the topic goes last
        if sizes[name] > 1:
            left[name], sizes[name] = PRESENT, 1
        else:
            del left[name], sizes[name]
    return Conjunction(tuple(left.items()))


def _outline(domain: Domain) -> Domain | None:
    """Return a domain of at most two terms that covers this one, or None if only dropping the constraint does."""
    if isinstance(domain, TopicSet):
        above = common(domain.within)
        return None if above == ROOT else TopicSet(frozenset({above}))
    if not isinstance(domain, Members | Span) or domain.kind is AttributeType.BOOLEAN:
        return domain
    return _spanning(domain.kind, *_cuts(domain))


def _spanning(kind: AttributeType, low: Cut, high: Cut, left_out: Iterable[AttributeValue] = ()) -> Domain:
    """Return a span, or mere presence if it contains all numbers: no comparison means "any number"."""
    left_out = tuple(left_out)
    if kind is AttributeType.BOOLEAN or (
        kind is AttributeType.NUMBER and (low, high) == all_values(kind) and not left_out
    ):
        return PRESENT
    return span(kind, low, high, left_out) or PRESENT


def _cuts(domain: Members | Span) -> tuple[Cut, Cut]:
    if isinstance(domain, Span):
        return domain.low, domain.high
    return min(map(before, domain.values)), max(map(after, domain.values))


def _excluded(domain: Members | Span) -> frozenset[AttributeValue]:
    return domain.excluded if isinstance(domain, Span) else frozenset()


def _differ(name: str, one: Conjunction, other: Conjunction) -> bool:
    return one.by_name.get(name) != other.by_name.get(name)


def _is_union(one: Domain, other: Domain, both: Domain) -> bool:
    """Tell whether a hull contains nothing but the union of the two; false if that is not certain."""
    if both in (one, other) or isinstance(both, Members):
        return True
    if isinstance(one, Span) and isinstance(other, Span) and isinstance(both, Span):
        complete = len(both.excluded) < MEMBERS_KEPT
        return complete and max(one.low, other.low) <= min(one.high, other.high)
    if isinstance(one, TopicSet) and isinstance(other, TopicSet) and isinstance(both, TopicSet):
        return both.within <= one.within | other.within and not (one.without or other.without)
    return False


def _widened(narrow: Domain, wide: Domain | None) -> float:
    """Return how much precision one attribute loses: 0 nothing, 1 everything."""
    if wide is None or narrow == wide:
        return 0.0 if narrow == wide else 1.0
    if isinstance(wide, Presence):
        return 0.9
    if isinstance(narrow, TopicSet) and isinstance(wide, TopicSet):
        above = 1 - (1 + depth(common(wide.within))) / (1 + depth(common(narrow.within)))
        return max(above, 1 - len(narrow.within) / (len(wide.within) + 1))
    if isinstance(narrow, Members) and isinstance(wide, Members):
        return 1 - len(narrow.values) / len(wide.values)
    if not isinstance(narrow, Members | Span) or not isinstance(wide, Span):
        return 0.9
    if wide.kind is AttributeType.TEXT:
        pairs = zip(wide.low[1], wide.high[1], strict=False)
        return 0.8 / (1 + len(list(takewhile(lambda pair: pair[0] == pair[1], pairs))))
    return 0.8 * _number_widened(_cuts(narrow), _cuts(wide))


def _number_widened(narrow: tuple[Any, Any], wide: tuple[Any, Any]) -> float:
    width, width_wide = (cuts[1][0] - cuts[0][0] for cuts in (narrow, wide))
    if isfinite(width_wide):
        return float(1 - width / width_wide) if width_wide else 0.0
    moved = sum(abs(cut[0] - cut_wide[0]) for cut, cut_wide in zip(narrow, wide, strict=True) if cut != cut_wide)
    return float(moved / (1 + moved)) if isfinite(moved) else 1.0
