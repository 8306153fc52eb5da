"""Topics in a hierarchy: what covers what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.topics import LENGTH_MAX, InvalidTopicError, Topic

paths = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=4).map(lambda parts: ".".join(parts) or ".")
topics = paths.map(Topic)


@pytest.mark.parametrize(
    ("topic", "other", "covered"),
    [
        ("grenoble.conferences", "grenoble.conferences.middleware", True),  # the paper's own example
        ("grenoble.conferences", "grenoble.conferences", True),
        ("grenoble.conferences", "grenoble.conferencesX", False),
        ("grenoble.conferences", "grenoble.conferencesX.middleware", False),
        ("grenoble.conferences", "grenoble", False),
        ("grenoble.conferences", "lyon.conferences", False),
        ("conferences", "grenoble.conferences", False),
        ("grenoble.conferences", ".", False),
        (".", "grenoble.conferences", True),
        (".", ".", True),
    ],
)
def test_a_topic_covers_itself_and_all_topics_below_it(topic: str, other: str, covered: bool) -> None:
    assert Topic(topic).covers(Topic(other)) is covered


def segments(topic: Topic) -> list[str]:
    return [] if topic.path == "." else topic.path.split(".")


@given(topics, topics)
def test_to_cover_is_to_be_the_beginning_of_the_path(topic: Topic, other: Topic) -> None:
    assert topic.covers(other) == (segments(other)[: len(segments(topic))] == segments(topic))


@given(topics, topics, topics)
def test_covering_is_an_order(one: Topic, two: Topic, three: Topic) -> None:
    assert one.covers(one)
    assert not (one.covers(two) and two.covers(one)) or one == two
    assert not (one.covers(two) and two.covers(three)) or one.covers(three)
    assert Topic.root().covers(one)


@given(topics)
def test_the_way_up_ends_at_the_root(topic: Topic) -> None:
    assert topic.parent.covers(topic)
    above = topic
    for _ in segments(topic):
        assert above != Topic.root()
        above = above.parent
    assert above == above.parent == Topic.root()


@given(topics)
def test_the_paths_to_the_root_are_those_of_all_topics_that_cover_it(topic: Topic) -> None:
    assert list(Topic("a.b-1.c").to_root()) == ["a.b-1.c", "a.b-1", "a", "."]
    paths = list(topic.to_root())
    assert all(Topic(path).covers(topic) for path in paths)
    assert len(paths) == (1 if topic.path == "." else topic.path.count(".") + 2)


def test_the_parent_is_one_level_up() -> None:
    assert Topic("grenoble.conferences.middleware").parent == Topic("grenoble.conferences")
    assert Topic("grenoble").parent == Topic(".")


@pytest.mark.parametrize("text", ["", "..", ".a", "a.", "a..b", "a b", "a/b", "é", "a\n", "a.\n", " ", "*", "a.*"])
def test_what_is_not_segments_joined_by_dots_is_no_topic(text: str) -> None:
    with pytest.raises(InvalidTopicError, match="is not a topic: segments of letters, digits"):
        Topic(text)


def test_a_topic_has_a_length_that_can_be_stored() -> None:
    assert Topic("a" * LENGTH_MAX).path == "a" * LENGTH_MAX
    with pytest.raises(InvalidTopicError, match="at most 255 characters"):
        Topic("a" * (LENGTH_MAX + 1))


def test_equal_paths_are_equal_topics_and_sort_by_their_paths() -> None:
    assert {Topic("a.b"), Topic("a.b")} == {Topic("a.b")}
    assert sorted([Topic("b"), Topic("a.b"), Topic("a")]) == [Topic("a"), Topic("a.b"), Topic("b")]
    assert str(Topic("a.b")) == "a.b"
