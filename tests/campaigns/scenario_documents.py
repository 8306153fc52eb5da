"""A small scenario for the tests of this folder, as a document and as a file."""

from pathlib import Path
from typing import Any

CITY_TOML = """\
duration_s = 60
seed = 7

[area]
width_m = 1200
height_m = 900

[nodes]
count = 20

[mobility]
model = "random-waypoint"
speed_mps = [1, 5]
pause_s = 1

[radio]
model = "range"
range_m = 100

[workload]
model = "single-topic"
subscriber_fraction = 0.5
validity_s = 30

[protocol]
name = "flooding"
"""


def city() -> dict[str, Any]:
    """Return the document, new each time."""
    return {
        "name": "city",
        "duration_s": 60,
        "seed": 7,
        "area": {"width_m": 1200, "height_m": 900},
        "nodes": {"count": 20},
        "mobility": {"model": "random-waypoint", "speed_mps": [1, 5], "pause_s": 1},
        "radio": {"model": "range", "range_m": 100},
        "workload": {"model": "single-topic", "subscriber_fraction": 0.5, "validity_s": 30},
        "protocol": {"name": "flooding"},
    }


def write(folder: Path, old: str = "", new: str = "") -> Path:
    """Write city.toml with one piece of text replaced."""
    assert old in CITY_TOML
    path = folder / "city.toml"
    path.write_text(CITY_TOML.replace(old, new, 1) if old else CITY_TOML + new, encoding="utf-8")
    return path
