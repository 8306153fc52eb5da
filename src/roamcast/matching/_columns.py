"""Columns of numbers as 64-bit floats: every comparison is made with those, whatever the numbers came as.

A column's own precision must not decide: numpy rounds a limit to the 32 bits of a column that it is compared with, and
then 0.1 in 32 bits, which is more than 0.1, seems to be within a limit of 0.1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.matching._match_kernels import Flags, Values
from roamcast.matching.attribute_space import WHOLE_MAX
from roamcast.matching.value_text import invalid, shown


def as_array(place: str, given: npt.ArrayLike, kinds: str, expected: str) -> Any:
    """Return what is given as an array that may be masked, of one of some kinds of numbers."""
    try:
        array: Any = np.ma.asarray(given)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, among others
        raise invalid(place, shown(given), expected) from None
    if array.dtype.kind not in kinds:
        raise invalid(place, f"{array.ndim}-D {array.dtype}", expected)
    return array


def unmasked(place: str, array: Any) -> npt.NDArray[Any]:
    """Return an array that has every value."""
    if np.ma.getmaskarray(array).any():
        raise invalid(place, "masked", "every value must be there: no masked ones")
    return np.asarray(array.data)


def as_floats(numbers: npt.NDArray[Any]) -> tuple[Values, Flags | None]:
    """Return numbers as 64-bit floats, and which of them such a float does not hold exactly, if there are any."""
    with np.errstate(over="ignore"):  # a longer float that is too large becomes infinite, and is not exact
        floats: Values = numbers.astype(np.float64)
    if numbers.dtype.itemsize < floats.dtype.itemsize or numbers.dtype == np.float64:
        return floats, None
    if numbers.dtype.kind == "f":
        inexact: Flags = (floats != numbers) & ~np.isnan(numbers)
        return floats, inexact if inexact.any() else None
    if not ((numbers > int(WHOLE_MAX)) | (numbers < -int(WHOLE_MAX))).any():
        return floats, None
    # One above the largest whole number of the type: what was rounded up to it cannot be turned back.
    is_back = floats < float(np.iinfo(numbers.dtype).max)
    back = np.where(is_back, floats, 0.0).astype(numbers.dtype)
    inexact = ~is_back | (back != numbers)
    return floats, inexact if inexact.any() else None
