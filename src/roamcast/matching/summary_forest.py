"""The summary forest: a few representative subscriptions for many (BRVST, section IV-B1, algorithms 1 and 2).

Every tree has a root. All its subscriptions have at least the root's attributes, and for each of these the root's
summary is the merge of all vectors of the tree. So an event that matches any subscription of a tree matches its
summary, and the summaries of all trees, the representative set, represent all subscriptions.

The paper leaves some things open; our choices:

- Algorithm 1 goes through all roots; a subscription joins the first tree that accepts it, and becomes a root of its own
  only if none does. Otherwise it could be in several trees.
- A tree is stored as its root and its other subscriptions in the order of their arrival; the structure inside a tree
  makes no difference.
- Trees are merged (line 19) as long as one root can become the child of another, the earlier root first.
- Algorithm 2 merely takes a subscription that is not a root out of its tree. If that subscription had joined two trees,
  they would stay joined, with a summary that is too wide forever. We want removal to restore what the roots matched
  before. So after a removal the forest is what algorithm 1 makes of the remaining subscriptions, in the order of their
  arrival. A subscription that changed nothing when it came (it is not a root, and its tree's summary covered it) can be
  taken out without any change.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from roamcast.core.errors import UserError
from roamcast.matching.range_vectors import RangeVector, Vectors, check_vectors, matches
from roamcast.matching.value_text import check_identifier, short_repr

Identifier = TypeVar("Identifier", bound=Hashable)


@dataclass(slots=True)
class Tree(Generic[Identifier]):
    """A root, its summary and the subscriptions below it."""

    root: Identifier
    summary: dict[str, RangeVector]
    below: list[Identifier] = field(default_factory=list)

    def members(self) -> Iterator[Identifier]:
        """Yield all subscriptions of the tree, the root first."""
        yield self.root
        yield from self.below


class SummaryForest(Generic[Identifier]):
    """Subscriptions by identifier, and the trees that sum them up."""

    def __init__(self) -> None:
        self._subscriptions: dict[Identifier, Vectors] = {}
        self._trees: list[Tree[Identifier]] = []
        self._silent: set[Identifier] = set()
        """Subscriptions that changed nothing but the list of their tree when they were added."""
        self._is_stale = False
        """Whether the trees must be made anew before they are read; several changes in a row then cost one."""

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._subscriptions

    def __getitem__(self, identifier: Identifier) -> Vectors:
        """Return a subscription's vectors."""
        return self._subscriptions[identifier]

    @property
    def trees(self) -> Sequence[Tree[Identifier]]:
        """Return the trees, for reading only."""
        if self._is_stale:
            self._is_stale = False
            self._trees, self._silent = [], set()
            for identifier in self._subscriptions:
                self._insert(identifier)
        return self._trees

    def representatives(self) -> list[Vectors]:
        """Return the representative set: the summary of each tree."""
        return [dict(tree.summary) for tree in self.trees]

    def add(self, identifier: Identifier, vectors: Vectors) -> None:
        """Add a subscription (algorithm 1)."""
        check_identifier(identifier)
        if identifier in self._subscriptions:
            raise UserError(f"subscription {short_repr(identifier)} is already in the forest")
        check_vectors("vectors", vectors)
        self._subscriptions[identifier] = dict(vectors)
        if not self._is_stale:
            self._insert(identifier)

    def remove(self, identifier: Identifier) -> None:
        """Remove a subscription (algorithm 2, but see the module's docstring)."""
        check_identifier(identifier)
        if self._subscriptions.pop(identifier, None) is None:
            raise UserError(f"subscription {short_repr(identifier)} is not in the forest")
        if self._is_stale or identifier not in self._silent:
            self._is_stale = True
            return
        self._silent.discard(identifier)
        next(tree for tree in self._trees if identifier in tree.below).below.remove(identifier)

    def match(self, published: Vectors) -> list[Identifier]:
        """Return the subscriptions that a publication matches; only trees with a matching summary are searched."""
        return [
            member
            for tree in self.trees
            if matches(published, tree.summary)
            for member in tree.members()
            if matches(published, self._subscriptions[member])
        ]

    def comparisons(self, published: Vectors) -> int:
        """Return with how many vectors ``match`` compares: all roots, and the members of the trees that it searches."""
        searched = [tree for tree in self.trees if matches(published, tree.summary)]
        return len(self.trees) + sum(1 + len(tree.below) for tree in searched)

    def matches_any_root(self, published: Vectors) -> bool:
        """Tell whether a publication matches the representative set."""
        return any(matches(published, tree.summary) for tree in self.trees)

    def _insert(self, identifier: Identifier) -> None:
        vectors = self._subscriptions[identifier]
        for tree in self._trees:
            if vectors.keys() >= tree.summary.keys():
                if _overlap(tree.summary, vectors):
                    before = tree.summary
                    tree.below.append(identifier)
                    tree.summary = _joined(before, vectors)
                    if tree.summary == before:
                        self._silent.add(identifier)
                        return
                    break
            elif vectors.keys() <= tree.summary.keys() and _overlap(vectors, tree.summary):
                tree.below.insert(0, tree.root)
                tree.root, tree.summary = identifier, _joined(vectors, tree.summary)
                break
        else:
            tree = Tree(identifier, dict(vectors))
            self._trees.append(tree)
        self._merge_trees(tree)

    def _merge_trees(self, changed: Tree[Identifier]) -> None:
        """Merge trees into others as long as possible. Before one was changed, no two could be merged."""
        while (pair := self._mergeable(changed)) is not None:
            above, below = pair
            above.below += below.members()
            above.summary = _joined(above.summary, below.summary)
            self._trees = [tree for tree in self._trees if tree is not below]
            changed = above

    def _mergeable(self, changed: Tree[Identifier]) -> tuple[Tree[Identifier], Tree[Identifier]] | None:
        """Return the first tree that can be merged with one that was changed, the upper one first."""
        is_later = False
        for other in self._trees:
            if other is changed:
                is_later = True
                continue
            one, two = (changed, other) if is_later else (other, changed)
            if two.summary.keys() >= one.summary.keys() and _overlap(one.summary, two.summary):
                return one, two
            if two.summary.keys() < one.summary.keys() and _overlap(two.summary, one.summary):
                return two, one
        return None


def _overlap(fewer: Vectors, more: Vectors) -> bool:
    """Tell whether both overlap in every attribute of the first, all of which the second has too."""
    return all(vector.overlaps(more[name]) for name, vector in fewer.items())


def _joined(summary: Vectors, vectors: Mapping[str, RangeVector]) -> dict[str, RangeVector]:
    """Return the summary widened by vectors that have all of its attributes."""
    return {name: vector.merged(vectors[name]) for name, vector in summary.items()}
