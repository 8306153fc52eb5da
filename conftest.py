"""What all tests share: examples of hypothesis are not judged by the clock of a machine that others use, too."""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import invalidate_caches
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from roamcast.core.plugins import forget_plugins

settings.register_profile("roamcast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roamcast")

InstallPackage = Callable[..., Path]


@pytest.fixture
def fresh_plugins() -> Iterator[None]:
    """Let a test load plug-ins that the next one does not know."""
    forget_plugins()
    yield
    forget_plugins()


@pytest.fixture
def install_package(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fresh_plugins: None,  # noqa: ARG001
) -> Iterator[InstallPackage]:
    """Return a function that puts a package on the path as pip would: its files, and its entry points by group."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)

    def install(
        name: str, files: Mapping[str, str], entry_points: Mapping[str, Mapping[str, str]], version: str = "1.0"
    ) -> Path:
        for path, text in files.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_text(text, encoding="utf-8")
        information = site / f"{name.replace('-', '_')}-{version}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [
            f"[{group}]\n" + "\n".join(f"{n} = {value}" for n, value in names.items())
            for group, names in entry_points.items()
        ]
        (information / "entry_points.txt").write_text("\n".join(lines) + "\n")
        invalidate_caches()
        forget_plugins()
        return site

    yield install
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", None)).startswith(str(site)):
            del sys.modules[module]
