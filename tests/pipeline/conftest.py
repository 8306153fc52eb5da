"""One Spark session for all tests of this folder: two cores, two shuffle partitions, the quick start.

Where the suite is spread over processes (``make test``), one of them has the only session: it costs seconds and half a
gigabyte, and uses all cores already.
"""

from collections.abc import Iterator
from pathlib import Path

import fake_runs
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from roamcast.pipeline.session import close_session, open_session

HERE = Path(__file__).parent
MASTER = "local[2,4]"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of this folder into one group, which pytest-xdist never parts (``--dist loadgroup``)."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Return the session that all tests share."""
    cloudpickle.register_pickle_by_value(fake_runs)  # type: ignore[no-untyped-call]  # the workers cannot import it
    log_file = tmp_path_factory.mktemp("session") / "spark.log"
    session = open_session(MASTER, log_file, shuffle_partitions=2)
    yield session
    close_session(session)
