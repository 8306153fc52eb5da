"""Matching by ranges, for protocols and for people who need nothing else, by ``roamcast.matching.MatchingIndex``.

The index is loaded when it is asked for: it brings Numba along, which range vectors and Bloom filters do without.
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
