"""What a manager matches by: the summary forest (BRVST, section IV-B1), or TAMA's dyadic table without aggregation.

Both keep descriptions by identifier, and give the representative set that goes one level up. A table's own matches are
found from the roots down: only trees whose summary is matched are looked through.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable

from roamcast.matching.dyadic import DyadicTable
from roamcast.matching.range_vectors import RangeVector, Vectors
from roamcast.matching.summary_forest import SummaryForest
from roamcast.protocols.brvst.descriptions import Content, DyadicContent, leaf_range
from roamcast.protocols.brvst.messages import Description, Leaves


class SummaryTable(ABC):
    """Descriptions by identifier, and what sums them up."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._kept: dict[Hashable, Description] = {}

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, identifier: Hashable, described: Description) -> None:
        """Keep a description in place of what the identifier had before."""
        if self._kept.get(identifier) == described:
            return
        self.remove(identifier)
        self._kept[identifier] = described
        self._add(identifier, described)

    def remove(self, identifier: Hashable) -> None:
        """Forget a description, if it is there."""
        if self._kept.pop(identifier, None) is not None:
            self._remove(identifier)

    @abstractmethod
    def match(self, published: Description) -> list[Hashable]:
        """Return the identifiers that a publication matches."""

    @abstractmethod
    def representatives(self) -> tuple[Description, ...]:
        """Return the representative set, in an order that depends on its members only."""

    @abstractmethod
    def stored_bytes(self) -> int:
        """Return what the table takes to store."""

    @abstractmethod
    def _add(self, identifier: Hashable, described: Description) -> None: ...

    @abstractmethod
    def _remove(self, identifier: Hashable) -> None: ...


class ForestTable(SummaryTable):
    """A summary forest."""

    def __init__(self, content: Content) -> None:
        super().__init__(content)
        self._forest: SummaryForest[Hashable] = SummaryForest()

    def match(self, published: Description) -> list[Hashable]:
        """Look through the trees whose root is matched."""
        return [
            each
            for tree in self._forest.trees
            if self._content.matches(published, _described(tree.summary))
            for each in tree.members()
            if self._content.matches(published, self._kept[each])
        ]

    def representatives(self) -> tuple[Description, ...]:
        """Return the summaries of all trees."""
        return ordered(_described(tree.summary) for tree in self._forest.trees)

    def stored_bytes(self) -> int:
        """Return the size of all descriptions and of the trees' summaries."""
        return self._content.stored_bytes(self._kept.values()) + self._content.size_bytes(self.representatives())

    def _add(self, identifier: Hashable, described: Description) -> None:
        self._forest.add(identifier, _vectors(described))

    def _remove(self, identifier: Hashable) -> None:
        self._forest.remove(identifier)


class LeafTable(SummaryTable):
    """TAMA's table: what stands for all is all of it."""

    def __init__(self, content: DyadicContent) -> None:
        super().__init__(content)
        self._table: DyadicTable[Hashable] = DyadicTable(content.space, content.levels)

    def match(self, published: Description) -> list[Hashable]:
        """Count who is met on the paths of the publication's ranges."""
        return self._table.match(_ranges(published))

    def representatives(self) -> tuple[Description, ...]:
        """Return all descriptions, each once."""
        return ordered(dict.fromkeys(self._kept.values()))

    def stored_bytes(self) -> int:
        """Return the size of the identifiers in all cells."""
        return self._content.stored_bytes(self._kept.values())

    def _add(self, identifier: Hashable, described: Description) -> None:
        self._table.add(identifier, _ranges(described))

    def _remove(self, identifier: Hashable) -> None:
        self._table.remove(identifier)


def table_of(content: Content) -> SummaryTable:
    """Return an empty table for descriptions of a kind."""
    return LeafTable(content) if isinstance(content, DyadicContent) else ForestTable(content)


def owner_of(identifier: Hashable) -> int:
    """Return the node that an entry of a table belongs to: identifiers are pairs of a node and what it asks for."""
    assert isinstance(identifier, tuple)
    return int(identifier[0])


def ordered(several: Iterable[Description]) -> tuple[Description, ...]:
    """Return descriptions in an order of their own, so that equal sets are equal."""
    return tuple(sorted(several, key=_key))


def _key(described: Description) -> list[tuple[int, int, int]]:
    return [
        (number, part.length, part.bits) if isinstance(part, RangeVector) else (number, part.first, part.last)
        for number, part in described
    ]


def _vectors(described: Description) -> Vectors:
    return {str(number): part for number, part in described if isinstance(part, RangeVector)}


def _described(vectors: Vectors) -> Description:
    return tuple(sorted((int(name), vector) for name, vector in vectors.items()))


def _ranges(described: Description) -> dict[str, tuple[float, float]]:
    """Return ranges that end inside their leaves, as nearly all do before they are rounded."""
    return {str(number): leaf_range(part) for number, part in described if isinstance(part, Leaves)}
