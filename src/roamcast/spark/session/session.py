"""Opening the Spark session: quietly and in the same way for every command, on this machine or on a cluster.

Measurements behind the choices: a default session costs 10 to 12 s of CPU time; with only the first compiler tier and
the serial collector 6 s; with a class-data archive (``class_archive``) 3 s. All output of Java goes to a log file.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import IO, Any

import py4j  # type: ignore[import-untyped]
import pyspark
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from roamcast.core.errors import InvalidValueError
from roamcast.spark.session import MAKES_RUNS
from roamcast.spark.session.class_archive import find_archive
from roamcast.spark.session.java import Java, find_java
from roamcast.spark.session.master import DEFAULT_MASTER, Master, check_master
from roamcast.spark.session.shipping import ship_package

REGISTRATION_TIMEOUT_S = 25.0
"""How long a server at a ``spark://`` address may take to act like a master; Spark itself waits for 60 s."""
WORKER_DAEMON = "roamcast.spark.session.worker_daemon"
QUICK_START_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:disable")
"""These halve the start-up time; steady work in Java becomes 1.7 times slower, but ours is in Python."""

QUICK_START_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""For tables of a few thousand runs, replanning and compiling queries costs more than it gains (a fifth of the total).
"""


def open_session(
    master_url: str = DEFAULT_MASTER,
    log_file: Path | None = None,
    *,
    quick_start: bool = True,
    makes_runs: bool = False,
    daemon: str = WORKER_DAEMON,
    shuffle_partitions: int | None = None,
    java_options: tuple[str, ...] = (),
) -> SparkSession:
    """Return the running session, or start one; ``log_file`` receives the output of Java and the workers.

    ``quick_start`` is for commands with little work in Java, ``makes_runs`` for those that simulate. ``daemon`` is the
    module from which workers are forked on one machine. ``java_options`` are for ``make_archive``, whose Java must not
    use an archive.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    logging.getLogger().addFilter(_is_not_of_bridge)
    master = check_master(master_url)
    java = find_java()
    options = list(java_options)
    settings = _settings(master, shuffle_partitions, daemon)
    if quick_start:
        archive = find_archive(java) if not java_options else None
        options += [*QUICK_START_OPTIONS, *([f"-XX:SharedArchiveFile={archive}"] if archive else [])]
    if quick_start and master.is_local:
        settings |= QUICK_START_SETTINGS
    if makes_runs:
        settings[f"spark.executorEnv.{MAKES_RUNS}"] = "1"
    with as_file(files("roamcast.spark.session") / "quiet_log4j2.properties") as log4j, _environment(master, java):
        options.append(f"-Dlog4j2.configurationFile={log4j.as_uri()}")
        settings["spark.driver.extraJavaOptions"] = " ".join(f'"{option}"' for option in options)
        spark = _start(master, settings, log_file)
    if not master.is_local:
        ship_package(spark)
    return spark


def close_session(spark: SparkSession) -> None:
    """Stop the session and wait until its Java process is gone."""
    gateway: Any = SparkContext._gateway
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    _forget_gateway()


def _settings(master: Master, shuffle_partitions: int | None, daemon: str) -> dict[str, str]:
    settings = {
        "spark.master": master.url_with_retries,
        "spark.app.name": "roamcast",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.task.killTimeout": "200ms",  # Ctrl-C must end workers in the middle of a run
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(shuffle_partitions or (4 if master.is_local else 64)),
    }
    if master.is_local:
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.python.daemon.module": daemon,
        }
    return settings


@contextmanager
def _environment(master: Master, java: Java) -> Iterator[None]:
    """Set the environment variables that Spark's start scripts and workers read, and restore the old values."""
    ours = {"JAVA_HOME": str(java.home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    if master.is_local:
        ours |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    elif "PYSPARK_PYTHON" in os.environ:  # on a cluster, the person knows better where Python is
        ours["PYSPARK_PYTHON"] = os.environ["PYSPARK_PYTHON"]
    before = {key: os.environ.get(key) for key in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


def _start(master: Master, settings: dict[str, str], log_file: Path | None) -> SparkSession:
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    with open(log_file or os.devnull, "wb") as log:  # noqa: PTH123 - devnull or a path
        try:
            gateway = _launch(conf, log)
            # The server may not be a master: then Java is killed, and the call below fails.
            watchdog = threading.Timer(REGISTRATION_TIMEOUT_S, gateway.proc.kill)
            if master.is_standalone:
                watchdog.start()
            with _own_interrupts():
                context = SparkContext(conf=conf, gateway=gateway)
            watchdog.cancel()
        except (Py4JError, PySparkException, OSError) as error:
            _forget_gateway()
            where = f"; see {log_file}" if log_file else ""
            raise InvalidValueError("--master", master.url, f"Spark does not start there{where}") from error
    return SparkSession(context)


def _launch(conf: SparkConf, log: IO[bytes]) -> Any:
    """Start Java. Ctrl-C or SIGTERM are held back until the process to end is known; otherwise it would stay."""
    received: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    for held in before:
        signal.signal(held, lambda number, _: received.append(number))
    try:
        # In its own session, so that a signal to our process group does not end Java before us. It ends when we do.
        options = {"stdout": log, "stderr": subprocess.STDOUT, "start_new_session": True}
        gateway: Any = launch_gateway(conf, options)  # type: ignore[no-untyped-call]
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
    if received:
        gateway.shutdown()
        gateway.proc.kill()
        gateway.proc.wait()
        signal.raise_signal(received[0])
        raise KeyboardInterrupt
    return gateway


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep our own Ctrl-C handler: PySpark's calls Java in the middle of whatever call it interrupts."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _is_not_of_bridge(record: logging.LogRecord) -> bool:
    """Keep Py4J's tracebacks off the screen: its failures are also raised, and become one line."""
    return not Path(record.pathname).is_relative_to(Path(py4j.__file__).parent)


def _forget_gateway() -> None:
    """Make a later session in this process start a new Java."""
    SparkContext._gateway = None
    SparkContext._jvm = None
