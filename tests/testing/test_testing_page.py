"""docs/testing.md: it lists every check, and its examples pass with the protocol that ``roamcast new`` writes."""

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import roamcast.testing
from roamcast.cli import main
from roamcast.sim.simulation import simulate
from roamcast.testing import CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
TEST, *EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the package that the page tells of, ready to be imported."""
    assert main(["new", "protocol", "coin-toss", "--into", str(tmp_path)]) == 0
    monkeypatch.syspath_prepend(str(tmp_path / "coin-toss" / "src"))
    yield tmp_path / "coin-toss"
    for name in [name for name in sys.modules if name.split(".")[0] == "coin_toss"]:
        del sys.modules[name]


def test_the_page_lists_the_checks_in_their_order() -> None:
    assert re.findall(r"^\| `([a-z]+(?:-[a-z]+)+)` \| ", PAGE, flags=re.MULTILINE) == [check.name for check in CHECKS]


def test_the_page_shows_the_test_that_a_new_package_has(package: Path) -> None:
    written = (package / "tests" / "test_coin_toss.py").read_text(encoding="utf-8")
    assert written.partition("\n\n")[2] == TEST


@pytest.mark.usefixtures("package")
def test_the_examples_of_the_page_hold() -> None:
    from coin_toss.protocol import CoinToss  # type: ignore[import-not-found]

    assert len(EXAMPLES) == 3
    for example in EXAMPLES:
        names: dict[str, Any] = {
            **vars(roamcast.testing),
            "CoinToss": CoinToss,
            "simulate": simulate,
            "itertools": itertools,
        }
        exec(example, names)
