"""docs/protocols.md: it describes every protocol, and its example passes the conformance suite."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import recording_host

import roamcast.protocols
from roamcast.core.components import component_modules
from roamcast.protocols import load_protocol, protocol_names

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "protocols.md").read_text(encoding="utf-8")
EXAMPLE, TEST = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_every_protocol_has_a_section() -> None:
    titled = re.findall(r"`([\w-]+)`", " ".join(re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)))
    assert sorted(titled) == sorted(protocol_names())


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
    names = {**vars(recording_host), **vars(sys.modules[protocol.__module__])}
    exec(TEST, names)
    assert names["host"].deliveries == []


PLUGIN = """
import roamcast.protocols
roamcast.protocols.__path__.append({folder!r})
"""


def test_the_example_passes_the_conformance_suite(planted: Path, tmp_path: Path) -> None:
    (tmp_path / "plant_example.py").write_text(PLUGIN.format(folder=str(planted)), encoding="utf-8")
    suite = [str(HERE / name) for name in ("test_conformance.py", "test_conformance_hostile.py")]
    options = ["-q", "-p", "plant_example", "-p", "no:cacheprovider", "-k", "coin-toss or TossedEvent"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "pytest", *options, *suite]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert int(re.findall(r"(\d+) passed", ran.stdout)[0]) == 12
