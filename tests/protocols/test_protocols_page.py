"""docs/protocols.md: its tables are the code's, and its example passes the conformance suite."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import roamcast.testing
from roamcast.core.host import PubSub
from roamcast.protocols import load_protocol, protocol_names
from roamcast.testing import CHECKS, check_protocol

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "protocols.md").read_text(encoding="utf-8")
EXAMPLE, TEST = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("name", protocol_names())
def test_every_protocol_has_a_section_with_its_parameters_and_their_defaults(name: str) -> None:
    (section,) = re.findall(
        rf"^## (?:`[^\n]*`, )?`{name}`(?:, `[^\n]*`)?\n(.*?)^## ", PAGE, flags=re.DOTALL | re.MULTILINE
    )
    rows = [tuple(re.findall(r"^\| `(\w+)` \| (.+?) \|", line)) for line in section.splitlines()]
    documented = [row[0] for row in rows if row]
    expected = [(each.name, _shown(each.default)) for each in fields(load_protocol(name).Parameters)]
    assert documented == expected


def _shown(default: object) -> str:
    return "see [routing.md](routing.md)" if is_dataclass(default) else json.dumps(default)


@pytest.fixture
def example(tmp_path: Path) -> Iterator[type[PubSub]]:
    """The example's protocol, loaded from a file of its own."""
    path = tmp_path / "coin_toss.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    specification = spec_from_file_location("coin_toss", path)
    assert specification is not None
    assert specification.loader is not None
    module = sys.modules["coin_toss"] = module_from_spec(specification)
    specification.loader.exec_module(module)
    yield module.CoinToss
    del sys.modules["coin_toss"]


def test_the_examples_own_test_passes(example: type[PubSub]) -> None:
    names = {**vars(roamcast.testing), **vars(sys.modules[example.__module__])}
    exec(TEST, names)
    assert names["host"].deliveries == []


def test_the_example_passes_the_conformance_suite(example: type[PubSub]) -> None:
    results = list(check_protocol(example))
    assert [result for result in results if not result.holds] == []
    assert len(results) == len(CHECKS)
