"""How the suite is spread over several processes (``make test``): all tests with Spark stay in one of them.

A Spark session costs seconds and half a gigabyte, and uses all cores already; so one process has the only one.
"""

from pathlib import Path

import pytest

SPARK_TESTS = Path(__file__).parent / "pipeline"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests with Spark into one group, which pytest-xdist never parts (``--dist loadgroup``)."""
    for item in items:
        if item.path.is_relative_to(SPARK_TESTS):
            item.add_marker(pytest.mark.xdist_group("spark"))
