"""A quicker ``__init__`` for frozen dataclasses with slots.

The one that ``dataclass`` generates sets each field through ``object.__setattr__``, which looks up the field by its
name at every call. Calling the slots' own setters takes half the time and leaves the class as frozen as it was.
"""

from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any

GENERATED = "__create_fn__."
"""How the name of a function begins that ``dataclass`` has generated; a class may have an ``__init__`` of its own."""


def quick_init(kind: type) -> None:
    """Replace the generated ``__init__`` of a frozen dataclass with slots; leave any other class as it is.

    ``dataclass`` makes a class with slots twice: first as it is written, then with its slots and its ``__init__``. Only
    the second time is there something to replace, so this may be called from ``__init_subclass__``.
    """
    own = vars(kind)
    parameters = own.get("__dataclass_params__")
    if "__slots__" not in own or parameters is None or not (parameters.frozen and parameters.init):
        return
    members = fields(kind)
    code = getattr(own["__init__"], "__code__", None)
    is_generated = code is not None and code.co_qualname.startswith(GENERATED)
    if not is_generated or hasattr(kind, "__post_init__") or not all(map(_is_plain, members)):
        return
    names: dict[str, Any] = {f"_set_{field.name}": getattr(kind, field.name).__set__ for field in members}
    names |= {f"_default_{field.name}": field.default for field in members}
    arguments = ", ".join(
        field.name if field.default is MISSING else f"{field.name}=_default_{field.name}" for field in members
    )
    body = "".join(f"    _set_{field.name}(self, {field.name})\n" for field in members)
    exec(f"def __init__(self, {arguments}):\n{body}", names)
    kind.__init__ = wraps(own["__init__"])(names["__init__"])  # type: ignore[misc]


def _is_plain(field: "Field[Any]") -> bool:
    return field.init and not field.kw_only and field.default_factory is MISSING
