"""Converting a table of subscriptions to numbers and checking its rows; ``match_tables`` describes the table."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from roamcast.core.errors import UserError, one_line
from roamcast.matching.attribute_space import NO_LIMITS, WHOLE_MAX, AttributeSpace
from roamcast.matching.range_table import RangeTable, explained
from roamcast.matching.value_text import invalid, unknown_attribute
from roamcast.spark.matching.match_task import SUBSCRIPTION

ATTRIBUTE, LOW, HIGH = "attribute", "low", "high"
EXACT = "must be at most 2^53, up to which whole numbers are exact as 64-bit floats"
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CheckedRanges:
    """The rows of a table of subscriptions."""

    table: pa.Table
    names: pa.Array
    """The subscriptions, each once."""
    ranges: RangeTable
    """The rows, with subscriptions as indices into ``names``. The index of an unknown attribute is meaningless."""
    problems: tuple[tuple[str, Flags], ...]
    """Each possible mistake, with a flag for every row that has it."""
    space: AttributeSpace

    @classmethod
    def of(cls, table: pa.Table, space: AttributeSpace) -> "CheckedRanges":
        """Check all rows."""
        coded = _coded(table, SUBSCRIPTION)
        owner, names = coded.indices.to_numpy().astype(np.int64), coded.dictionary
        coded = _coded(table, ATTRIBUTE)
        indices = {name: index for index, name in enumerate(space)}
        known = np.array([indices.get(name, -1) for name in coded.dictionary.to_pylist()], np.int64)
        attribute = known[coded.indices.to_numpy()] if len(known) else np.empty(0, np.int64)
        (low, low_rounded), (high, high_rounded) = (
            _ends(table, end, open_end) for end, open_end in ((LOW, -np.inf), (HIGH, np.inf))
        )
        ranges = RangeTable(owner, np.maximum(attribute, 0), low, high)
        found = ranges.problems(space) if len(owner) and len(space) else []
        problems = (
            ("every row must have a subscription", _is_null(table, SUBSCRIPTION)),
            ("every row must have an attribute", _is_null(table, ATTRIBUTE)),
            (NO_LIMITS, attribute < 0),
            (EXACT, low_rounded | high_rounded),
            *found,
        )
        return cls(table, names, ranges, problems, space)

    @property
    def is_bad(self) -> Flags:
        """Return which subscriptions have a bad row."""
        bad = np.zeros(len(self.names), np.bool_)
        for _, is_wrong in self.problems:
            bad[self.ranges.subscription[is_wrong]] = True
        return bad

    def raise_first_problem(self) -> None:
        """Raise an error about the first bad row, if there is one."""
        firsts = [
            (int(np.argmax(is_wrong)), number) for number, (_, is_wrong) in enumerate(self.problems) if is_wrong.any()
        ]
        if firsts:
            row, number = min(firsts)
            raise self._error({name: self.table[name][row].as_py() for name in self.table.column_names}, number)

    def _error(self, row: dict[str, Any], number: int) -> UserError:
        expected = self.problems[number][0]
        name, ends = row[ATTRIBUTE], [int(end) if isinstance(end, Decimal) else end for end in (row[LOW], row[HIGH])]
        if row[SUBSCRIPTION] is None or name is None:
            where = "subscriptions" if row[SUBSCRIPTION] is None else f"subscription {row[SUBSCRIPTION]!r}"
            return UserError(f"{where}: {'no attribute' if name is None else one_line(name)} = {ends}: {expected}")
        where = f"subscription {row[SUBSCRIPTION]!r}"
        if name not in set(self.space):
            return unknown_attribute(name, self.space, f"{where}: {NO_LIMITS}")
        return invalid(f"{where}: {name}", ends, explained(expected, self.space[name]))


def _coded(table: pa.Table, name: str) -> pa.DictionaryArray:
    column = table[name].combine_chunks()
    return pc.dictionary_encode(column, null_encoding="encode")


def _is_null(table: pa.Table, name: str) -> Flags:
    return np.asarray(table[name].is_null().to_numpy(), np.bool_)


def _ends(table: pa.Table, name: str, open_end: float) -> tuple[npt.NDArray[np.float64], Flags]:
    """Return one end of all ranges as floats, and which of them may not be exact as floats."""
    column = table[name].combine_chunks()
    rounded = np.zeros(len(column), np.bool_)
    if pa.types.is_integer(column.type):
        whole = column.fill_null(0).to_numpy()
        rounded = (whole > int(WHOLE_MAX)) | (whole < -int(WHOLE_MAX))
    elif pa.types.is_decimal(column.type):
        most = pa.scalar(Decimal(int(WHOLE_MAX)), pa.decimal128(38, 0))
        rounded = pc.greater(pc.abs(column), most).fill_null(False).to_numpy(zero_copy_only=False)
    return column.cast(pa.float64(), safe=False).fill_null(open_end).to_numpy(), rounded
