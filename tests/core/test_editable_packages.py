"""Packages in development: all of a project's packages are known, whichever way its installer leads to them."""

import json
import sys
from collections.abc import Iterator, Sequence
from importlib import invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

import pytest

from roamcast.core.editable_packages import editable_roots
from roamcast.core.plugins import PackagedComponent, forget_plugins, packaged_components

FILES = {
    "coins/__init__.py": "",
    "coins/toss.py": "",
    "coins_shared/__init__.py": "1 / 0  # found, and not imported",
    "coins_too.py": "1 / 0",
    "tests/__init__.py": "",
    "notes/list.py": "a folder of somebody's, and no namespace of the project",
    "setup.py": "1 / 0",
    "coins.old/old.py": "",
    "build/lib/coins/__init__.py": "",
    "read me.py": "",
}
ALL = ("coins", "coins_shared", "coins_too")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the folder of a project, with a package folder that is named by each test."""
    return tmp_path / "project of mine"


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    (tmp_path / "site").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    forget_plugins()
    yield
    forget_plugins()


def install(site: Path, project: Path, point: str, *, pth: str | None = None, top_level: str | None = None) -> None:
    """Leave what an installer leaves of a project in development."""
    information = "coins-1.0.dist-info"
    noted = {"dir_info": {"editable": True}, "url": project.as_uri()}
    files = {
        f"{information}/METADATA": "Metadata-Version: 2.1\nName: coins\nVersion: 1.0\n",
        f"{information}/entry_points.txt": f"[roamcast.protocols]\ntoss = {point}\n",
        f"{information}/direct_url.json": json.dumps(noted),
        "_coins_hook.py": "",  # some build tools install a module that finds the others
    }
    if pth is not None:
        files["coins.pth"] = f"# how to get there\nimport _coins_hook\n\n{pth}\nnowhere\n"
    if top_level is not None:
        files[f"{information}/top_level.txt"] = top_level
    files[f"{information}/RECORD"] = "".join(f"{path},,\n" for path in files)
    write(site, files)
    invalidate_caches()


def found() -> PackagedComponent:
    (component,) = (each for each in packaged_components("protocols") if each.package == "coins")
    return component


@pytest.mark.parametrize("folder", ["src", "lib/python", "."])
def test_the_folders_of_a_pth_file_are_looked_into(
    folder: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / folder, FILES)
    install(tmp_path / "site", project, "coins.toss:Toss", pth=str(project / folder))
    monkeypatch.syspath_prepend(str(project / folder))
    assert found().roots == ALL


@pytest.mark.parametrize("folder", ["src", "."])
def test_where_a_hook_finds_the_packages_python_is_asked(
    folder: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hook:
        """Finds two of the project's packages, and nothing else."""

        @staticmethod
        def find_spec(
            name: str,
            path: Sequence[str] | None = None,
            target: ModuleType | None = None,  # noqa: ARG004
        ) -> ModuleSpec | None:
            known = name in ("coins", "coins_shared") and path is None
            return PathFinder.find_spec(name, [str(project / folder)]) if known else None

    write(project / folder, FILES)
    install(tmp_path / "site", project, "coins.toss:Toss")
    monkeypatch.setattr(sys, "meta_path", [Hook, *sys.meta_path])
    assert found().roots == ("coins", "coins_shared")


def test_of_a_namespace_the_parts_in_the_project_are_the_roots(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "src", {"acme/coins/__init__.py": "", "acme/shared.py": "", "other/x.py": "", "words.py": ""})
    install(tmp_path / "site", project, "acme.coins:Toss", pth=str(project / "src"))
    monkeypatch.syspath_prepend(str(project / "src"))
    assert found().roots == ("acme.coins", "acme.shared", "words")


def test_a_list_of_the_build_tool_goes_before_what_is_found(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, FILES)
    install(tmp_path / "site", project, "coins.toss:Toss", pth=str(project), top_level="coins\ncoins_too\n")
    monkeypatch.syspath_prepend(str(project))
    assert found().roots == ("coins", "coins_too")


@pytest.mark.parametrize(
    "noted",
    [
        "",
        "no JSON",
        "[]",
        '{"url": "file:///somewhere"}',
        '{"url": "https://example.org/x", "dir_info": {"editable": true}}',
        '{"url": "file:///somewhere", "dir_info": {}}',
        '{"url": 5, "dir_info": {"editable": true}}',
    ],
)
def test_an_installation_that_is_not_editable_or_says_nothing_has_no_roots_there(
    noted: str, project: Path, tmp_path: Path
) -> None:
    install(tmp_path / "site", project, "coins.toss:Toss")
    (tmp_path / "site" / "coins-1.0.dist-info" / "direct_url.json").write_text(noted)
    (distribution,) = distributions(name="coins", path=[str(tmp_path / "site")])
    assert editable_roots(distribution) == set()
