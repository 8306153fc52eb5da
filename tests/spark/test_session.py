import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import py4j.java_gateway  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from roamcast.spark.runs.simulate_task import load_simulator
from roamcast.spark.session.session import open_session


def test_workers_run_the_python_of_the_driver(spark: SparkSession) -> None:
    def who(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"python": [sys.executable]})

    assert spark.range(1, numPartitions=1).mapInArrow(who, "python string").first()["python"] == sys.executable  # type: ignore[index]


def test_a_worker_that_replaces_another_has_the_simulator_loaded_already(spark: SparkSession) -> None:
    def fails(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("and takes its worker with it")

    def loaded(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"simulator": [load_simulator.cache_info().currsize == 1]})

    with pytest.raises(PythonException):  # after four attempts, which leave no worker of an earlier test
        spark.range(1, numPartitions=1).mapInArrow(fails, "simulator boolean").collect()
    assert spark.range(1, numPartitions=1).mapInArrow(loaded, "simulator boolean").first()["simulator"]  # type: ignore[index]


def test_a_session_leaves_the_environment_and_ctrl_c_alone(spark: SparkSession) -> None:
    assert spark.range(1).count() == 1
    # Python's own handler, or none where whoever runs the tests in the background has Ctrl-C ignored.
    assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)
    assert not {"SPARK_HOME", "SPARK_LOCAL_IP", "PYSPARK_PYTHON"} & os.environ.keys()


def test_a_running_session_is_used_again(spark: SparkSession) -> None:
    assert open_session() is spark


def test_a_traceback_of_the_bridge_to_java_stays_off_the_screen(spark: SparkSession) -> None:
    assert spark.range(1).count() == 1
    root = logging.getLogger()

    def passes(source: str) -> bool:
        return bool(root.filter(root.makeRecord("root", logging.ERROR, source, 1, "it broke", (), None)))

    assert not passes(py4j.java_gateway.__file__)
    assert passes(__file__)


def test_something_that_listens_but_is_no_master_is_one_line(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from roamcast.spark.session import session\n"
        "from roamcast.core.errors import UserError\n"
        "session.REGISTRATION_TIMEOUT_S = 0.5\n"
        "try: session.open_session(sys.argv[1], Path(sys.argv[2]))\n"
        "except UserError as error: print(error)\n"
    )
    log_file = tmp_path / "spark.log"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"spark://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-c", program, url, str(log_file)]
        child = subprocess.run(command, capture_output=True, text=True, check=True)
    assert child.stdout == f'--master = "{url}": Spark does not start there; see {log_file}\n'
    assert child.stderr == ""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_while_java_starts_leaves_no_java_behind(tmp_path: Path, name: str) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from roamcast.spark.session import session\n"
        "signal.signal(signal.Signals[sys.argv[2]], signal.default_int_handler)\n"
        "launch, started = session.launch_gateway, []\n"
        "def interrupted(*arguments):\n"
        "    os.kill(os.getpid(), signal.Signals[sys.argv[2]])\n"
        "    started.append(launch(*arguments))\n"
        "    return started[0]\n"
        "session.launch_gateway = interrupted\n"
        "try: session.open_session(log_file=Path(sys.argv[1]))\n"
        "except KeyboardInterrupt: print('interrupted', started[0].proc.poll() is not None)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "spark.log"), name]
    child = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (child.stdout, child.stderr) == ("interrupted True\n", "")
