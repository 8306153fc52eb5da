"""The text that a metric's function stands for, so that values of a changed function are computed again.

A function of a module counts with the whole module. One that was typed into a notebook or a shell has no module to
read: it counts with its code and all that the code refers to, constants, defaults, closures and global names, each
followed in the same way.
"""

import dis
import inspect
import pickle
import sys
from collections.abc import Iterator, Mapping, Set
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def function_text(value: object) -> str:
    """Return a text that changes with whatever a function, or a value that it uses, computes."""
    return _text(value, {})


def module_text(module: str) -> str | None:
    """Return the source of a module; None if it has none, as a notebook."""
    try:
        return inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return None


def _text(value: Any, seen: dict[int, object]) -> str:
    if isinstance(value, PLAIN):
        return repr(value)
    if id(value) in seen:  # a function that calls itself, say
        return "..."
    seen[id(value)] = value  # kept, so that no other object gets its id
    parts = list(_parts(value, seen))
    return f"{type(value).__name__}({','.join(parts)})"


def _parts(value: Any, seen: dict[int, object]) -> Iterator[str]:
    if isinstance(value, (tuple, list)):
        yield from (_text(each, seen) for each in value)
    elif isinstance(value, Set):
        yield from sorted(_text(each, seen) for each in value)
    elif isinstance(value, Mapping):
        yield from (f"{_text(key, seen)}:{_text(each, seen)}" for key, each in value.items())
    elif isinstance(value, CodeType):
        yield from (value.co_code.hex(), repr(value.co_names), repr(value.co_varnames), _text(value.co_consts, seen))
    elif isinstance(value, ModuleType):
        yield value.__name__
    elif isinstance(value, partial):
        yield from (_text(each, seen) for each in (value.func, value.args, value.keywords))
    elif isinstance(value, MethodType):
        yield from (_text(value.__func__, seen), _text(value.__self__, seen))
    elif isinstance(value, property):
        yield from (_text(each, seen) for each in (value.fget, value.fset, value.fdel))
    elif isinstance(value, (FunctionType, type)):
        yield from _definition(value, seen)
    elif isinstance(value, BuiltinFunctionType):
        yield f"{value.__module__}.{value.__qualname__}"
    else:
        yield from _object(value, seen)


def _definition(value: Any, seen: dict[int, object]) -> Iterator[str]:
    """Yield what a function or a class is made of: its module, or where there is none to read, its own parts."""
    yield f"{value.__module__}.{value.__qualname__}"
    text = module_text(value.__module__)
    if text is not None or value.__module__ == "builtins":
        yield text or ""
    elif isinstance(value, type):
        own = {name: each for name, each in vars(value).items() if not name.startswith("__") or callable(each)}
        yield from (_text(value.__bases__, seen), _text(own, seen))
    else:
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        names = sorted(_global_names(value.__code__).intersection(value.__globals__))
        used = {name: value.__globals__[name] for name in names}
        yield from (
            _text(each, seen) for each in (value.__code__, value.__defaults__, value.__kwdefaults__, cells, used)
        )


def _object(value: Any, seen: dict[int, object]) -> Iterator[str]:
    """Yield what any other object is: its class, and its state."""
    yield _text(type(value), seen)
    try:
        yield pickle.dumps(value).hex()
    except Exception:  # noqa: BLE001 - whatever cannot be pickled
        yield _text(vars(value), seen) if hasattr(value, "__dict__") else repr(value)


def _global_names(code: CodeType) -> set[str]:
    """Return the global names that some code reads, functions inside it included."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(_global_names(each) for each in code.co_consts if isinstance(each, CodeType)))


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - asking is the test
    except ValueError:
        return False
    return True
