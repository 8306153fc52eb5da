"""The summary forest: few representative subscriptions for many (BRVST, section IV-B1, algorithms 1 and 2).

Every tree has a root. All its subscriptions have at least the root's attributes, and the root's summary is, for each of
them, the merge of all of the tree's vectors. So who matches any subscription of a tree matches its summary, and the
summaries of all trees, the representative set, stand for all subscriptions.

What we chose where the paper leaves it open:

- Algorithm 1 goes through all roots; a subscription joins the first tree that takes it, and becomes a root of its own
  only if none does. Else it would stand in several trees.
- A tree is kept as its root and its other subscriptions in the order of their arrival; what hangs below what inside a
  tree decides nothing.
- Trees are merged (line 19) as long as one root can become the child of another, the earlier root first.
- Algorithm 2 only takes a subscription that is no root out of its tree. If it had joined two trees they would stay
  joined, with a summary that is too wide for ever after. We want that removing what was added restores what the roots
  match. So the forest is what algorithm 1 makes of those that stay, in the order of their arrival. Where a subscription
  changed nothing when it came (it is no root and its tree's summary covered it), taking it out changes nothing either.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from roamcast.core.errors import UserError
from roamcast.matching.range_vectors import RangeVector, Vectors, check_vectors, matches
from roamcast.matching.value_text import check_identifier, written

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
        """Those that changed nothing but the list of their tree when they came."""

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._subscriptions

    def __getitem__(self, identifier: Identifier) -> Vectors:
        """Return a subscription's vectors."""
        return self._subscriptions[identifier]

    @property
    def trees(self) -> Sequence[Tree[Identifier]]:
        """Return the trees, to be looked at only."""
        return self._trees

    def representatives(self) -> list[Vectors]:
        """Return the representative set: the summary of each tree."""
        return [dict(tree.summary) for tree in self._trees]

    def add(self, identifier: Identifier, vectors: Vectors) -> None:
        """Add a subscription (algorithm 1)."""
        check_identifier(identifier)
        if identifier in self._subscriptions:
            raise UserError(f"subscription {written(identifier)} is in the forest already")
        check_vectors("vectors", vectors)
        self._subscriptions[identifier] = dict(vectors)
        self._insert(identifier)

    def remove(self, identifier: Identifier) -> None:
        """Remove a subscription (algorithm 2, but see the module's text)."""
        check_identifier(identifier)
        if self._subscriptions.pop(identifier, None) is None:
            raise UserError(f"subscription {written(identifier)} is not in the forest")
        if identifier in self._silent:
            self._silent.discard(identifier)
            next(tree for tree in self._trees if identifier in tree.below).below.remove(identifier)
            return
        self._trees, self._silent = [], set()
        for each in self._subscriptions:
            self._insert(each)

    def match(self, published: Vectors) -> list[Identifier]:
        """Return those whose vectors a publication matches: the trees whose summary it matches are looked through."""
        return [
            each
            for tree in self._trees
            if matches(published, tree.summary)
            for each in tree.members()
            if matches(published, self._subscriptions[each])
        ]

    def matches_any_root(self, published: Vectors) -> bool:
        """Tell whether a publication matches the representative set."""
        return any(matches(published, tree.summary) for tree in self._trees)

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
            self._trees.append(Tree(identifier, dict(vectors)))
        self._merge_trees()

    def _merge_trees(self) -> None:
        """Put trees below others while that is possible."""
        while (pair := self._mergeable()) is not None:
            above, below = pair
            above.below += below.members()
            above.summary = _joined(above.summary, below.summary)
            self._trees = [tree for tree in self._trees if tree is not below]

    def _mergeable(self) -> tuple[Tree[Identifier], Tree[Identifier]] | None:
        for at, one in enumerate(self._trees):
            for two in self._trees[at + 1 :]:
                if two.summary.keys() >= one.summary.keys() and _overlap(one.summary, two.summary):
                    return one, two
                if two.summary.keys() < one.summary.keys() and _overlap(two.summary, one.summary):
                    return two, one
        return None


def _overlap(fewer: Vectors, more: Vectors) -> bool:
    """Tell whether both overlap in every attribute of the first, which the second has, too."""
    return all(vector.overlaps(more[name]) for name, vector in fewer.items())


def _joined(summary: Vectors, vectors: Mapping[str, RangeVector]) -> dict[str, RangeVector]:
    """Return the summary widened by vectors that have all of its attributes."""
    return {name: vector.merged(vectors[name]) for name, vector in summary.items()}
