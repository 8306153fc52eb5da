"""The examples of docs/scenarios.md work."""

import re
import tomllib
from pathlib import Path

import pytest

from roamcast.campaigns.checked_scenario import Scenario

TEXT = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def test_the_first_example_is_a_scenario() -> None:
    assert Scenario.from_document(tomllib.loads(EXAMPLES[0])).name == "city"


@pytest.mark.parametrize("example", EXAMPLES[1:])
def test_the_other_examples_fit_into_the_first(example: str) -> None:
    tables = tomllib.loads(example)
    assert Scenario.from_document({**tomllib.loads(EXAMPLES[0]), **tables}).document.items() >= tables.items()
