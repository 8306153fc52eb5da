"""Operations on a run of slots that begins and ends anywhere in a line, as vector instructions (see ``_vectors``)."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from roamcast.matching._vectors import LINE, LINE_WORDS, WORD, data_of, line_at, ones_in, splat, sum_of

cgutils: Any = untyped_cgutils
_SLOTS = LINE_WORDS * 64
_ALL = ir.Constant(LINE, [2**64 - 1] * LINE_WORDS)
_NONE = ir.Constant(LINE, None)


def _word(value: int) -> Any:
    return ir.Constant(WORD, value)


def _below(builder: Any, slot: Any) -> Any:
    """Return a line with the bits of all slots before one, which may be the slot after the last."""
    lane_firsts = ir.Constant(LINE, [64 * lane for lane in range(LINE_WORDS)])
    ahead = builder.sub(splat(builder, slot), lane_firsts)
    shift = builder.and_(ahead, ir.Constant(LINE, [63] * LINE_WORDS))
    ones = ir.Constant(LINE, [1] * LINE_WORDS)
    some = builder.sub(builder.shl(ones, shift), ones)
    is_full = builder.icmp_signed(">=", ahead, ir.Constant(LINE, [64] * LINE_WORDS))
    is_empty = builder.icmp_signed("<=", ahead, _NONE)
    return builder.select(is_full, _ALL, builder.select(is_empty, _NONE, some))


def _ends_of(builder: Any, begin: Any, end: Any) -> tuple[Any, Any, Any]:
    """Return how many lines a run of slots has after its first, and the masks of its first and its last line."""
    after = builder.lshr(builder.sub(end, _word(1)), _word(9))
    first_mask = builder.xor(_below(builder, begin), _ALL)
    last_mask = _below(builder, builder.sub(end, builder.shl(after, _word(9))))
    is_one = builder.icmp_unsigned("==", after, _word(0))
    first_mask = builder.and_(first_mask, builder.select(is_one, last_mask, _ALL))
    return after, first_mask, last_mask


def _intersect_slots(
    _typing_context: Any, into: Any, _into_at: Any, alive: Any, _alive_at: Any, bits: Any,
    _one: Any, _two: Any, _three: Any, _four: Any, _begin: Any, _end: Any,
) -> Any:  # fmt: skip
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def words(argument: int, at: int) -> Any:
            return builder.gep(
                data_of(context, builder, signature.args[argument], arguments[argument]), [arguments[at]]
            )

        target, living = words(0, 1), words(2, 3)
        rows = [words(4, at) for at in (5, 6, 7, 8)]
        after, first_mask, last_mask = _ends_of(builder, arguments[9], arguments[10])
        last_at = builder.mul(after, _word(LINE_WORDS))
        first_line, last_line = line_at(builder, target, _word(0)), line_at(builder, target, last_at)
        first_before, last_before = builder.load(first_line, align=8), builder.load(last_line, align=8)
        with cgutils.for_range(builder, builder.add(after, _word(1)), intp=WORD) as loop:
            offset = builder.mul(loop.index, _word(LINE_WORDS))
            found = builder.load(line_at(builder, living, offset), align=8)
            for row in rows:
                found = builder.and_(found, builder.load(line_at(builder, row, offset), align=8))
            builder.store(found, line_at(builder, target, offset), align=8)
        found = builder.and_(builder.load(first_line, align=8), first_mask)
        builder.store(builder.or_(found, first_before), first_line, align=8)
        with builder.if_then(builder.icmp_unsigned("!=", after, _word(0))):
            found = builder.and_(builder.load(last_line, align=8), last_mask)
            builder.store(builder.or_(found, last_before), last_line, align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(into, integer, alive, integer, bits, *[integer] * 6), generate


def _count_slots(_typing_context: Any, words: Any, _at: Any, _begin: Any, _end: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        after, first_mask, last_mask = _ends_of(builder, arguments[2], arguments[3])
        line = builder.load(line_at(builder, first, _word(0)), align=8)
        total = cgutils.alloca_once_value(builder, ones_in(builder, builder.and_(line, first_mask)))
        with builder.if_then(builder.icmp_unsigned("!=", after, _word(0))):
            with cgutils.for_range(builder, builder.sub(after, _word(1)), intp=WORD) as loop:
                offset = builder.mul(builder.add(loop.index, _word(1)), _word(LINE_WORDS))
                line = builder.load(line_at(builder, first, offset), align=8)
                builder.store(builder.add(builder.load(total), ones_in(builder, line)), total)
            line = builder.load(line_at(builder, first, builder.mul(after, _word(LINE_WORDS))), align=8)
            ones = ones_in(builder, builder.and_(line, last_mask))
            builder.store(builder.add(builder.load(total), ones), total)
        return sum_of(builder, builder.load(total))

    integer = types.int64
    return integer(words, integer, integer, integer), generate


intersect_slots: Any = intrinsic(_intersect_slots)
"""``intersect_slots(into, into_at, alive, alive_at, bits, one, two, three, four, begin, end)``: write the AND of
``alive`` and four rows of ``bits`` to the slots from ``begin`` up to ``end``, counted from the first line. The
first and the last line keep the bits that they have and get more."""
count_slots: Any = intrinsic(_count_slots)
"""``count_slots(words, at, begin, end)``: count the set bits of the slots from ``begin`` up to ``end``."""
