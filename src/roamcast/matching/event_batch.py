"""Events as columns of numbers, checked once: what the index matches at full speed.

A call for each event costs Python as much as the match itself, so events come in batches. An event may lack any
attribute; NaN is never taken for that.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._match_kernels import Flags, Values
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace, Limits


class EventBatch:
    """The values of some events by attribute, in the order of a space."""

    __slots__ = ("present", "values")

    def __init__(self, values: Values, present: Flags) -> None:
        self.values = values
        self.present = present

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> "EventBatch":
        """Return some of the events, without copying them."""
        return EventBatch(self.values[part], self.present[part])

    @classmethod
    def of(cls, space: AttributeSpace, events: Iterable[Mapping[str, float]]) -> "EventBatch":
        """Return events that are given one by one, each as its values by attribute."""
        listed = list(events)
        batch = cls(np.zeros((len(listed), len(space))), np.zeros((len(listed), len(space)), np.bool_))
        for row, event in enumerate(listed):
            for name, value in event.items():
                batch.values[row, space.place(name)] = space.value(name, value)
                batch.present[row, space.place(name)] = True
        return batch

    @classmethod
    def from_columns(cls, space: AttributeSpace, columns: Mapping[str, npt.ArrayLike]) -> "EventBatch":
        """Return events whose values are given by attribute; what is masked (``numpy.ma``) an event lacks.

        All columns must be of one length. An attribute without a column is one that all events lack.
        """
        if not columns:
            raise InvalidValueError(
                "columns", "{}", "must have at least one attribute, or the number of events is unknown"
            )
        checked = {name: _column(name, given, space[name]) for name, given in columns.items()}
        count = len(next(iter(checked.values()))[0])
        batch = cls(np.zeros((count, len(space))), np.zeros((count, len(space)), np.bool_))
        for name, (values, present) in checked.items():
            if len(values) != count:
                raise InvalidValueError(name, f"{len(values)} values", f"must be {count} as in the first column")
            batch.values[:, space.place(name)] = values
            batch.present[:, space.place(name)] = present
        return batch


def _column(name: str, given: npt.ArrayLike, limits: Limits) -> tuple[Values, Flags]:
    masked: Any = np.ma.asarray(given)
    if masked.ndim != 1 or masked.dtype.kind not in "iuf":
        raise InvalidValueError(name, f"{masked.ndim}-D {masked.dtype}", "must be a column of numbers")
    present: Flags = ~np.ma.getmaskarray(masked)
    asked = masked.data[present]
    for expected, is_wrong in _complaints(asked, limits):
        if is_wrong.any():
            raise InvalidValueError(name, asked[is_wrong][0], expected)
    return np.where(present, masked.data, 0).astype(np.float64), present


def _complaints(asked: Any, limits: Limits) -> Iterable[tuple[str, Flags]]:
    """Yield what may be wrong with values, with those of which it is true."""
    if asked.dtype.kind == "f":
        yield "must be a number, not NaN", np.isnan(asked)
    else:
        inexact = (asked > int(WHOLE_MAX)) | (asked < -int(WHOLE_MAX))
        yield "must be a number that a 64-bit float holds exactly", inexact
    yield (
        f"must be within its limits {limits.low:g} to {limits.high:g}",
        (asked < limits.low) | (asked > limits.high),
    )
    if limits.whole and asked.dtype.kind == "f":
        yield "must be a whole number", asked != np.floor(asked)
