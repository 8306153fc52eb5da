"""Shared by all tests: hypothesis without a deadline, plug-ins that one test sees alone, and which tests are slow.

``tests/slow_tests.txt`` lists the test functions that took long when it was written; ``make check`` leaves them out. To
write it anew, run all tests with ``--write-slow`` on an idle machine.
"""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import invalidate_caches
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from roamcast.core.plugins import forget_plugins

settings.register_profile("roamcast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roamcast")

InstallPackage = Callable[..., Path]
SLOW_TESTS = Path(__file__).parent / "tests" / "slow_tests.txt"
SLOW_S = 0.08
"""A test function whose cases take longer than this together is slow."""
GARBAGE_THRESHOLD = 10_000
"""How many new objects trigger a garbage collection: with Python's 700, a sixth of the time of all tests goes into
looking at the same million objects again and again."""
gc.set_threshold(GARBAGE_THRESHOLD)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the list of slow tests anew."""
    parser.addoption("--write-slow", action="store_true", help=f"write {SLOW_TESTS.name} from this run's durations")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the durations if they are to be written down, in the process that hears of all tests."""
    if config.getoption("--write-slow") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SlowTests(), "slow-tests")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are known to be slow."""
    slow = set(SLOW_TESTS.read_text(encoding="utf-8").splitlines()) if SLOW_TESTS.exists() else set()
    for item in items:
        if _function(item.nodeid) in slow:
            item.add_marker(pytest.mark.slow)


class SlowTests:
    """Adds up how long each test function takes, its fixtures included."""

    def __init__(self) -> None:
        self._took_s: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one phase of one case."""
        self._took_s[_function(report.nodeid)] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self) -> None:
        """Write the list."""
        slow = sorted(name for name, took_s in self._took_s.items() if took_s > SLOW_S)
        SLOW_TESTS.write_text("".join(f"{name}\n" for name in slow), encoding="utf-8")


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


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
    """Return a function that puts a package on the path as pip would: its files, and its entry points by group.

    In another folder, the same package takes the place of what was installed before, as in a new process.
    """
    before = set(sys.modules)
    sites: list[Path] = []

    def install(
        name: str,
        files: Mapping[str, str],
        entry_points: Mapping[str, Mapping[str, str]],
        version: str = "1.0",
        folder: str = "site",
    ) -> Path:
        site = tmp_path / folder
        if site not in sites:
            forget_modules()
            site.mkdir()
            sites.append(site)
            monkeypatch.syspath_prepend(str(site))
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
        (information / "RECORD").write_text("".join(f"{path},,\n" for path in files))
        invalidate_caches()
        forget_plugins()
        return site

    def forget_modules() -> None:
        for module in set(sys.modules) - before:
            if str(getattr(sys.modules[module], "__file__", None)).startswith(tuple(map(str, sites))):
                del sys.modules[module]

    yield install
    forget_modules()
