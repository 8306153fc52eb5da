"""Folders of recorded movement and contacts as an import leaves them, made by hand: no Spark is needed."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.recordings.recording_layout import CONTACTS_SCHEMA, LAYOUT, MOVEMENT_SCHEMA, window_name

Row = tuple[int, float, float, float, bool]
"""(node, time_s, x_m, y_m, goes_on)"""


def write_movement(
    root: Path, rows: Sequence[Row], window_s: float = 1e9, are_waypoints: bool = False, early_s: float = 0.0
) -> Path:
    """Write a folder of movement, whose windows begin some time before the first row."""
    first_s = min(row[1] for row in rows)
    windows: dict[int, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row[1], row[0])):
        windows.setdefault(int((row[1] - first_s + early_s) // window_s), []).append(row)
    for window, inside in windows.items():
        folder = root / "movement" / window_name(window)
        folder.mkdir(parents=True)
        columns = [list(column) for column in zip(*inside, strict=True)]
        pq.write_table(pa.table(columns, schema=MOVEMENT_SCHEMA), folder / "part.parquet")
    node, time_s, x_m, y_m, _ = (np.array(column) for column in zip(*rows, strict=True))
    summary = {
        "layout": LAYOUT, "rows": len(rows), "nodes": int(node.max()) + 1, "first_s": first_s,
        "last_s": float(time_s.max()), "x_m": [float(x_m.min()), float(x_m.max())],
        "y_m": [float(y_m.min()), float(y_m.max())], "step_s": 1.0, "are_waypoints": are_waypoints,
        "window_s": window_s, "windows": max(windows) + 1, "windows_from_s": first_s - early_s,
    }  # fmt: skip
    (root / "movement.json").write_text(json.dumps(summary))
    return root


def write_contacts(root: Path, contacts: Sequence[tuple[int, int, float, float]], nodes: int) -> Path:
    """Write a folder of contacts (a, b, start_s, end_s)."""
    folder = root / "contacts" / window_name(0)
    folder.mkdir(parents=True)
    rows = [(a, b, start_s, end_s, end_s - start_s, None) for a, b, start_s, end_s in contacts]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * len(CONTACTS_SCHEMA)
    pq.write_table(pa.table(columns, schema=CONTACTS_SCHEMA), folder / "part.parquet")
    summary = {"layout": LAYOUT, "contacts": len(rows), "nodes": nodes, "first_s": 0.0, "last_s": 100.0, "windows": 1}
    (root / "contacts.json").write_text(json.dumps(summary))
    return root
