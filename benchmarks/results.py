"""Result files: what a release cost, kept in ``benchmarks/results/VERSION.json`` and compared with the next one's."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from roamcast.core.errors import UserError

RESULTS = Path(__file__).parent / "results"
PROCESSORS = Path("/proc/cpuinfo")
NUMBERS = ("cpu_s_best", "cpu_s_median", "us_per_reception", "peak_memory_mb")
"""The fields that a measurement must have, apart from its name and digest."""
NUMBER_MAX = 1e12


class ResultFileError(UserError):
    """Name a result file and what is wrong with it."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


def document(
    measurements: list[dict[str, Any]], ns3_version: str | None, ns2_version: str | None = None
) -> dict[str, Any]:
    """Put the measurements together with what they were made on; nothing in it names the machine or its owner."""
    return {
        "version": version("roamcast"),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "ns3": ns3_version,
        "ns2": ns2_version,
        "machine": machine(),
        "measurements": measurements,
    }


def machine(processors: Path = PROCESSORS) -> dict[str, Any]:
    """Describe the machine by what decides its speed."""
    model = platform.machine()
    if processors.exists():
        lines = processors.read_text("utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return {"processor": model, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}


def save(result: dict[str, Any], folder: Path = RESULTS, part: str = "") -> Path:
    """Write a result under its version and return the file; one of the same version is replaced.

    A ``part`` of the benchmarks has a file of its own, so that it does not replace the others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['version']}{'-' if part else ''}{part}.json"
    path.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    return path


def load(path: Path) -> dict[str, Any]:
    """Read a result file, or say in one line what is wrong with it."""
    try:
        result = json.loads(path.read_text("utf-8"))
    except OSError as problem:
        raise ResultFileError(path, problem.strerror or "cannot be read") from problem
    except (ValueError, RecursionError) as problem:
        raise ResultFileError(path, f"is not JSON: {problem}") from problem
    if not isinstance(result, dict) or not isinstance(result.get("measurements"), list):
        raise ResultFileError(path, "is no benchmark result: it has no list of measurements")
    for index, row in enumerate(result["measurements"]):
        _check(row, f"measurement {index + 1}", path)
    return result


def _check(row: object, place: str, path: Path) -> None:
    if not isinstance(row, dict):
        raise ResultFileError(path, f"{place} is not a table")
    for key in ("benchmark", "label", "digest"):
        if not isinstance(row.get(key), str):
            raise ResultFileError(path, f"{place} has no {key}")
    for key in NUMBERS:
        value = row.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < NUMBER_MAX:
            raise ResultFileError(path, f"{place} has {key} = {value}: must be a number above 0 and below 1e12")
