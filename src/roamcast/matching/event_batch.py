"""Events as columns of numbers, checked once, which the index can match at full speed.

A Python call for each event costs as much as the match itself, so events come in batches. An event may lack any
attribute, but NaN does not mean that. Every way to make a batch checks its values against the limits, and the batch
keeps the space that it was checked with: an index with other attributes refuses it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._columns import as_array, as_floats, unmasked
from roamcast.matching._lines import Flags, Values
from roamcast.matching.attribute_space import AttributeSpace, Limits, check_space
from roamcast.matching.value_text import check_mapping, invalid, reportable


class EventBatch:
    """The values of some events by attribute, in the order of a space."""

    __slots__ = ("present", "space", "values")

    def __init__(self, space: AttributeSpace, values: npt.ArrayLike, present: npt.ArrayLike) -> None:
        """Take a row for each event and a column for each attribute; ``present`` tells which of them an event has."""
        check_space(space)
        masked = as_array("values", values, "iuf", "must be numbers")
        given, has = masked.data, unmasked("present", as_array("present", present, "b", "must be true or false"))
        for argument, array in (("values", given), ("present", has)):
            if array.ndim != 2 or array.shape != (*given.shape[:1], len(space)):
                raise invalid(argument, list(array.shape), f"must be events by {len(space)} attributes")
        has = has.astype(np.bool_)
        numbers = np.where(has, given, 0)
        floats, inexact = as_floats(numbers)
        hidden = has & np.ma.getmaskarray(masked) if np.ma.is_masked(masked) else None
        for at, name in enumerate(space):
            if hidden is not None and hidden[:, at].any():
                raise invalid(name, "masked", "must not be present where the value is masked")
            rounded = None if inexact is None else inexact[:, at]
            _check(name, numbers[:, at], floats[:, at], rounded, has[:, at], space[name])
        self.space = space
        self.values: Values = np.ascontiguousarray(floats)
        self.present: Flags = np.array(has, np.bool_, order="C")

    @classmethod
    def _checked(cls, space: AttributeSpace, values: Values, present: Flags) -> "EventBatch":
        """Return a batch of values that have been checked."""
        batch = cls.__new__(cls)
        batch.space, batch.values, batch.present = space, values, present
        return batch

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> "EventBatch":
        """Return some of the events, without copying them."""
        if not isinstance(part, slice):
            raise invalid("events", reportable(part), "must be a slice, as in batch[10:20]")
        values, present = self.values[part], self.present[part]
        return self._checked(self.space, np.ascontiguousarray(values), np.ascontiguousarray(present))

    @classmethod
    def of(cls, space: AttributeSpace, events: Iterable[Mapping[str, float]]) -> "EventBatch":
        """Return a batch of events, each given as a mapping from attributes to values."""
        check_space(space)
        try:
            iterator = iter(() if isinstance(events, Mapping) else events)
        except TypeError:
            iterator = None
        if isinstance(events, Mapping) or iterator is None:
            raise invalid("events", reportable(events), "must be several, each a mapping from attributes to values")
        listed = list(iterator)
        values, present = np.zeros((len(listed), len(space))), np.zeros((len(listed), len(space)), np.bool_)
        for row, event in enumerate(listed):
            check_mapping("an event", event, 'must be a mapping from attributes to values (pandas: to_dict("records"))')
            try:
                for name, value in event.items():
                    values[row, space.index(name)] = space.value(name, value)
                    present[row, space.index(name)] = True
            except InvalidValueError as error:
                if len(listed) == 1:
                    raise
                raise invalid(f"{error.where} of event {row}", error.value, error.expected) from None
        return cls._checked(space, values, present)

    @classmethod
    def from_columns(cls, space: AttributeSpace, columns: Mapping[str, npt.ArrayLike]) -> "EventBatch":
        """Return a batch of events whose values are given by attribute; an event lacks masked values (``numpy.ma``).

        All columns must have the same length. All events lack an attribute without a column.
        """
        check_space(space)
        check_mapping("columns", columns, "must be a mapping from attributes to columns")
        if not columns:
            raise invalid("columns", "{}", "must have at least one attribute, or the number of events is unknown")
        checked = {name: _column(name, given, space[name]) for name, given in columns.items()}
        count = len(next(iter(checked.values()))[0])
        values, present = np.zeros((count, len(space))), np.zeros((count, len(space)), np.bool_)
        for name, (column, has) in checked.items():
            if len(column) != count:
                raise invalid(name, f"{len(column)} values", f"must be {count} as in the first column")
            values[:, space.index(name)] = column
            present[:, space.index(name)] = has
        return cls._checked(space, values, present)


def _column(name: str, given: npt.ArrayLike, limits: Limits) -> tuple[Values, Flags]:
    masked = as_array(name, given, "iuf", "must be a column of numbers")
    if masked.ndim != 1:
        raise invalid(name, f"{masked.ndim}-D {masked.dtype}", "must be a column of numbers")
    present: Flags = ~np.ma.getmaskarray(masked)
    numbers = np.where(present, masked.data, 0)
    values, inexact = as_floats(numbers)
    _check(name, numbers, values, inexact, present, limits)
    return values, present


def _check(
    name: str, numbers: npt.NDArray[Any], values: Values, inexact: Flags | None, present: Flags, limits: Limits
) -> None:
    """Raise an error about the first number that is present and cannot be the attribute's value."""
    checked = values if present.all() else values[present]
    is_fine = inexact is None and bool(((checked >= limits.low) & (checked <= limits.high)).all())
    if is_fine and not (limits.whole and numbers.dtype.kind == "f" and (checked != np.floor(checked)).any()):
        return
    for expected, is_wrong in (
        ("must be a number, not NaN", np.isnan(values)),
        ("must be a number that a 64-bit float holds exactly", np.zeros_like(present) if inexact is None else inexact),
        (f"must be within its limits {limits}", (values < limits.low) | (values > limits.high)),
        ("must be a whole number", limits.whole & (values != np.floor(values))),
    ):
        if (is_wrong & present).any():
            first = int(np.argmax(is_wrong & present))
            is_exact = numbers.dtype.kind == "f" and (inexact is None or not inexact[first])
            # The value as it is compared: 0.1 in 32 bits is not 0.1.
            where = f"{name} of event {first}" if len(values) > 1 else name
            raise invalid(where, values[first] if is_exact else numbers[first], expected)
