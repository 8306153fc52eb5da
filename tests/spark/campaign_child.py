"""A campaign in a process of its own, to be killed or interrupted by a test: ``campaign_child.py OUT PIPE``."""

import sys
from pathlib import Path

import fake_runs
from pyspark import cloudpickle

from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Progress
from roamcast.spark.runs.campaign import run_campaign


def held_plan(pipe: Path) -> list[PlannedRun]:
    """Plan four runs, then two that hold up both cores as long as the pipe is there, then four more."""
    names = ["early"] * 4 + ["held"] * 2 + ["late"] * 4
    return [
        fake_runs.planned(name, seed, cost=20.0 - seed, **({"holds_while": str(pipe)} if name == "held" else {}))
        for seed, name in enumerate(names)
    ]


if __name__ == "__main__":
    cloudpickle.register_pickle_by_value(fake_runs)  # type: ignore[no-untyped-call]
    out, pipe = map(Path, sys.argv[1:])
    run_campaign(held_plan(pipe), out, "local[2,4]", Progress(), simulate=fake_runs.fake_simulate)
