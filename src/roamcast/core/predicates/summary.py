"""Summaries: one predicate for a whole table of subscriptions, as a beacon carries it (hint-driven paper, figure 3).

The paper takes it for granted that subscriptions can be condensed into one predicate. Here this is their disjunction as
long as it is small; a larger one is reduced by merging the conjunctions that lose the least precision, so a summary may
match more than the subscriptions do, but never less.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from math import inf

from roamcast.core.event_interests import Interest
from roamcast.core.predicates.conjunction import Conjunction
from roamcast.core.predicates.limits import ALTERNATIVES_MAX
from roamcast.core.predicates.predicate import ANYTHING, Predicate, alternatives_of
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.predicates.widening import coarser, loss, merged

SUMMARY_TERMS_MAX = 32
"""The default size limit of a summary: about 500 bytes of a beacon. Our choice; the paper gives none."""
PAIRS_MAX = 48
"""Up to this many conjunctions, every pair is considered for merging; of more, only neighbours in sorted order."""
COMPARED_MAX = 256
"""Up to this many conjunctions, each is compared with each; more are first thinned out in passes over neighbours in
sorted order, so that a table of thousands takes about as long as one of hundreds."""

Mergers = dict[tuple[Conjunction, Conjunction], tuple[float, Conjunction]]
"""The cost and the result of merging two conjunctions, kept from one step to the next."""


def summarize(interests: Iterable[Interest], terms_max: int = SUMMARY_TERMS_MAX) -> Predicate:
    """Return one predicate of at most ``terms_max`` terms that covers all interests; ``NOTHING`` if there are none."""
    if not 1 <= terms_max <= ALTERNATIVES_MAX:  # so that there are never more conjunctions than a predicate may have
        raise PredicateError(f"terms_max = {terms_max}: must be between 1 and {ALTERNATIVES_MAX}", "summary")
    collected: list[Conjunction] = []
    for interest in interests:
        found = alternatives_of(interest)
        if found is None:
            return ANYTHING  # an unknown kind of interest could match anything
        collected += found
    kept = _uncovered(_thinned(list(dict.fromkeys(collected))))
    if len(kept) > PAIRS_MAX:
        kept.sort(key=_order)
    known: Mergers = {}
    while len(kept) > 1 and (excess := sum(each.terms for each in kept) - terms_max) > 0:
        _condense(kept, known, excess)
    if sum(each.terms for each in kept) > terms_max:
        kept = [coarser(kept[0], terms_max)]
    return Predicate(tuple(kept))


def _condense(kept: list[Conjunction], known: Mergers, excess: int) -> None:
    """Replace two conjunctions with one, or a long one with a shorter one, and drop those that the new one covers."""

    def cost(pair: tuple[Conjunction, Conjunction]) -> float:
        if pair not in known:
            both = merged(*pair)
            known[pair] = loss(*pair, both), both
        return known[pair][0]

    one, other = min(_pairs(kept), key=cost)
    wider = known[one, other][1]
    longest = max(kept, key=lambda each: each.terms)
    if not wider.constraints and longest.terms > 1:  # no two have anything in common: better to shorten one
        one = other = longest
        wider = coarser(longest, longest.terms - min(excess, longest.terms // 2))
    at = kept.index(one)
    left = (wider if number == at else each for number, each in enumerate(kept) if each != other or number == at)
    kept[:] = [each for each in left if each is wider or not wider.covers(each)]


def _pairs(kept: list[Conjunction]) -> Iterator[tuple[Conjunction, Conjunction]]:
    return combinations(kept, 2) if len(kept) <= PAIRS_MAX else pairwise(kept)


def _thinned(alternatives: list[Conjunction]) -> list[Conjunction]:
    """Return at most ``COMPARED_MAX`` conjunctions that cover all of these; unchanged if there are not more."""
    kept = sorted(alternatives, key=_order) if len(alternatives) > COMPARED_MAX else alternatives
    while len(kept) > COMPARED_MAX:
        fewer = _neighbours_merged(kept, len(kept) - COMPARED_MAX)
        if len(fewer) > COMPARED_MAX and len(fewer) > 7 * len(kept) // 8:  # too few neighbours have anything in common
            halved = (coarser(each, each.terms // 2) if each.terms > 1 else each for each in fewer)
            fewer = sorted(dict.fromkeys(halved), key=_order)
            if fewer == kept:
                return [Conjunction()]
        kept = fewer
    return kept


def _neighbours_merged(kept: list[Conjunction], count_max: int) -> list[Conjunction]:
    """Merge up to ``count_max`` pairs of neighbours, those that lose the least precision first."""
    both = [merged(*pair) for pair in pairwise(kept)]
    losses = [loss(*pair, wider) for pair, wider in zip(pairwise(kept), both, strict=True)]
    joined: set[int] = set()
    for at in sorted(range(len(losses)), key=losses.__getitem__):
        if losses[at] == inf or len(joined) == count_max:
            break
        if at - 1 not in joined and at + 1 not in joined:
            joined.add(at)
    left = (both[at] if at in joined else each for at, each in enumerate(kept) if at - 1 not in joined)
    return list(dict.fromkeys(left))


def _uncovered(alternatives: list[Conjunction]) -> list[Conjunction]:
    """Return the conjunctions that no other one covers; the given ones are all different."""
    kept: list[Conjunction] = []
    for conjunction in alternatives:
        if not any(other.covers(conjunction) for other in kept):
            kept = [*(other for other in kept if not conjunction.covers(other)), conjunction]
    return kept


def _order(conjunction: Conjunction) -> tuple[str, str]:
    """Return a sort key that puts conjunctions on the same attributes side by side."""
    names = ",".join(sorted(conjunction.by_name))
    return names, str(conjunction)
