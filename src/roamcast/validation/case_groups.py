"""All cases, in the order in which they are shown, and choosing among them by name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from roamcast.core.errors import UnknownNameError
from roamcast.validation.aodv import AODV
from roamcast.validation.cases import Group
from roamcast.validation.heartbeats import HEARTBEATS
from roamcast.validation.hidden import HIDDEN
from roamcast.validation.saturated import SATURATED
from roamcast.validation.unicast import HIDDEN_UNICAST, UNICAST

GROUPS: tuple[Group, ...] = (SATURATED, HIDDEN, UNICAST, HIDDEN_UNICAST, HEARTBEATS, AODV)


def choose(names: Iterable[str], groups: Sequence[Group] = GROUPS) -> tuple[Group, ...]:
    """Return the groups with the named cases, each given by its own name or its group's; all cases if none is named."""
    wanted = set(names)
    known = {group.name for group in groups} | {case.name for group in groups for case in group.cases}
    for name in sorted(wanted - known):
        raise UnknownNameError("case", name, known)
    chosen = (
        replace(group, cases=tuple(case for case in group.cases if not wanted or {group.name, case.name} & wanted))
        for group in groups
    )
    return tuple(group for group in chosen if group.cases)
