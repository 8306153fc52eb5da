"""A ns-2 movement script with its oracle, made by a generator that shares no code with the readers.

Nodes walk to random places and pause. When a link at 250 m comes or goes is solved for exactly, leg by leg; hop counts
are worked out between two such moments, and every change is written as setdest writes it.
"""

import random
from collections import deque
from itertools import combinations, pairwise
from math import sqrt

RANGE_M = 250.0
UNREACHABLE = 16_777_215
Walk = list[tuple[float, float, float]]


def make_script(nodes: int = 10, side_m: float = 700.0, until_s: float = 120.0, seed: int = 3) -> str:
    """Return a script as setdest would write it."""
    draw = random.Random(seed)
    walks: list[Walk] = []
    orders: list[tuple[float, str]] = []
    lines = [f"# nodes: {nodes}, pause: 2.00, max speed: 15.00  max x = {side_m:.2f}, max y: {side_m:.2f}"]
    for node in range(nodes):
        x_m, y_m = draw.uniform(0, side_m), draw.uniform(0, side_m)
        lines += [
            f"$node_({node}) set X_ {x_m:.12f}",
            f"$node_({node}) set Y_ {y_m:.12f}",
            f"$node_({node}) set Z_ 0.0",
        ]
        x_m, y_m, time_s = float(f"{x_m:.12f}"), float(f"{y_m:.12f}"), 2.0
        walk = [(0.0, x_m, y_m), (2.0, x_m, y_m)]
        while time_s < until_s:
            to_x, to_y, speed = draw.uniform(0, side_m), draw.uniform(0, side_m), draw.uniform(1, 15)
            orders.append((time_s, f'"$node_({node}) setdest {to_x:.12f} {to_y:.12f} {speed:.12f}"'))
            time_s += sqrt((to_x - x_m) ** 2 + (to_y - y_m) ** 2) / speed
            x_m, y_m = to_x, to_y
            walk.append((time_s, x_m, y_m))
            orders.append((time_s, f'"$node_({node}) setdest {x_m:.12f} {y_m:.12f} 0.000000000000"'))
            time_s += 2.0
            walk.append((time_s, x_m, y_m))
        walks.append(walk)
    lines += _oracle(walks, until_s, orders)
    lines += [f"$ns_ at {time_s:.12f} {what}" for time_s, what in sorted(orders)]
    return "\n".join(lines) + "\n"


def _oracle(walks: list[Walk], until_s: float, orders: list[tuple[float, str]]) -> list[str]:
    changes = sorted({0.0, until_s, *(at for a, b in combinations(walks, 2) for at in _crossings(a, b, until_s))})
    before: dict[tuple[int, int], int] = {}
    first = []
    for start, end in pairwise(changes):
        hops = _hops([_place(walk, (start + end) / 2) for walk in walks])
        for (one, other), count in hops.items():
            if before.get((one, other)) != count:
                text = f"$god_ set-dist {one} {other} {count}"
                if start == 0:
                    first.append(text)
                else:
                    orders.append((start, f'"{text}"'))
        before = hops
    return first


def _crossings(one: Walk, other: Walk, until_s: float) -> list[float]:
    found = []
    times = sorted({at for at, _, _ in [*one, *other] if at < until_s} | {until_s})
    for start, end in pairwise(times):
        (ax, ay), (bx, by) = _place(one, start), _place(other, start)
        (cx, cy), (dx, dy) = _place(one, end), _place(other, end)
        x, y, length_s = bx - ax, by - ay, end - start
        vx, vy = ((dx - cx) - x) / length_s, ((dy - cy) - y) / length_s
        a, b, c = vx * vx + vy * vy, 2 * (x * vx + y * vy), x * x + y * y - RANGE_M**2
        under = b * b - 4 * a * c
        if a > 0 and under > 0:
            found += [
                start + at for at in ((-b - sqrt(under)) / 2 / a, (-b + sqrt(under)) / 2 / a) if 0 < at < length_s
            ]
    return found


def _place(walk: Walk, at_s: float) -> tuple[float, float]:
    for (start_s, x, y), (end_s, to_x, to_y) in pairwise(walk):
        if start_s <= at_s <= end_s:
            done = (at_s - start_s) / (end_s - start_s)
            return x + (to_x - x) * done, y + (to_y - y) * done
    return walk[-1][1:]


def _hops(places: list[tuple[float, float]]) -> dict[tuple[int, int], int]:
    count = len(places)
    near = [
        [
            b
            for b in range(count)
            if a != b and (places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2 <= RANGE_M**2
        ]
        for a in range(count)
    ]
    return hops_between(near)


def hops_between(near: list[list[int]]) -> dict[tuple[int, int], int]:
    """Return how many hops apart each two nodes are in a network given by its neighbours."""
    hops = {}
    for source in range(len(near)):
        away = {source: 0}
        queue = deque([source])
        while queue:
            here = queue.popleft()
            for node in near[here]:
                if node not in away:
                    away[node] = away[here] + 1
                    queue.append(node)
        for other in range(source + 1, len(near)):
            hops[source, other] = away.get(other, UNREACHABLE)
    return hops
