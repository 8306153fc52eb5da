"""What docs/content.md shows is true."""

import re
from pathlib import Path

import pytest

from roamcast.core.attributes import AttributeType
from roamcast.core.predicates import NOTHING, PredicateError, parse, summarize

PAGE = (Path(__file__).parents[2] / "docs" / "content.md").read_text(encoding="utf-8")
CHAPTERS = {each.partition("\n")[0]: each for each in PAGE.split("\n## ")}
CODE = re.compile(r"`([^`]+)`")
EXAMPLES = re.findall(r"^    (.+)$", CHAPTERS["Comparisons"], re.MULTILINE)
WRITTEN = [CODE.findall(row)[0] for row in CHAPTERS["Comparisons"].splitlines() if row.startswith("| `")]
SUMMARIES = [
    row.split(" | ") for row in CHAPTERS["Summaries"].splitlines() if row.startswith("| `x") or "`topic" in row
]


@pytest.mark.parametrize("text", [*EXAMPLES, *WRITTEN])
def test_every_example_is_a_predicate(text: str) -> None:
    assert parse(text) != NOTHING


def test_there_are_examples_of_all_kinds() -> None:
    assert len(EXAMPLES) == 4
    assert len(WRITTEN) == 11
    assert len(SUMMARIES) == 5


@pytest.mark.parametrize("row", SUMMARIES, ids=lambda row: row[0])
def test_every_summary_is_the_one_that_is_shown(row: list[str]) -> None:
    subscriptions, terms_max, shown = row
    found = summarize([parse(text) for text in CODE.findall(subscriptions)], int(terms_max))
    assert str(found) == CODE.findall(shown)[0]


def test_the_errors_are_the_ones_that_are_shown() -> None:
    schema = {"speed_mps": AttributeType.NUMBER, "zone": AttributeType.TEXT}
    shown = re.findall(r"^    (.+)$", CHAPTERS["Errors"], re.MULTILINE)
    with pytest.raises(PredicateError) as strict:
        parse("speed_mps < 5 and zone = 3", "campus.toml [workload] interest", schema)
    with pytest.raises(PredicateError) as plain:
        parse("speed_mps == 5")
    assert shown == [str(strict.value), str(plain.value)]
