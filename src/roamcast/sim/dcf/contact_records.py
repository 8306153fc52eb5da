"""Recorded contacts as records that compiled code can reach: each node's own, in order of their start."""

from typing import Any

import numpy as np

from roamcast.sim.dcf.records import CONTACTS, MET
from roamcast.sim.radio import Contacts


def contact_records(count: int, contacts: Contacts | None) -> tuple[Any, Any]:
    """Return where each node's contacts stand, and the contacts; both of a pair have them."""
    nodes: Any = np.zeros(count, CONTACTS)
    if contacts is None:
        return nodes, np.zeros(0, MET)
    node = np.concatenate([contacts.one, contacts.other])
    start_s = np.concatenate([contacts.start_s, contacts.start_s])
    order = np.lexsort((np.concatenate([contacts.other, contacts.one]), start_s, node))
    met: Any = np.zeros(len(node), MET)
    met["start_s"] = start_s[order]
    met["end_s"] = np.concatenate([contacts.end_s, contacts.end_s])[order]
    met["other"] = np.concatenate([contacts.other, contacts.one])[order]
    bounds = np.searchsorted(node[order], np.arange(count + 1))
    nodes["first"], nodes["next"], nodes["end"] = bounds[:-1], bounds[:-1], bounds[1:]
    return nodes, met


def within_contacts(contacts: Contacts, source: int, hops_max: int, at_s: float) -> frozenset[int]:
    """Return the nodes that are at most so many hops from a node by the contacts of a moment, itself included."""
    now = (contacts.start_s <= at_s) & (at_s < contacts.end_s)
    one, other = contacts.one[now], contacts.other[now]
    reached = {source}
    for _ in range(hops_max):
        known = np.array(sorted(reached))
        further = {*other[np.isin(one, known)].tolist(), *one[np.isin(other, known)].tolist()}
        if further <= reached:
            break
        reached |= further
    return frozenset(reached)
