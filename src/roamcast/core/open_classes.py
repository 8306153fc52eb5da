"""How a class that is compiled stays open for others to derive from, as a class of Python is."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

K = TypeVar("K", bound=type)

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_: bool) -> Callable[[K], K]:
        """Return a class as it is: what is said is for mypyc, which reads it and does not call it."""
        return lambda kind: kind
