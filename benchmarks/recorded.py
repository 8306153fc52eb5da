"""The import of recorded movement: ``python -m benchmarks.recorded [--rows 10000000] [--format csv|sumo-xml|parquet]``.

A file is generated (nodes that walk at random, one row a second each), imported on all cores, and read back. The peak
of memory is that of the largest Python worker and of this process; Java's heap has its own limit of 2 GB.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from roamcast.campaigns.progress import Progress
from roamcast.spark.movement.movement_import import ImportOptions, import_movement
from roamcast.spark.session.master import DEFAULT_MASTER

NODES = 1_000
SIDE_M = 5_000.0
STEPS_PER_BLOCK = 100


def main() -> int:
    """Generate, import, and say how long it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recorded", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the file (default: 10,000,000)")
    parser.add_argument("--format", choices=sorted(WRITERS), default="csv", help="what is generated (default: csv)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the imported movement there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"movement.{options.format}"
        WRITERS[options.format](file, max(1, options.rows // NODES))
        size_mb = file.stat().st_size / 1e6
        begin_s = time.monotonic()
        out = options.keep or Path(folder) / "imported"
        imported = import_movement([file], out, DEFAULT_MASTER, ImportOptions(), Progress())
        took_s = time.monotonic() - begin_s
        out_mb = sum(each.stat().st_size for each in imported.files()) / 1e6
        rows = imported.summary["rows"]
        print(
            f"{options.format}: {rows:,} rows, {size_mb:,.0f} MB in, {out_mb:,.0f} MB out, {took_s:.0f} s, "
            f"{rows / took_s:,.0f} rows/s"
        )
        workers, own = (
            resource.getrusage(scope).ru_maxrss / 1e3 for scope in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
        )
        print(
            f"peak memory: {own:,.0f} MB in this process, {workers:,.0f} MB in the largest child process that has ended"
        )
    return 0


def _blocks(steps: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (time, node, x, y) of all nodes for some steps at a time."""
    random = np.random.Generator(np.random.PCG64(1))
    places = random.uniform(0, SIDE_M, (NODES, 2))
    for start in range(0, steps, STEPS_PER_BLOCK):
        count = min(STEPS_PER_BLOCK, steps - start)
        walked = np.cumsum(random.normal(0, 5, (count, NODES, 2)), axis=0) + places
        places = np.clip(walked[-1], 0, SIDE_M)
        rounded = np.round(np.clip(walked, 0, SIDE_M), 2)
        time_s = np.repeat(np.arange(start, start + count, dtype=float), NODES)
        yield time_s, np.tile(np.arange(NODES), count), rounded[..., 0].ravel(), rounded[..., 1].ravel()


def _table(block: tuple[np.ndarray, ...]) -> pa.Table:
    return pa.table(list(block), names=["time", "node", "x", "y"])


def write_csv(file: Path, steps: int) -> None:
    """Write a plain CSV file."""
    with file.open("wb") as out:
        for number, block in enumerate(_blocks(steps)):
            pyarrow.csv.write_csv(_table(block), out, pyarrow.csv.WriteOptions(include_header=number == 0))


def write_parquet(file: Path, steps: int) -> None:
    """Write a plain Parquet file."""
    with pq.ParquetWriter(file, _table(next(_blocks(1))).schema) as writer:
        for block in _blocks(steps):
            writer.write_table(_table(block))


def write_sumo(file: Path, steps: int) -> None:
    """Write SUMO's XML."""
    with file.open("w", encoding="utf-8") as out:
        out.write("<fcd-export>\n")
        for block in _blocks(steps):
            time_s, node, x_m, y_m = (each.reshape(-1, NODES) for each in block)
            for step in range(len(time_s)):
                out.write(f'    <timestep time="{time_s[step, 0]:.2f}">\n')
                rows = zip(node[step].tolist(), x_m[step].tolist(), y_m[step].tolist(), strict=True)
                out.writelines(
                    f'        <vehicle id="{each}" x="{x:.2f}" y="{y:.2f}" angle="90.00" type="car" speed="13.89"'
                    f' pos="5.10" lane="A0B0_0" slope="0.00"/>\n'
                    for each, x, y in rows
                )
                out.write("    </timestep>\n")
        out.write("</fcd-export>\n")


WRITERS: dict[str, Callable[[Path, int], None]] = {"csv": write_csv, "parquet": write_parquet, "sumo-xml": write_sumo}

if __name__ == "__main__":
    sys.exit(main())
