"""The Spark session: started quietly, the same way for every command, on this machine or on a cluster.

Figures behind the choices: a default session costs 10 to 12 s of CPU time; with the first compiler tier and the serial
collector 6 s; with a class-data archive (``class_archive``) 3 s. Everything that Java says goes to a log file.
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
from roamcast.spark.session.class_archive import find_archive
from roamcast.spark.session.java import Java, find_java
from roamcast.spark.session.master import DEFAULT_MASTER, Master, check_master
from roamcast.spark.session.shipping import ship_package

REGISTRATION_TIMEOUT_S = 25.0
"""What listens at a ``spark://`` address must act like a master within this time; Spark itself waits for 60 s."""
QUICK_START_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:disable")
"""Halve the start; steady work in Java becomes 1.7 times slower, and ours is in Python."""

QUICK_START_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""On tables of a few thousand runs, planning again and compiling queries costs more than it gains (a fifth of all)."""


def open_session(
    master_url: str = DEFAULT_MASTER,
    log_file: Path | None = None,
    *,
    quick_start: bool = True,
    shuffle_partitions: int | None = None,
    java_options: tuple[str, ...] = (),
) -> SparkSession:
    """Return the running session, or start one; ``log_file`` takes what Java and the workers say.

    ``quick_start`` is for commands that give Java little to do. ``java_options`` are for ``make_archive``, whose Java
    must not use an archive.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    logging.getLogger().addFilter(_is_not_of_bridge)
    master = check_master(master_url)
    java = find_java()
    options = list(java_options)
    settings = _settings(master, shuffle_partitions)
    if quick_start:
        archive = find_archive(java) if not java_options else None
        options += [*QUICK_START_OPTIONS, *([f"-XX:SharedArchiveFile={archive}"] if archive else [])]
    if quick_start and master.is_local:
        settings |= QUICK_START_SETTINGS
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


def _settings(master: Master, shuffle_partitions: int | None) -> dict[str, str]:
    settings = {
        "spark.master": master.forgiving_url,
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
        }
    return settings


@contextmanager
def _environment(master: Master, java: Java) -> Iterator[None]:
    """Set what Spark's start scripts and workers read, and put the old values back."""
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
            # What listens may not be a master: then Java is ended, and the call below fails.
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
    """Start Java. Ctrl-C or SIGTERM meanwhile waits until it is known which process to end: else that would stay."""
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before = {number: each for number, each in handlers.items() if each not in (signal.SIG_IGN, None)}
    for held in before:
        signal.signal(held, lambda number, _: came.append(number))
    try:
        # A session of its own: what ends our process group shall not end Java before us. It goes when we go.
        options = {"stdout": log, "stderr": subprocess.STDOUT, "start_new_session": True}
        gateway: Any = launch_gateway(conf, options)  # type: ignore[no-untyped-call]
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
    if came:
        gateway.shutdown()
        gateway.proc.kill()
        gateway.proc.wait()
        signal.raise_signal(came[0])
        raise KeyboardInterrupt
    return gateway


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep Ctrl-C as it is: PySpark's handler calls Java in the middle of whatever call it interrupts."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _is_not_of_bridge(record: logging.LogRecord) -> bool:
    """Keep the bridge's tracebacks off the screen: whatever fails there is raised, too, and becomes one line."""
    return not Path(record.pathname).is_relative_to(Path(py4j.__file__).parent)


def _forget_gateway() -> None:
    """Let a later session in this process start a Java of its own."""
    SparkContext._gateway = None
    SparkContext._jvm = None
