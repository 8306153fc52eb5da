"""Draw the shipped campus map beside this file: ``python docs/draw_campus.py`` from the project's root.

The width of a street is its popularity, its colour its limit, an arrow a one-way lane.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility._streets import StreetMap

LIMITS = ScalarMappable(Normalize(7, 13), "viridis_r")


def draw(street_map: StreetMap, axes: Axes) -> None:
    """Draw the streets, then the junctions with their names."""
    for street in street_map.streets:
        start, end = street_map.junctions[street.start], street_map.junctions[street.end]
        colour, width = LIMITS.to_rgba(np.array(street.limit_mps)), 1.0 + 0.6 * street.popularity
        axes.plot([start.x_m, end.x_m], [start.y_m, end.y_m], color=colour, linewidth=width, zorder=1)
        if street.one_way:
            tail = (0.45 * start.x_m + 0.55 * end.x_m, 0.45 * start.y_m + 0.55 * end.y_m)
            head = (0.40 * start.x_m + 0.60 * end.x_m, 0.40 * start.y_m + 0.60 * end.y_m)
            arrow = {"arrowstyle": "-|>", "color": "black", "mutation_scale": 11}
            axes.annotate("", head, tail, arrowprops=arrow, zorder=2)
    for junction in street_map.junctions:
        axes.plot(junction.x_m, junction.y_m, "o", color="white", markeredgecolor="black", markersize=5, zorder=3)
        box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7}
        left = junction.x_m > 1000 or junction.id.startswith("parking")  # where there is room for the name
        x_m, side = (junction.x_m - 10, "right") if left else (junction.x_m + 8, "left")
        axes.text(x_m, junction.y_m + 10, junction.id, fontsize=7, bbox=box, zorder=4, horizontalalignment=side)


def main(target: Path) -> None:
    """Write the picture."""
    plt.rcParams.update({"svg.hashsalt": "roamcast", "svg.fonttype": "none"})  # the same small file at every call
    figure, axes = plt.subplots(figsize=(10, 7), layout="constrained")
    draw(read_street_map("campus"), axes)
    axes.set(xlim=(0, 1200), ylim=(0, 900), xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.set_title('The map "campus": width = popularity, arrows = one-way lanes')
    figure.colorbar(LIMITS, ax=axes, label="limit [m/s]", shrink=0.6)
    metadata = {"Date": None} if target.suffix == ".svg" else {}
    figure.savefig(target, metadata=metadata)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("campus.svg"))
