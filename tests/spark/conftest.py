"""One Spark session for all tests of this folder: two cores, two shuffle partitions, the quick start."""

from collections.abc import Iterator

import fake_runs
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from roamcast.spark.session.session import close_session, open_session

MASTER = "local[2,4]"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Return the session that all tests share."""
    cloudpickle.register_pickle_by_value(fake_runs)  # type: ignore[no-untyped-call]  # the workers cannot import it
    log_file = tmp_path_factory.mktemp("session") / "spark.log"
    session = open_session(MASTER, log_file, shuffle_partitions=2, makes_runs=True)
    yield session
    close_session(session)
