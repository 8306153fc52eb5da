"""docs/protocols.md: it describes every protocol, and its example passes the conformance suite."""

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import roamcast.testing
from roamcast.core.plugins import load_plugin_file
from roamcast.protocols import PROTOCOLS, load_protocol, protocol_names
from roamcast.testing import CHECKS, check_protocol

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "protocols.md").read_text(encoding="utf-8")
EXAMPLE, TEST = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_every_protocol_has_a_section() -> None:
    titled = re.findall(r"`([\w-]+)`", " ".join(re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)))
    assert sorted(titled) == sorted(protocol_names())


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example as a file of its own."""
    path = tmp_path / "coin_toss.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_is_all_that_a_new_protocol_needs_and_its_own_test_passes(example: Path) -> None:
    load_plugin_file(example)
    assert "coin-toss" in protocol_names()
    protocol = load_protocol("coin-toss")
    names = {**vars(roamcast.testing), **vars(sys.modules[protocol.__module__])}
    exec(TEST, names)
    assert names["host"].deliveries == []


def test_the_entry_point_in_the_example_names_the_protocol(install_package: Callable[..., Path]) -> None:
    (document,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    project = tomllib.loads(document)["project"]
    install_package(project["name"], {"coin_toss.py": EXAMPLE}, project["entry-points"], project["version"])
    assert load_protocol("coin-toss").__name__ == "CoinToss"
    assert PROTOCOLS.source("coin-toss").origin == "package coin-toss 1.0"


@pytest.mark.usefixtures("fresh_plugins")
def test_the_example_passes_the_conformance_suite(example: Path) -> None:
    load_plugin_file(example)
    results = list(check_protocol(load_protocol("coin-toss")))
    assert [result for result in results if not result.holds] == []
    assert len(results) == len(CHECKS)
