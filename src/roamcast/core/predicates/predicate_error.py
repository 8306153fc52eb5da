"""What can be wrong with a predicate, as one line for a person."""

from roamcast.core.errors import UserError


class PredicateError(UserError):
    """Say what is wrong with a predicate, and where."""

    def __init__(self, what: str, place: str = "predicate") -> None:
        super().__init__(f"{place}: {what}")
        self.what = what
        self.place = place
