"""A campaign with runs that wait at a gate: ``gated_child.py FOLDER OUT MASTER GATED FREE [no-locks]``."""

import errno
import fcntl
import sys
from pathlib import Path

import fake_runs
from gates import gated_plan
from pyspark import cloudpickle

from roamcast.core.errors import UserError
from roamcast.spark.runs.campaign import run_campaign


def no_locks(_descriptor: object, _operation: int) -> None:
    """Answer as a file system without locks does."""
    raise OSError(errno.ENOLCK, "no locks available")


if __name__ == "__main__":
    cloudpickle.register_pickle_by_value(fake_runs)  # type: ignore[no-untyped-call]
    folder, out, master, gated, free, *options = sys.argv[1:]
    if options:
        fcntl.flock = no_locks
    plan = gated_plan(Path(folder), int(gated), int(free))
    try:
        result = run_campaign(plan, Path(out), master, simulate=fake_runs.fake_simulate)
    except UserError as error:
        sys.exit(f"refused: {error}")
    sys.exit(1 if result.failed else 0)
