"""The summary forest: the paper's example, and what must hold whoever comes and goes."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace
from roamcast.matching.range_vectors import Encoder, RangeVector, Vectors, matches, size_bits
from roamcast.matching.summary_forest import SummaryForest

SPACE = AttributeSpace(dict.fromkeys("ABCEFGH", (0.0, 100.0)))
ENCODER = Encoder(SPACE, length_max=64)
PAPER: list[dict[str, tuple[float, float]]] = [
    {"A": (0, 50)},
    {"B": (10, 50)},
    {"A": (0, 25), "B": (15, 45)},
    {"A": (25, 100), "B": (30, 40), "C": (13, 27)},
    {"B": (25, 50), "F": (5, 10)},
    {"E": (0, 30), "F": (25, 35)},
    {"B": (5, 45), "E": (5, 10), "G": (0, 100)},
    {"E": (0, 10), "F": (30, 45), "H": (5, 15)},
]


def vectors_of(**ranges: tuple[float, float]) -> dict[str, RangeVector]:
    return ENCODER.subscription(ranges)


def test_the_paper_s_eight_subscriptions_make_three_trees() -> None:
    forest: SummaryForest[int] = SummaryForest()
    for number, ranges in enumerate(PAPER, 1):
        forest.add(number, ENCODER.subscription(ranges))
    assert [(tree.root, tree.below) for tree in forest.trees] == [(1, [3, 4]), (2, [5, 7]), (6, [8])]
    merged = ENCODER.subscription_vector
    assert forest.representatives() == [
        {"A": merged("A", (0, 50)).merged(merged("A", (25, 100)))},
        {"B": merged("B", (10, 50)).merged(merged("B", (5, 45)))},
        {"E": merged("E", (0, 30)), "F": merged("F", (25, 35)).merged(merged("F", (30, 45)))},
    ]


def test_a_subscription_with_fewer_attributes_becomes_the_root_and_draws_other_trees_under_it() -> None:
    forest: SummaryForest[str] = SummaryForest()
    forest.add("ab", vectors_of(A=(0, 10), B=(0, 10)))
    forest.add("ac", vectors_of(A=(5, 20), C=(0, 10)))
    forest.add("apart", vectors_of(A=(80, 90), C=(0, 10)))
    assert len(forest.trees) == 3
    forest.add("a", vectors_of(A=(0, 8)))
    assert [(tree.root, sorted(tree.below)) for tree in forest.trees] == [("a", ["ab", "ac"]), ("apart", [])]


def test_the_removal_of_what_joined_two_trees_parts_them_again() -> None:
    forest: SummaryForest[str] = SummaryForest()
    forest.add("low", vectors_of(A=(0, 10), B=(0, 10)))
    forest.add("high", vectors_of(A=(60, 70), B=(60, 70)))
    forest.add("both", vectors_of(A=(5, 65), B=(5, 65)))
    assert len(forest.trees) == 1
    assert forest.matches_any_root(ENCODER.publication({"A": 69, "B": 69}))
    forest.remove("both")
    assert [tree.root for tree in forest.trees] == ["low", "high"]
    assert not forest.matches_any_root(ENCODER.publication({"A": 5, "B": 65}))


def test_a_later_tree_that_has_grown_draws_an_earlier_one_with_more_attributes_under_it() -> None:
    forest: SummaryForest[str] = SummaryForest()
    forest.add("ab", vectors_of(A=(0, 10), B=(0, 10)))
    forest.add("a", vectors_of(A=(50, 60)))
    forest.add("ac", vectors_of(A=(8, 52), C=(0, 10)))
    assert [(tree.root, sorted(tree.below)) for tree in forest.trees] == [("a", ["ab", "ac"])]
    assert forest.matches_any_root(ENCODER.publication({"A": 1}))


def test_the_removal_of_a_root_lets_the_others_stand_alone() -> None:
    forest: SummaryForest[int] = SummaryForest()
    for number, ranges in enumerate(PAPER, 1):
        forest.add(number, ENCODER.subscription(ranges))
    forest.remove(2)
    # Of its children 5 has no other tree to go to, 7 neither; 3 stays with A.
    assert [(tree.root, tree.below) for tree in forest.trees] == [(1, [3, 4]), (5, []), (6, [8]), (7, [])]


ranges = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda ends: (5.0 * min(ends), 5.0 * max(ends)))
subscriptions = st.dictionaries(st.sampled_from("ABC"), ranges, min_size=1, max_size=3).map(ENCODER.subscription)
events = st.fixed_dictionaries({}, optional={name: st.integers(0, 100).map(float) for name in "ABC"})
histories = st.lists(subscriptions | subscriptions | subscriptions | st.integers(0, 30), max_size=25)


def played(history: list[Vectors | int], reads_each: bool = False) -> SummaryForest[int | str]:
    forest: SummaryForest[int | str] = SummaryForest()
    there: list[int] = []
    for number, step in enumerate(history):
        if not isinstance(step, int):
            forest.add(number, step)
            there.append(number)
        elif there:
            forest.remove(there.pop(step % len(there)))
        assert not reads_each or sum(1 + len(tree.below) for tree in forest.trees) == len(there)
    assert len(forest) == len(there)
    return forest


@settings(max_examples=60, deadline=None)
@given(histories, st.lists(events, min_size=1, max_size=8))
def test_the_roots_cover_every_subscription(history: list[Vectors | int], published: list[dict[str, float]]) -> None:
    forest = played(history)
    members = [each for tree in forest.trees for each in tree.members()]
    assert sorted(members) == sorted(set(members))
    assert len(members) == len(forest)
    for tree in forest.trees:
        for each in tree.members():
            assert all(vector.covers(forest[each][name]) for name, vector in tree.summary.items())
    for event in map(ENCODER.publication, published):
        wanted = [each for each in members if matches(event, forest[each])]
        assert sorted(forest.match(event)) == sorted(wanted)
        assert forest.matches_any_root(event) or not wanted


@settings(max_examples=60, deadline=None)
@given(histories, st.lists(subscriptions, min_size=1, max_size=4), st.permutations(range(4)))
def test_removing_what_was_added_restores_the_roots(
    history: list[Vectors | int], added: list[Vectors], order: list[int]
) -> None:
    forest = played(history)
    before = [(tree.root, dict(tree.summary), sorted(tree.below)) for tree in forest.trees]
    for number, vectors in enumerate(added):
        forest.add(1_000 + number, vectors)
    for number in order:
        if number < len(added):
            forest.remove(1_000 + number)
    assert [(tree.root, dict(tree.summary), sorted(tree.below)) for tree in forest.trees] == before


@settings(max_examples=60, deadline=None)
@given(histories)
def test_the_trees_are_the_same_whether_they_are_read_after_each_change_or_at_the_end(
    history: list[Vectors | int],
) -> None:
    assert played(history).trees == played(history, reads_each=True).trees


@settings(max_examples=60, deadline=None)
@given(histories)
def test_the_representative_set_never_grows_by_aggregation(history: list[Vectors | int]) -> None:
    forest = played(history)
    representatives = forest.representatives()
    assert len(representatives) <= len(forest)
    alone = sum(size_bits(forest[each]) for tree in forest.trees for each in tree.members())
    assert sum(map(size_bits, representatives)) <= alone
    before = len(forest.trees)
    forest.add(-1, vectors_of(A=(20, 30)))
    assert len(forest.trees) <= before + 1
    for tree in list(forest.trees):  # what is summed up already adds nothing
        trees, summaries = len(forest.trees), forest.representatives()
        forest.add(f"again {tree.root}", tree.summary)
        assert (len(forest.trees), forest.representatives()) == (trees, summaries)


@settings(max_examples=60, deadline=None)
@given(histories)
def test_no_tree_could_stand_below_another(history: list[Vectors | int]) -> None:
    summaries = played(history).representatives()
    for one, two in permutations(summaries, 2):
        assert not (one.keys() <= two.keys() and all(vector.overlaps(two[name]) for name, vector in one.items()))


@settings(max_examples=60, deadline=None)
@given(histories, st.lists(subscriptions, min_size=1, max_size=4), st.lists(events, min_size=1, max_size=8))
def test_removing_what_was_added_restores_what_the_roots_match(
    history: list[Vectors | int], added: list[Vectors], published: list[dict[str, float]]
) -> None:
    forest = played(history)
    said = [ENCODER.publication(event) for event in published]
    before = [(forest.matches_any_root(event), forest.match(event)) for event in said]
    for number, vectors in enumerate(added):
        forest.add(1_000 + number, vectors)
    for number in range(len(added)):
        forest.remove(1_000 + number)
    assert [(forest.matches_any_root(event), forest.match(event)) for event in said] == before


def test_who_is_there_twice_or_not_at_all_is_named() -> None:
    forest: SummaryForest[str] = SummaryForest()
    forest.add("ann", vectors_of(A=(0, 1)))
    with pytest.raises(UserError, match="'ann' is already in the forest"):
        forest.add("ann", vectors_of(A=(0, 1)))
    with pytest.raises(UserError, match="'bob' is not in the forest"):
        forest.remove("bob")
