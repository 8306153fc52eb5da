"""docs/protocols.md: its tables are the code's, and its example passes the conformance suite."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import roamcast.protocols
import roamcast.testing
from roamcast.core.components import component_modules
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
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example as a file among the protocols, for this test only."""
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "coin_toss.py").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.setattr(roamcast.protocols, "__path__", [*roamcast.protocols.__path__, str(folder)])
    component_modules.cache_clear()
    yield folder
    component_modules.cache_clear()
    sys.modules.pop("roamcast.protocols.coin_toss", None)


@pytest.mark.usefixtures("planted")
def test_a_file_is_all_that_a_new_protocol_needs_and_its_own_test_passes() -> None:
    assert "coin-toss" in protocol_names()
    protocol = load_protocol("coin-toss")
    names = {**vars(roamcast.testing), **vars(sys.modules[protocol.__module__])}
    exec(TEST, names)
    assert names["host"].deliveries == []


@pytest.mark.usefixtures("planted")
def test_the_example_passes_the_conformance_suite() -> None:
    results = list(check_protocol(load_protocol("coin-toss")))
    assert [result for result in results if not result.holds] == []
    assert len(results) == len(CHECKS)
