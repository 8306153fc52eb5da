"""Matching events with subscriptions: for protocols, and on its own through ``roamcast.matching.MatchingIndex``.

The index is loaded on first use, since it imports Numba, which range vectors and Bloom filters do not need.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roamcast.matching.index import MatchingIndex

__all__ = ["MatchingIndex"]


def __getattr__(name: str) -> Any:
    if name != "MatchingIndex":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from roamcast.matching.index import MatchingIndex

    return MatchingIndex
