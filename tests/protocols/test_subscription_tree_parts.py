"""The order of labels that keeps a tree without cycles, and which interests are told to whom."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.event_interests import Interest
from roamcast.core.predicates import compare
from roamcast.protocols.subscription_tree.filters import COVERING_MAX, Covering, EventMatches, Filters, Side, uncovered
from roamcast.protocols.subscription_tree.messages import LEVEL_MAX, Label
from roamcast.testing import event_of, interest_in

few = st.integers(0, 4)
labels = st.builds(Label, few, few, few, few)


@given(parent=labels, child=labels)
def test_who_is_adopted_rises_or_stays_and_is_below_its_parent(parent: Label, child: Label) -> None:
    if parent.can_adopt(child):
        assert child.rank <= parent.below.rank < parent.rank


@given(one=labels, other=labels)
def test_no_two_can_adopt_each_other(one: Label, other: Label) -> None:
    assert not (one.can_adopt(other) and other.can_adopt(one))


@given(one=labels, other=labels)
def test_who_is_ahead_can_adopt_and_is_never_adopted(one: Label, other: Label) -> None:
    if one.is_ahead_of(other) and one.epoch:
        assert one.can_adopt(other)
        assert not other.can_adopt(one)


def test_a_newer_number_counts_more_than_a_level_and_a_later_tree_more_than_a_number() -> None:
    assert Label(1, 5, 8, 20).can_adopt(Label(1, 5, 7, 1))
    assert Label(1, 5, 7, 3).can_adopt(Label(1, 5, 7, 4))
    assert not Label(1, 5, 7, 4).can_adopt(Label(1, 5, 7, 4))
    assert Label(2, 3, 0, 9).can_adopt(Label(1, 5, 7, 0))
    assert not Label().can_adopt(Label())  # who is in no tree adopts nobody


def test_one_number_is_not_yet_a_sign_that_a_part_is_cut_off() -> None:
    assert not Label(1, 5, 8, 0).is_ahead_of(Label(1, 5, 7, 3))
    assert Label(1, 5, 9, 0).is_ahead_of(Label(1, 5, 7, 3))


def test_absurd_labels_are_not_sound() -> None:
    assert Label(1, 2, 3, 4).is_sound()
    for label in (
        Label(-1),
        Label(1, -1),
        Label(1, 1, -1),
        Label(1, 1, 1, -1),
        Label(2**80),
        Label(1, 1, 1, LEVEL_MAX),
    ):
        assert not label.is_sound()


# --- filters ----------------------------------------------------------------------------------------------------

names, values = st.sampled_from("abc"), st.sampled_from(("x", "y"))


@st.composite
def conjunctions(draw: st.DrawFn) -> Interest:
    wanted = draw(st.dictionaries(names, values, min_size=1, max_size=3))
    parts = [compare(name, "=", value) for name, value in wanted.items()]
    predicate = parts[0]
    for part in parts[1:]:
        predicate = predicate & part
    return predicate


@settings(deadline=None)
@given(asked=st.frozensets(conjunctions(), max_size=10))
def test_what_is_told_covers_all_and_nothing_of_it_covers_another(asked: frozenset[Interest]) -> None:
    told = uncovered(asked)
    assert set(told) <= asked
    assert all(any(each.covers(interest) for each in told) for interest in asked)
    assert not any(one.covers(other) or other.covers(one) for one, other in combinations(told, 2))


def test_of_two_that_cover_each_other_one_is_told() -> None:
    one, other = interest_in("news"), compare("topic", "=", "news")
    assert one.covers(other)
    assert other.covers(one)
    assert len(uncovered(frozenset({one, other}))) == 1


def test_covering_forgets_rather_than_grow() -> None:
    covering = Covering()
    for number in range(0, 3 * COVERING_MAX, 512):
        some = frozenset(interest_in(f"t{number + each}") for each in range(512))
        assert covering.covered(some) == set()
        assert len(covering._seen) <= COVERING_MAX


def test_a_neighbour_is_told_what_is_asked_for_on_all_other_sides_and_not_its_own() -> None:
    filters = Filters()
    filters.own = {interest_in("news.local")}
    filters.sides = {1: Side({interest_in("news")}), 2: Side({interest_in("traffic")}), 3: Side()}
    assert filters.interests_for(1) == (interest_in("news.local"), interest_in("traffic"))
    assert filters.interests_for(2) == (interest_in("news"),)
    assert filters.interests_for(3) == (interest_in("news"), interest_in("traffic"))
    assert list(filters.sides_for(event_of(9, topic="news.far"), None)) == [1]
    assert list(filters.sides_for(event_of(9, topic="news.far"), 1)) == []


def test_a_filter_takes_no_more_than_its_limit() -> None:
    side = Side()
    assert side.update([interest_in("a"), interest_in("b")], [], 2)
    assert not side.update([interest_in("c")], [], 2)
    assert side.update([interest_in("c")], [interest_in("a")], 2)
    assert side.interests == {interest_in("b"), interest_in("c")}


def test_the_matches_of_an_event_are_forgotten_rather_than_grow() -> None:
    matches = EventMatches(event_of(9, topic="news"))
    news = interest_in("news")
    for number in range(0, 3 * COVERING_MAX, 512):
        some: set[Interest] = {interest_in(f"t{number + each}") for each in range(512)}
        assert not matches.any_of(some)
        assert matches.any_of({*some, news})
        assert len(matches._seen) <= COVERING_MAX + 513


def test_only_the_other_sides_of_a_change_are_out_of_date() -> None:
    filters = Filters()
    filters.sides = {1: Side(is_up_to_date=True), 2: Side(is_up_to_date=True)}
    filters.note_change(1)
    assert [side.is_up_to_date for side in filters.sides.values()] == [True, False]
    filters.note_change()
    assert not any(side.is_up_to_date for side in filters.sides.values())
