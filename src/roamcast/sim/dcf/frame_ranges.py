"""A range for each frame, where the radio draws one: how far the next frame of a node reaches (docs/radio.md)."""

from math import sqrt
from typing import Any

from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.random_numbers import STEP, unit_interval
from roamcast.sim.radio import TWO_RAY


@compiled
def draw_range(medium: Any, nodes: Any, sender: int) -> None:
    """Draw the range of a node's next frame; the same one again, until ``count_range`` says that it was used."""
    share = unit_interval(nodes[sender].range_random + STEP)
    range_m = medium.range_m_min + (medium.range_m_max - medium.range_m_min) * share
    range_m2 = range_m * range_m
    nodes[sender].range_m2 = range_m2
    if medium.law != TWO_RAY:
        nodes[sender].sense_m2 = max(range_m2, medium.sense_m2_min)
        return
    if range_m2 < medium.crossover_m2:
        strength = medium.receive_w * range_m2 / medium.near_gain
    else:
        strength = medium.receive_w * range_m2 * range_m2 / medium.far_gain
    nodes[sender].strength = strength
    near_m2 = strength * medium.near_gain / medium.sense_w
    is_near = near_m2 <= medium.crossover_m2
    nodes[sender].sense_m2 = near_m2 if is_near else sqrt(strength * medium.far_gain / medium.sense_w)


@compiled
def count_range(nodes: Any, sender: int) -> None:
    """Go on to the next range of a node."""
    nodes[sender].range_random += STEP
