"""Domains: what a conjunction leaves of one attribute, as a set with its algebra.

A conjunction says something about each attribute on its own, so it is a product of such sets, and one covers
another exactly if it does so attribute by attribute. No domain is empty: where a ``meet`` would be, it is None.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from roamcast.core.attributes import is_finite
from roamcast.core.predicates.comparisons import Comparison, Operator


class Domain(ABC):
    """The values of an attribute, or the topics, that a conjunction lets pass."""

    __slots__ = ()

    @abstractmethod
    def contains(self, value: object) -> bool:
        """Tell whether a value passes; None stands for an attribute that the event does not have."""

    @abstractmethod
    def meet(self, other: "Domain") -> "Domain | None":
        """Return what passes both, None where nothing does."""

    @abstractmethod
    def covers(self, other: "Domain") -> bool:
        """Tell whether all that passes the other passes this."""

    @property
    @abstractmethod
    def terms(self) -> int:
        """Return how much the domain counts against a limit: what its comparisons do, only sooner."""

    @abstractmethod
    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return the comparisons that a person would write for it; parsed again, they give this domain."""


@dataclass(frozen=True, slots=True)
class Presence(Domain):
    """Only whether there is the attribute counts, whatever its value and type."""

    present: bool

    def contains(self, value: object) -> bool:
        """Tell whether the attribute is there, with a value that an attribute can have, or is not there."""
        return is_finite(value) if self.present else value is None

    def meet(self, other: Domain) -> Domain | None:
        """Return the other, unless one asks for the attribute and the other for its absence."""
        if isinstance(other, Presence):
            return self if self == other else None
        return other if self.present else None

    def covers(self, other: Domain) -> bool:
        """Tell whether both ask for absence, or neither does."""
        return self.present == (not isinstance(other, Presence) or other.present)

    @property
    def terms(self) -> int:
        """Return one for the one test."""
        return 1

    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return the one test."""
        return (Comparison(name, Operator.PRESENT if self.present else Operator.MISSING),)


PRESENT = Presence(True)
MISSING = Presence(False)
