"""``import roamcast``: cheap, with every public name there when it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

import roamcast as rc

HEAVY = ("numpy", "numba", "pyarrow", "pandas", "pyspark", "matplotlib")


def loaded_after(code: str) -> list[str]:
    """Return the heavy libraries, and our own modules, that are loaded after some code ran in a fresh interpreter."""
    shown = f"import sys; print(*sorted(n for n in sys.modules if n in {HEAVY} or n.startswith('roamcast')))"
    found = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True)
    return found.stdout.split()


def test_importing_the_package_loads_nothing_else() -> None:
    assert loaded_after("import roamcast; dir(roamcast)") == ["roamcast"]


def test_what_a_protocol_author_needs_comes_without_any_large_library() -> None:
    names = ", ".join(f"roamcast.{name}" for name in ("PubSub", "Host", "Message", "Event", "Topic", "UserError"))
    assert not set(loaded_after(f"import roamcast; {names}")) & set(HEAVY)


@pytest.mark.parametrize("name", rc.__all__)
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(rc, name) is not None
    assert name in dir(rc)


def test_a_function_is_the_same_object_wherever_it_is_taken_from() -> None:
    from roamcast.api.run import run

    assert rc.run is run


def test_a_plugin_file_is_loaded_by_a_public_function(tmp_path: Path) -> None:
    missing = tmp_path / "coin_toss.py"
    with pytest.raises(rc.UserError, match=r"coin_toss\.py: cannot be read as a plug-in"):
        rc.load_plugin(missing)
    code = f"import roamcast; roamcast.load_plugin({str(missing)!r}); from roamcast.core.plugins import plugin_files"
    missing.write_text("")
    assert "roamcast.core.plugins" in loaded_after(f"{code}; assert len(plugin_files()) == 1")


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'roamcast' has no attribute 'rum'"):
        _ = rc.rum  # type: ignore[attr-defined]
