"""Runs protocols on the line in a new Python process with another hash seed, and returns the digests of the runs.

The module is also the program of that process: it reads which protocols to run from standard input.
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import reduce
from typing import Any

from roamcast.core.host import PubSub
from roamcast.sim.simulation import simulate
from roamcast.testing.conformance.protocol_check import shortened
from roamcast.testing.conformance.trial_runs import SEED
from roamcast.testing.small_networks import line

HASH_SEEDS = ("12345", "54321")
"""Texts hash differently in the new process than under the first of these that is not this process's own."""


class FreshProcessError(Exception):
    """Say why the protocols could not be run in a new process."""


def digests_in_a_fresh_process(protocols: Sequence[type[PubSub]]) -> list[str]:
    """Return the digest of each protocol's run on the line, made in a process of its own."""
    hash_seed = next(seed for seed in HASH_SEEDS if seed != os.environ.get("PYTHONHASHSEED"))
    asked = {"path": sys.path, "protocols": [_address(protocol) for protocol in protocols]}
    ran = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if ran.returncode != 0:
        raise FreshProcessError(shortened((ran.stderr.strip().splitlines() or ["it ended without a message"])[-1]))
    digests: list[str] = json.loads(ran.stdout.strip().splitlines()[-1])
    return digests


def _address(protocol: type[PubSub]) -> dict[str, Any]:
    """Return where another process finds a protocol's class."""
    if "<locals>" in protocol.__qualname__:
        raise FreshProcessError(f"{protocol.__qualname__} is defined inside a function; define it in a module")
    file = getattr(sys.modules[protocol.__module__], "__file__", None)
    return {"module": protocol.__module__, "file": file, "name": protocol.__qualname__}


def _load(address: dict[str, Any]) -> type[PubSub]:
    """Import a protocol's class by its module's name or, where that is not on the path, from its file."""
    module: Any
    if address["module"] != "__main__" and importlib.util.find_spec(address["module"]) is not None:
        module = importlib.import_module(address["module"])
    else:
        specification = importlib.util.spec_from_file_location(
            f"checked_{address['module'].strip('_')}", address["file"]
        )
        if specification is None or specification.loader is None:
            raise ImportError(f"no module {address['module']}")
        module = importlib.util.module_from_spec(specification)
        sys.modules[specification.name] = module
        specification.loader.exec_module(module)
    found: type[PubSub] = reduce(getattr, address["name"].split("."), module)
    return found


def main() -> None:
    """Print the digests of the runs that standard input asks for."""
    asked = json.load(sys.stdin)
    sys.path[:] = asked["path"]
    digests = [simulate(line(_load(address)), SEED).digest() for address in asked["protocols"]]
    sys.stdout.write(f"\n{json.dumps(digests)}\n")


if __name__ == "__main__":
    main()
