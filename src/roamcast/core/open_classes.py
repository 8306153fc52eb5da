"""A decorator that lets interpreted classes derive from a class compiled by mypyc."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

K = TypeVar("K", bound=type)

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_: bool) -> Callable[[K], K]:
        """Return a class unchanged: mypyc reads the decorator's arguments from the source and never calls it."""
        return lambda kind: kind
