"""The error for a wrong predicate, as one line for a person."""

from roamcast.core.errors import UserError


class PredicateError(UserError):
    """A mistake in a predicate: what it is, and where."""

    def __init__(self, what: str, where: str = "predicate") -> None:
        super().__init__(f"{where}: {what}")
        self.what = what
        self.where = where
