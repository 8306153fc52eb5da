"""Events as columns of numbers, checked once: what the index matches at full speed.

A call for each event costs Python as much as the match itself, so events come in batches. An event may lack any
attribute; NaN is never taken for that. Every way to make a batch checks its values against the limits, and the batch
keeps the space that it was checked with: an index of other attributes refuses it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._match_kernels import Flags, Values
from roamcast.matching._shown import check_mapping, shown
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace, Limits


class EventBatch:
    """The values of some events by attribute, in the order of a space."""

    __slots__ = ("present", "space", "values")

    def __init__(self, space: AttributeSpace, values: npt.ArrayLike, present: npt.ArrayLike) -> None:
        """Take a row for each event and a column for each attribute; ``present`` says which of them an event has."""
        given = _array("values", values, "iuf", "must be numbers").data
        has = _array("present", present, "b", "must be true or false").data
        for place, array in (("values", given), ("present", has)):
            if array.ndim != 2 or array.shape != (*given.shape[:1], len(space)):
                raise InvalidValueError(place, list(array.shape), f"must be events by {len(space)} attributes")
        for at, name in enumerate(space):
            _check(name, given[has[:, at], at], space[name])
        self.space = space
        self.values: Values = np.where(has, given, 0).astype(np.float64)
        self.present: Flags = np.array(has, np.bool_, order="C")

    @classmethod
    def _checked(cls, space: AttributeSpace, values: Values, present: Flags) -> "EventBatch":
        """Return a batch of values that have been looked at."""
        batch = cls.__new__(cls)
        batch.space, batch.values, batch.present = space, values, present
        return batch

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> "EventBatch":
        """Return some of the events, without copying them."""
        if not isinstance(part, slice):
            raise InvalidValueError("events", shown(part), "must be a slice, as in batch[10:20]")
        values, present = self.values[part], self.present[part]
        return self._checked(self.space, np.ascontiguousarray(values), np.ascontiguousarray(present))

    @classmethod
    def of(cls, space: AttributeSpace, events: Iterable[Mapping[str, float]]) -> "EventBatch":
        """Return events that are given one by one, each as its values by attribute."""
        try:
            each_event = iter(() if isinstance(events, Mapping) else events)
        except TypeError:
            each_event = None
        if isinstance(events, Mapping) or each_event is None:
            raise InvalidValueError(
                "events", shown(events), "must be several, each a mapping from attributes to values"
            )
        listed = list(each_event)
        values, present = np.zeros((len(listed), len(space))), np.zeros((len(listed), len(space)), np.bool_)
        for row, event in enumerate(listed):
            check_mapping("an event", event, "must be a mapping from attributes to values")
            for name, value in event.items():
                values[row, space.place(name)] = space.value(name, value)
                present[row, space.place(name)] = True
        return cls._checked(space, values, present)

    @classmethod
    def from_columns(cls, space: AttributeSpace, columns: Mapping[str, npt.ArrayLike]) -> "EventBatch":
        """Return events whose values are given by attribute; what is masked (``numpy.ma``) an event lacks.

        All columns must be of one length. An attribute without a column is one that all events lack.
        """
        check_mapping("columns", columns, "must be a mapping from attributes to columns")
        if not columns:
            raise InvalidValueError(
                "columns", "{}", "must have at least one attribute, or the number of events is unknown"
            )
        checked = {name: _column(name, given, space[name]) for name, given in columns.items()}
        count = len(next(iter(checked.values()))[0])
        values, present = np.zeros((count, len(space))), np.zeros((count, len(space)), np.bool_)
        for name, (column, has) in checked.items():
            if len(column) != count:
                raise InvalidValueError(name, f"{len(column)} values", f"must be {count} as in the first column")
            values[:, space.place(name)] = column
            present[:, space.place(name)] = has
        return cls._checked(space, values, present)


def _column(name: str, given: npt.ArrayLike, limits: Limits) -> tuple[Values, Flags]:
    masked = _array(name, given, "iuf", "must be a column of numbers")
    if masked.ndim != 1:
        raise InvalidValueError(name, f"{masked.ndim}-D {masked.dtype}", "must be a column of numbers")
    present: Flags = ~np.ma.getmaskarray(masked)
    _check(name, masked.data[present], limits)
    return np.where(present, masked.data, 0).astype(np.float64), present


def _array(place: str, given: npt.ArrayLike, kinds: str, expected: str) -> Any:
    """Return what is given as an array that may be masked."""
    try:
        array: Any = np.ma.asarray(given)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, among others
        raise InvalidValueError(place, shown(given), expected) from None
    if array.dtype.kind not in kinds:
        raise InvalidValueError(place, f"{array.ndim}-D {array.dtype}", expected)
    return array


def _check(name: str, asked: Any, limits: Limits) -> None:
    for expected, is_wrong in _complaints(asked, limits):
        if is_wrong.any():
            raise InvalidValueError(name, asked[is_wrong][0], expected)


def _complaints(asked: Any, limits: Limits) -> Iterable[tuple[str, Flags]]:
    """Yield what may be wrong with values, with those of which it is true."""
    if asked.dtype.kind == "f":
        yield "must be a number, not NaN", np.isnan(asked)
        if asked.dtype.itemsize > np.dtype(np.float64).itemsize:
            yield "must be a number that a 64-bit float holds exactly", asked != asked.astype(np.float64)
    else:
        inexact = (asked > int(WHOLE_MAX)) | (asked < -int(WHOLE_MAX))
        yield "must be a number that a 64-bit float holds exactly", inexact
    yield (
        f"must be within its limits {limits.low:g} to {limits.high:g}",
        (asked < limits.low) | (asked > limits.high),
    )
    if limits.whole and asked.dtype.kind == "f":
        yield "must be a whole number", asked != np.floor(asked)
