"""The tables managers match with: the summary forest (BRVST, section IV-B1), or TAMA's dyadic table.

TAMA's does not aggregate. Both keep descriptions by identifier, and give the representative set that is reported one
level up. A forest is searched from the roots down: only trees whose summary matches are looked through.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable

from roamcast.matching.dyadic import DyadicTable
from roamcast.matching.range_vectors import RangeVector, Vectors
from roamcast.matching.summary_forest import SummaryForest
from roamcast.protocols.brvst.descriptions import Describer, LeafDescriber, leaf_range
from roamcast.protocols.brvst.messages import Description, Leaves


class SummaryTable(ABC):
    """Descriptions by identifier, and their summary."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer
        self._kept: dict[Hashable, Description] = {}

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, identifier: Hashable, description: Description) -> None:
        """Store a description in place of the identifier's previous one."""
        if self._kept.get(identifier) == description:
            return
        self.remove(identifier)
        self._kept[identifier] = description
        self._add(identifier, description)

    def remove(self, identifier: Hashable) -> None:
        """Remove a description, if it is there."""
        if self._kept.pop(identifier, None) is not None:
            self._remove(identifier)

    @abstractmethod
    def match(self, published: Description) -> list[Hashable]:
        """Return the identifiers of the descriptions that a publication matches."""

    @abstractmethod
    def comparisons(self, published: Description) -> int:
        """Return with how many filters ``match`` compares a publication."""

    @abstractmethod
    def representatives(self) -> tuple[Description, ...]:
        """Return the representative set, in an order that depends on its members only."""

    @abstractmethod
    def stored_bytes(self) -> int:
        """Return the size of the stored table."""

    @abstractmethod
    def _add(self, identifier: Hashable, description: Description) -> None: ...

    @abstractmethod
    def _remove(self, identifier: Hashable) -> None: ...


class ForestTable(SummaryTable):
    """A summary forest."""

    def __init__(self, describer: Describer) -> None:
        super().__init__(describer)
        self._forest: SummaryForest[Hashable] = SummaryForest()

    def match(self, published: Description) -> list[Hashable]:
        """Search the trees whose root matches."""
        return self._forest.match(_vectors(published))

    def comparisons(self, published: Description) -> int:
        """Return the number of trees and of the members of those that are searched."""
        return self._forest.comparisons(_vectors(published))

    def representatives(self) -> tuple[Description, ...]:
        """Return the summaries of all trees."""
        return ordered(_description(tree.summary) for tree in self._forest.trees)

    def stored_bytes(self) -> int:
        """Return the size of all descriptions and of the trees' summaries."""
        return self._describer.stored_bytes(self._kept.values()) + self._describer.size_bytes(self.representatives())

    def _add(self, identifier: Hashable, description: Description) -> None:
        self._forest.add(identifier, _vectors(description))

    def _remove(self, identifier: Hashable) -> None:
        self._forest.remove(identifier)


class LeafTable(SummaryTable):
    """TAMA's table, without aggregation: its representative set is the whole table."""

    def __init__(self, describer: LeafDescriber) -> None:
        super().__init__(describer)
        self._table: DyadicTable[Hashable] = DyadicTable(describer.space, describer.levels)

    def match(self, published: Description) -> list[Hashable]:
        """Count the identifiers met on the paths of the publication's ranges."""
        return self._table.match(_ranges(published))

    def comparisons(self, published: Description) -> int:  # noqa: ARG002 - a method of all tables
        """Return the number of descriptions, as none stands for another."""
        return len(self)

    def representatives(self) -> tuple[Description, ...]:
        """Return all descriptions, each once."""
        return ordered(dict.fromkeys(self._kept.values()))

    def stored_bytes(self) -> int:
        """Return the size of the identifiers in all cells."""
        return self._describer.stored_bytes(self._kept.values())

    def _add(self, identifier: Hashable, description: Description) -> None:
        self._table.add(identifier, _ranges(description))

    def _remove(self, identifier: Hashable) -> None:
        self._table.remove(identifier)


def table_for(describer: Describer) -> SummaryTable:
    """Return an empty table for a describer's descriptions."""
    return LeafTable(describer) if isinstance(describer, LeafDescriber) else ForestTable(describer)


def owner_of(identifier: Hashable) -> int:
    """Return the node that an entry of a table belongs to: an identifier is a pair of a node and its subscription."""
    assert isinstance(identifier, tuple)
    return int(identifier[0])


def ordered(several: Iterable[Description]) -> tuple[Description, ...]:
    """Return descriptions in a canonical order, so that equal sets are equal."""
    return tuple(sorted(several, key=_key))


def _key(description: Description) -> list[tuple[int, int, int]]:
    return [
        (number, part.length, part.bits) if isinstance(part, RangeVector) else (number, part.first, part.last)
        for number, part in description
    ]


def _vectors(description: Description) -> Vectors:
    return {str(number): part for number, part in description if isinstance(part, RangeVector)}


def _description(vectors: Vectors) -> Description:
    return tuple(sorted((int(name), vector) for name, vector in vectors.items()))


def _ranges(description: Description) -> dict[str, tuple[float, float]]:
    """Return ranges that end inside their leaves, as nearly all do before they are rounded."""
    return {str(number): leaf_range(part) for number, part in description if isinstance(part, Leaves)}
