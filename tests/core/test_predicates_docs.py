"""The examples of docs/content.md are true."""

import re
from pathlib import Path

import pytest

from roamcast.core.parameters import build
from roamcast.core.predicates import NOTHING, PredicateError, parse, summarize
from roamcast.sim.workload.content import Content

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
    shown = re.findall(r"^    (.+)$", CHAPTERS["Errors"], re.MULTILINE)
    written = ["speed_mps < 5 and zone = 3", "speed_mps == 5", 'zone < 5 and zone = "a"']
    found = []
    for at, text in enumerate(written):
        attributes = [{"name": "speed_mps", "between": [0, 30]}, {"name": "zone", "words": ["north"]}]
        table = {"publishers": 1, "subscribers": 1, "rate_hz": 1, "validity_s": 1, "attributes": attributes}
        with pytest.raises(PredicateError) as caught:
            build(Content, {**table, "subscriptions": [*["anything"] * at, text]}, "city.toml [workload]")
        found.append(str(caught.value))
    assert shown == found
