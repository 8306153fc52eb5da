"""A real cluster on loopback: Spark's own master and workers, each a Java process, on ports that are free."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from roamcast.spark.session.class_archive import find_archive
from roamcast.spark.session.java import find_java
from roamcast.spark.session.session import QUICK_START_OPTIONS

SPARK_HOME = Path(pyspark.__file__).parent
DEPLOY = "org.apache.spark.deploy"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A master's address and the processes of its workers."""

    url: str
    workers: list[subprocess.Popen[str]]


def bare_python(folder: Path) -> Path:
    """Write a Python that has all that is installed but roamcast, and return its path."""
    script = folder / "bare-python"
    packages = sysconfig.get_paths()["purelib"]
    # Without the site module no .pth file is read, by which a package in development is found.
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}"\nexport PYTHONPATH\nexec "{sys.executable}" -S "$@"\n'
    )
    script.chmod(0o755)
    return script


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of all processes of a cluster and of its driver."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SPARK_CONF_DIR")}
    return kept | {
        "JAVA_HOME": str(find_java().home),
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_TOOL_OPTIONS": _quick_start(),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": str(bare_python(folder)),
        "XDG_CACHE_HOME": str(Path(sys.prefix, "var", "cache")),  # the compiled simulator is there already
    }


def _quick_start() -> str:
    """Return the options with which the master, the workers and their executors start as fast as a driver does."""
    archive = find_archive(find_java())
    return " ".join([*QUICK_START_OPTIONS, *([f"-XX:SharedArchiveFile={archive}"] if archive else [])])


@contextmanager
def running_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a master and workers of one core each, and end them."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str, *options: str) -> subprocess.Popen[str]:
        command = [str(SPARK_HOME / "bin" / "spark-class"), f"{DEPLOY}.{name}", "--host", "127.0.0.1", *options]
        log = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        started.append(subprocess.Popen(command, env=environment(folder), text=True, **log))  # type: ignore[call-overload]
        return started[-1]

    try:
        master = start("master.Master", "--port", "0", "--webui-port", "0")
        url = _said(master, r"Starting Spark master at (spark://\S+)")
        own = ["--cores", "1", "--memory", "1100m", "--webui-port", "0", "--work-dir", str(folder / "work"), url]
        made = [start("worker.Worker", *own) for _ in range(workers)]
        for worker in made:
            _said(worker, r"(Successfully registered) with master")
        yield Cluster(url, made)
    finally:
        for process in reversed(started):
            process.kill()
            process.communicate()


def _said(process: subprocess.Popen[str], pattern: str) -> str:
    """Return what a process says about itself, as soon as it says it."""
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError("".join(lines))
