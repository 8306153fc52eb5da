"""Operations on a line's 512 bits as one vector; Numba does not vectorize loops over them by itself.

They are written as LLVM vector instructions, which work on every processor that Numba supports: a line is one register
with AVX-512, two with AVX2, four with NEON.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

LINE_WORDS = 8

cgutils: Any = untyped_cgutils
WORD = ir.IntType(64)
LINE = ir.VectorType(WORD, LINE_WORDS)
_REALS = ir.VectorType(ir.DoubleType(), LINE_WORDS)
WORDS_PER_LINE = ir.Constant(WORD, LINE_WORDS)


def data_of(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Return the address of an array's first element."""
    return context.make_array(array_type)(context, builder, array).data


def line_at(builder: Any, words: Any, offset: Any) -> Any:
    """Return the address of the line that begins at a word."""
    return builder.bitcast(builder.gep(words, [offset]), LINE.as_pointer())


def _line_number(builder: Any, numbers: Any, at: Any) -> Any:
    """Return an element of an array of 32-bit numbers that are not negative."""
    return builder.zext(builder.load(builder.gep(numbers, [at])), WORD)


def _intersect_row(
    _typing_context: Any, into: Any, _into_at: Any, lines: Any, _first: Any, _last: Any, bits: Any, _row_at: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        numbers = builder.gep(data_of(context, builder, signature.args[2], arguments[2]), [arguments[3]])
        row = builder.gep(data_of(context, builder, signature.args[5], arguments[5]), [arguments[6]])
        with cgutils.for_range(builder, builder.sub(arguments[4], arguments[3]), intp=WORD) as loop:
            number = _line_number(builder, numbers, loop.index)
            mine = line_at(builder, target, builder.mul(number, WORDS_PER_LINE))
            other = line_at(builder, row, builder.mul(loop.index, WORDS_PER_LINE))
            builder.store(builder.and_(builder.load(mine, align=8), builder.load(other, align=8)), mine, align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(into, integer, lines, integer, integer, bits, integer), generate


def _intersect_line(
    _typing_context: Any,
    into: Any,
    _into_at: Any,
    alive: Any,
    _alive_at: Any,
    attributes: Any,
    places: Any,
    _first: Any,
    _last: Any,
    rows: Any,
    bits: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(argument: int) -> Any:
            return data_of(context, builder, signature.args[argument], arguments[argument])

        found = cgutils.alloca_once(builder, LINE)
        builder.store(builder.load(line_at(builder, data(2), arguments[3]), align=8), found)
        attributes_at = builder.gep(data(4), [arguments[6]])
        places_at = builder.gep(data(5), [arguments[6]])
        with cgutils.for_range(builder, builder.sub(arguments[7], arguments[6]), intp=WORD) as loop:
            row = builder.load(builder.gep(data(8), [_line_number(builder, attributes_at, loop.index)]))
            place = builder.mul(_line_number(builder, places_at, loop.index), WORDS_PER_LINE)
            other = builder.load(line_at(builder, data(9), builder.add(row, place)), align=8)
            builder.store(builder.and_(builder.load(found), other), found)
        builder.store(builder.load(found), line_at(builder, data(0), arguments[1]), align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(into, integer, alive, integer, attributes, places, integer, integer, rows, bits), generate


def _put_both(
    _typing_context: Any, into: Any, _into_at: Any, first: Any, _first_at: Any, second: Any, _second_at: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, first_line, second_line = (
            line_at(builder, data_of(context, builder, signature.args[at], arguments[at]), arguments[at + 1])
            for at in (0, 2, 4)
        )
        both = builder.and_(builder.load(first_line, align=8), builder.load(second_line, align=8))
        builder.store(both, target, align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(into, integer, first, integer, second, integer), generate


def _clear_lines(_typing_context: Any, into: Any, _at: Any, _lines: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        with cgutils.for_range(builder, arguments[2], intp=WORD) as loop:
            line = line_at(builder, first, builder.mul(loop.index, WORDS_PER_LINE))
            builder.store(ir.Constant(LINE, None), line, align=8)
        return context.get_dummy_value()

    return types.void(into, types.int64, types.int64), generate


def _write_states(
    _typing_context: Any, states: Any, _at: Any, bits: Any, _bits_at: Any, slots: Any, _first: Any, _last: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        begin = line_at(builder, data_of(context, builder, signature.args[2], arguments[2]), arguments[3])
        state = cgutils.alloca_once_value(builder, builder.load(begin, align=8))
        builder.store(builder.load(state), line_at(builder, target, ir.Constant(WORD, 0)), align=8)
        lanes = ir.Constant(LINE, list(range(LINE_WORDS)))
        slots_at = builder.gep(data_of(context, builder, signature.args[4], arguments[4]), [arguments[5]])
        with cgutils.for_range(builder, builder.sub(arguments[6], arguments[5]), intp=WORD) as loop:
            slot = _line_number(builder, slots_at, loop.index)
            word = builder.lshr(slot, ir.Constant(WORD, 6))
            bit = builder.shl(ir.Constant(WORD, 1), builder.and_(slot, ir.Constant(WORD, 63)))
            words, bits_ = (splat(builder, each) for each in (word, bit))
            flipped = builder.select(builder.icmp_unsigned("==", words, lanes), bits_, ir.Constant(LINE, None))
            builder.store(builder.xor(builder.load(state), flipped), state)
            after = builder.mul(builder.add(loop.index, ir.Constant(WORD, 1)), WORDS_PER_LINE)
            builder.store(builder.load(state), line_at(builder, target, after), align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(states, integer, bits, integer, slots, integer, integer), generate


def splat(builder: Any, word: Any) -> Any:
    """Return a line of equal words."""
    one = builder.insert_element(ir.Constant(LINE, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LINE_WORDS), None)
    return builder.shuffle_vector(one, one, zeros)


def ones_in(builder: Any, line: Any) -> Any:
    """Return how many bits are set in each word of a line."""
    ones_type = ir.FunctionType(LINE, [LINE])
    return builder.call(
        cgutils.get_or_insert_function(builder.module, ones_type, f"llvm.ctpop.v{LINE_WORDS}i64"), [line]
    )


def sum_of(builder: Any, line: Any) -> Any:
    """Return the sum of a line's words."""
    sum_type = ir.FunctionType(WORD, [LINE])
    return builder.call(
        cgutils.get_or_insert_function(builder.module, sum_type, f"llvm.vector.reduce.add.v{LINE_WORDS}i64"), [line]
    )


def _count_ones(_typing_context: Any, words: Any, _at: Any, _lines: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = cgutils.alloca_once_value(builder, ir.Constant(LINE, None))
        first = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        with cgutils.for_range(builder, arguments[2], intp=WORD) as loop:
            line = builder.load(line_at(builder, first, builder.mul(loop.index, WORDS_PER_LINE)), align=8)
            builder.store(builder.add(builder.load(total), ones_in(builder, line)), total)
        return sum_of(builder, builder.load(total))

    return types.int64(words, types.int64, types.int64), generate


def _count_up_to(_typing_context: Any, values: Any, _first: Any, _last: Any, _value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = cgutils.alloca_once_value(builder, ir.Constant(LINE, None))
        first = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        same = ir.Constant(_REALS, ir.Undefined)
        for lane in range(LINE_WORDS):
            same = builder.insert_element(same, arguments[3], ir.Constant(ir.IntType(32), lane))
        steps = builder.udiv(builder.sub(arguments[2], arguments[1]), WORDS_PER_LINE)
        with cgutils.for_range(builder, steps, intp=WORD) as loop:
            at = builder.gep(first, [builder.mul(loop.index, WORDS_PER_LINE)])
            some = builder.load(builder.bitcast(at, _REALS.as_pointer()), align=8)
            is_up_to = builder.zext(builder.fcmp_ordered("<=", some, same), LINE)
            builder.store(builder.add(builder.load(total), is_up_to), total)
        return sum_of(builder, builder.load(total))

    return types.int64(values, types.int64, types.int64, types.float64), generate


def _lowest_one(_typing_context: Any, _word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


def _ones_of(_typing_context: Any, _word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _prefetch(_typing_context: Any, words: Any, _at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # to read, in all caches, no code
        return context.get_dummy_value()

    return types.void(words, types.int64), generate


intersect_row: Any = intrinsic(_intersect_row)
"""``intersect_row(into, into_at, lines, first, last, bits, row_at)``: AND a row to the lines ``lines[first:last]``."""
intersect_line: Any = intrinsic(_intersect_line)
"""``intersect_line(into, into_at, alive, alive_at, attributes, places, first, last, rows, bits)``: write a line of
``alive`` ANDed with those at ``rows[attribute]`` plus the place, for all ``attributes[first:last]`` and places."""
clear_lines: Any = intrinsic(_clear_lines)
"""``clear_lines(into, at, lines)``: clear the bits of some lines."""
put_both: Any = intrinsic(_put_both)
"""``put_both(into, into_at, first, first_at, second, second_at)``: write the AND of two lines."""
write_states: Any = intrinsic(_write_states)
"""``write_states(states, at, bits, bits_at, slots, first, last)``: write a line of ``bits``, and again after flipping
the bit of each of ``slots[first:last]``."""
count_ones: Any = intrinsic(_count_ones)
"""``count_ones(words, at, lines)``: count the set bits of some lines."""
count_up_to: Any = intrinsic(_count_up_to)
"""``count_up_to(values, first, last, value)``: count the values up to another, a multiple of eight at a time."""
lowest_one: Any = intrinsic(_lowest_one)
"""``lowest_one(word)``: the index of the lowest set bit of a word."""
ones_of: Any = intrinsic(_ones_of)
"""``ones_of(word)``: the number of set bits of a word."""
prefetch: Any = intrinsic(_prefetch)
"""``prefetch(words, at)``: begin to load a word's cache line, which need not exist."""
