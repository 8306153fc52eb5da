"""Recorded contacts as records that compiled code can use: for each node its own, sorted by their start."""

from typing import Any

import numpy as np

from roamcast.sim.dcf.records import CONTACT, CONTACT_LIST
from roamcast.sim.radio import Contacts


def contact_records(count: int, contacts: Contacts | None) -> tuple[Any, Any]:
    """Return each node's contact list, and the contacts, each of which is stored for both nodes of the pair."""
    lists: Any = np.zeros(count, CONTACT_LIST)
    if contacts is None:
        return lists, np.zeros(0, CONTACT)
    node = np.concatenate([contacts.one, contacts.other])
    start_s = np.concatenate([contacts.start_s, contacts.start_s])
    order = np.lexsort((np.concatenate([contacts.other, contacts.one]), start_s, node))
    records: Any = np.zeros(len(node), CONTACT)
    records["start_s"] = start_s[order]
    records["end_s"] = np.concatenate([contacts.end_s, contacts.end_s])[order]
    records["other"] = np.concatenate([contacts.other, contacts.one])[order]
    bounds = np.searchsorted(node[order], np.arange(count + 1))
    lists["first"], lists["next"], lists["end"] = bounds[:-1], bounds[:-1], bounds[1:]
    return lists, records


def within_contacts(contacts: Contacts, source: int, hops_max: int, at_s: float) -> frozenset[int]:
    """Return the nodes at most ``hops_max`` hops from a node over the contacts at a time, including the node itself."""
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
