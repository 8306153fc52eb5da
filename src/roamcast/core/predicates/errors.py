"""What can be wrong with a predicate, as one line for a person, and the limits that keep hostile ones small.

With these limits every predicate can be printed, and what is printed can be parsed again.
"""

from roamcast.core.errors import UserError

ALTERNATIVES_MAX = 128
"""The most conjunctions of a predicate, once it is written out as a disjunction of conjunctions."""
TERMS_MAX = 512
"""The most terms of a predicate, written out: a value counts one each, a test for presence one."""
DEPTH_MAX = 32
"""The deepest parentheses."""
LITERAL_LENGTH_MAX = 255
"""The longest text that an attribute is compared with, in characters."""
SOURCE_LENGTH_MAX = 1_000_000
"""The longest predicate in characters: more than the largest one that the other limits allow, printed."""


class PredicateError(UserError):
    """Say what is wrong with a predicate, and where."""

    def __init__(self, what: str, place: str = "predicate") -> None:
        super().__init__(f"{place}: {what}")
        self.what = what
        self.place = place
