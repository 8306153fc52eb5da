"""Domains: the set of values that a conjunction allows for one attribute, with its algebra.

A conjunction constrains each attribute separately, so it is a product of such sets, and one covers another exactly if
it does so attribute by attribute. No domain is empty: a ``meet`` that would be empty is None.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from roamcast.core.attributes import is_finite
from roamcast.core.predicates.comparisons import Comparison, Operator


class Domain(ABC):
    """The values of an attribute, or the topics, that a conjunction allows."""

    __slots__ = ()

    @abstractmethod
    def contains(self, value: object) -> bool:
        """Tell whether a value is in the domain; None stands for an attribute that the event does not have."""

    @abstractmethod
    def meet(self, other: "Domain") -> "Domain | None":
        """Return the intersection, or None if it is empty."""

    @abstractmethod
    def covers(self, other: "Domain") -> bool:
        """Tell whether this contains everything that the other contains."""

    @property
    @abstractmethod
    def terms(self) -> int:
        """Return how much the domain counts against a limit: as much as its comparisons, but faster to compute."""

    @abstractmethod
    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return the comparisons that a person would write for it; parsed again, they yield this domain."""


@dataclass(frozen=True, slots=True)
class Presence(Domain):
    """Requires only that the attribute is present, or that it is absent, whatever its value and type."""

    present: bool

    def contains(self, value: object) -> bool:
        """Tell whether the attribute is present with a valid value, or is absent."""
        return is_finite(value) if self.present else value is None

    def meet(self, other: Domain) -> Domain | None:
        """Return the other, unless one requires the attribute and the other its absence."""
        if isinstance(other, Presence):
            return self if self == other else None
        return other if self.present else None

    def covers(self, other: Domain) -> bool:
        """Tell whether both require absence, or neither does."""
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
