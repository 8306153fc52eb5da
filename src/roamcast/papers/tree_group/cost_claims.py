"""The tree group paper's claims about messages and memory (figures 3 to 5), with tolerances."""

from collections.abc import Sequence
from math import inf

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, at_most, within
from roamcast.papers.shared.claim_parts import if_measured, limits, ratio_part, share_part, value_part
from roamcast.papers.shared.curves import Curve
from roamcast.papers.tree_group.claim_parts import MOSTLY, MUCH_LESS, TRIVIAL, at_speeds
from roamcast.papers.tree_group.curves import (
    FLOODING,
    GROUPS,
    GROUPS_3,
    GROUPS_6,
    MAINTENANCE,
    MEMORY,
    MESSAGES,
    TREE,
    row_of,
)


def cost_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_overhead_claims(), *_memory_claims())


def _message_ratios(measured: Measurements, one: Curve, other: Curve, high: float) -> Sequence[Part]:
    """Return the ratio of two curves' messages at every speed."""
    return [
        ratio_part(f"{one.label} over {other.label}, {where}", *rows, at_most(high))
        for where, rows in at_speeds(measured, MESSAGES, one, other)
    ] or [Part.missing("messages")]


def _level_ratio(measured: Measurements, metric: str, one: Curve, other: Curve, high: float) -> Part:
    row, over = row_of(measured, "levels", metric, one), row_of(measured, "levels", metric, other)
    return ratio_part(f"{one.label} over {other.label}", row, over, at_most(high))


def _maintenance_share(measured: Measurements, curve: Curve, low: float = -inf, high: float = inf) -> Part:
    row, over = row_of(measured, "levels", MAINTENANCE, curve), row_of(measured, "levels", MESSAGES, curve)
    return share_part(f"{curve.label}: maintenance of all", row, over, limits(low, high))


def _other_messages(measured: Measurements, curve: Curve) -> Part:
    """Return the number of messages without an event; a share of none on all seeds would not be certain to be none."""
    row = row_of(measured, "levels", MAINTENANCE, curve)
    return value_part(f"{curve.label}: messages for maintenance", row, within(0, 0))


def _smallest(measured: Measurements) -> Sequence[Part]:
    pairs = [(groups, other) for groups in (GROUPS_3, GROUPS_6) for other in (TREE, FLOODING)]
    return [_level_ratio(measured, MESSAGES, *pair, 1) for pair in pairs]


def _overhead_claims() -> Sequence[Claim]:
    return (
        Claim(
            "overhead-by-speed",
            "4.2, figure 3",
            "Tree groups incur much less message overhead than the other two",
            "at most half of it at every speed",
            (3,),
            if_measured(
                "speed",
                lambda measured: [
                    *_message_ratios(measured, GROUPS, FLOODING, MUCH_LESS),
                    *_message_ratios(measured, GROUPS, TREE, MUCH_LESS),
                ],
            ),
        ),
        Claim(
            "overhead-smallest",
            "4.2, figure 4",
            "Tree groups with 3 and with 6 levels have the smallest message overhead",
            "less than each of the other two",
            (4,),
            if_measured("levels", _smallest),
        ),
        Claim(
            "tree-below-flooding",
            "4.2, figure 4",
            "The subscription tree needs far fewer messages than flooding, too",
            "at most half",
            (4,),
            if_measured("levels", lambda measured: [_level_ratio(measured, MESSAGES, TREE, FLOODING, MUCH_LESS)]),
        ),
        Claim(
            "tree-maintenance",
            "4.2, figure 4",
            "The subscription tree's overhead is mostly maintenance",
            "more than half of its messages",
            (4,),
            if_measured(
                "levels",
                lambda measured: [
                    _maintenance_share(measured, TREE, MOSTLY),
                    *(_maintenance_share(measured, curve) for curve in (GROUPS_3, GROUPS_6)),
                ],
            ),
            "An event for one in twenty of 500 nodes crosses a hundred links or more, 25 times a second; one hello per "
            "node and second is less. The paper does not say how often its tree sends messages.",
        ),
        Claim(
            "flooding-notification",
            "4.2, figure 4",
            "All of flooding's messages are notification",
            "no other message",
            (4,),
            if_measured("levels", lambda measured: [_other_messages(measured, FLOODING)]),
        ),
    )


def _memory_claims() -> Sequence[Claim]:
    return (
        Claim(
            "memory",
            "4.2, figure 5",
            "The memory that tree groups need for subscriptions is a small fraction of the subscription tree's",
            "at most a tenth: the paper's word is trivial",
            (5,),
            if_measured(
                "levels",
                lambda measured: [
                    _level_ratio(measured, MEMORY, groups, TREE, TRIVIAL) for groups in (GROUPS_3, GROUPS_6)
                ],
            ),
            choice="The paper gives neither the size of its Bloom filters nor that of its subscriptions.",
        ),
    )
