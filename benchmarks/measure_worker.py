"""One side of the case ``campaign-measure``: measures a campaign's tables with the Roamcast that is on its path.

It is a program of its own because two commits cannot be imported into one process. It says ``ready`` when Spark runs
and its workers have worked, as they have after a campaign's runs. Then it measures for each line that it reads, and
answers with the mean of every metric at every point.
"""

import json
import sys
from pathlib import Path
from typing import Any

MASTER = "local[2,4]"


def main() -> None:
    """Answer each line, the path of a folder of tables, with a line."""
    measure, open_session, comparison = _functions()
    spark = open_session(MASTER)
    spark.range(4, numPartitions=2).repartition(2).mapInArrow(lambda batches: batches, "id long").toArrow()
    _say("ready")
    for line in sys.stdin:
        measured = measure(Path(json.loads(line)), MASTER, comparison=comparison)
        rows = [row for row in measured if getattr(row, "kind", "value") == "value"]
        _say([[row.sweep, json.dumps(dict(row.point), sort_keys=True), row.metric, row.mean] for row in rows])


def _functions() -> tuple[Any, Any, Any]:
    """Return the function that measures, the one that opens a session, and the comparison with the first protocol."""
    try:
        from roamcast.spark.runs.measure import Comparison, measure
        from roamcast.spark.session.session import open_session
    except ImportError:  # in 7112cb2 and before
        from roamcast.pipeline.measure import (  # type: ignore[import-not-found,no-redef,unused-ignore]
            Comparison,
            measure,
        )
        from roamcast.pipeline.session import (  # type: ignore[import-not-found,no-redef,unused-ignore]
            open_session,
        )
    return measure, open_session, Comparison("protocol.name", "tree-group")


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
