"""Columns of numbers as 64-bit floats, in which all comparisons are made, whatever the type of the given numbers.

The precision of a column must not affect results: numpy rounds a limit to the 32 bits of a column that it is compared
with, and then 0.1 in 32 bits, which is more than 0.1, would appear to be within a limit of 0.1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.matching._lines import Flags, Values
from roamcast.matching.attribute_space import WHOLE_MAX
from roamcast.matching.value_text import invalid, reportable


def as_array(where: str, given: npt.ArrayLike, kinds: str, expected: str) -> Any:
    """Convert to a possibly masked array, which must have one of the given kinds of dtype."""
    try:
        array: Any = np.ma.asarray(given)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, among others
        raise invalid(where, reportable(given), expected) from None
    if array.dtype.kind not in kinds:
        raise invalid(where, f"{array.ndim}-D {array.dtype}", expected)
    return array


def unmasked(where: str, array: Any) -> npt.NDArray[Any]:
    """Return the data of an array in which nothing is masked."""
    if np.ma.getmaskarray(array).any():
        raise invalid(where, "masked", "must not have masked values")
    return np.asarray(array.data)


def as_floats(numbers: npt.NDArray[Any]) -> tuple[Values, Flags | None]:
    """Return numbers as 64-bit floats, and which of them are not exact in that form, if any."""
    with np.errstate(over="ignore"):  # a longer float that is too large becomes infinite, and is not exact
        floats: Values = numbers.astype(np.float64)
    if numbers.dtype.itemsize < floats.dtype.itemsize or numbers.dtype == np.float64:
        return floats, None
    if numbers.dtype.kind == "f":
        inexact: Flags = (floats != numbers) & ~np.isnan(numbers)
        return floats, inexact if inexact.any() else None
    if not ((numbers > int(WHOLE_MAX)) | (numbers < -int(WHOLE_MAX))).any():
        return floats, None
    # As a float the maximum is one above the largest integer: a number rounded up to it cannot be converted back.
    is_back = floats < float(np.iinfo(numbers.dtype).max)
    back = np.where(is_back, floats, 0.0).astype(numbers.dtype)
    inexact = ~is_back | (back != numbers)
    return floats, inexact if inexact.any() else None
