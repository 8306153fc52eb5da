"""Operations of a sweep (``_sweep_loops``) as vector instructions (see ``_vectors``)."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from roamcast.matching._vectors import LINE, LINE_WORDS, WORD, data_of, line_at, ones_in, sum_of

cgutils: Any = untyped_cgutils
EVENTS_AT_ONCE = LINE_WORDS
"""The lines of so many events are computed at once: their numbers of bits are a vector, too."""
RANKS_AT_ONCE = 64
"""So many ranks are given a state at once."""

_SHORT = ir.IntType(16)
_SHORTS = ir.VectorType(_SHORT, RANKS_AT_ONCE)


def _word(value: int) -> Any:
    return ir.Constant(WORD, value)


def _sums_of(builder: Any, lines: list[Any]) -> Any:
    """Return the sum of each line's words, as one line: neighbours are added until one word of each is left."""
    indices = ir.VectorType(ir.IntType(32), LINE_WORDS)
    evens, odds = (ir.Constant(indices, list(range(first, 2 * LINE_WORDS, 2))) for first in (0, 1))
    while len(lines) > 1:
        lines = [
            builder.add(builder.shuffle_vector(one, two, evens), builder.shuffle_vector(one, two, odds))
            for one, two in zip(lines[::2], lines[1::2], strict=True)
        ]
    return lines[0]


def _intersect_states(events: int) -> Any:
    """Return the operation for so many events at once."""

    def typed(
        _typing_context: Any, into: Any, _into_at: Any, _into_step: Any, given: Any, _given_at: Any, _given_step: Any,
        states: Any, attributes: Any, _first: Any, _last: Any, ranks: Any, _width: Any, _event: Any,
        reached: Any, _reached_width: Any, counts: Any, _counts_at: Any,
    ) -> Any:  # fmt: skip
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def data(argument: int) -> Any:
                return data_of(context, builder, signature.args[argument], arguments[argument])

            def line_of(array: int, event: int) -> Any:
                offset = builder.mul(arguments[array + 2], _word(event))
                return line_at(builder, data(array), builder.add(arguments[array + 1], offset))

            found = [
                cgutils.alloca_once_value(builder, builder.load(line_of(3, event), align=8)) for event in range(events)
            ]
            numbers = builder.gep(data(7), [arguments[8]])
            with cgutils.for_range(builder, builder.sub(arguments[9], arguments[8]), intp=WORD) as loop:
                attribute = builder.zext(builder.load(builder.gep(numbers, [loop.index])), WORD)
                first = builder.add(builder.mul(attribute, arguments[11]), arguments[12])
                mine = builder.gep(data(13), [builder.mul(loop.index, arguments[14])])
                for event in range(events):
                    rank_at = builder.gep(data(10), [builder.add(first, _word(event))])
                    rank = builder.zext(builder.load(rank_at), WORD)
                    state = builder.zext(builder.load(builder.gep(mine, [rank])), WORD)
                    line = line_at(builder, data(6), builder.mul(state, _word(LINE_WORDS)))
                    both = builder.and_(builder.load(found[event]), builder.load(line, align=8))
                    builder.store(both, found[event])
            lines = [builder.load(each) for each in found]
            for event, line in enumerate(lines):
                builder.store(line, line_of(0, event), align=8)
            ones = [ones_in(builder, line) for line in lines]
            counts_at = builder.gep(data(15), [arguments[16]])
            if events == EVENTS_AT_ONCE:
                totals = builder.bitcast(counts_at, LINE.as_pointer())
                builder.store(builder.add(builder.load(totals, align=8), _sums_of(builder, ones)), totals, align=8)
            else:
                for event in range(events):
                    total = builder.gep(counts_at, [_word(event)])
                    builder.store(builder.add(builder.load(total), sum_of(builder, ones[event])), total)
            return context.get_dummy_value()

        integer = types.int64
        arrays = (into, integer, integer, given, integer, integer, states, attributes, integer, integer)
        return types.void(*arrays, ranks, integer, integer, reached, integer, counts, integer), generate

    return intrinsic(typed)


def _put_state(_typing_context: Any, reached: Any, _at: Any, _state: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        state = builder.trunc(arguments[2], _SHORT)
        one = builder.insert_element(ir.Constant(_SHORTS, ir.Undefined), state, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), RANKS_AT_ONCE), None)
        same = builder.shuffle_vector(one, one, zeros)
        builder.store(same, builder.bitcast(first, _SHORTS.as_pointer()), align=2)
        return context.get_dummy_value()

    return types.void(reached, types.int64, types.int64), generate


intersect_states: Any = _intersect_states(EVENTS_AT_ONCE)
"""``intersect_states(into, into_at, into_step, given, given_at, given_step, states, attributes, first, last, ranks,
width, event, reached, reached_width, counts, counts_at)``: write a line for each of ``EVENTS_AT_ONCE`` events, the AND
of a given one and the states that their ranks of ``attributes[first:last]`` have reached, and add the numbers of their
bits to the counts. Lines of neighbouring events are a step apart, which may be 0: all the same line."""
intersect_state: Any = _intersect_states(1)
"""The same for one event."""
put_state: Any = intrinsic(_put_state)
"""``put_state(reached, at, state)``: write a state to ``RANKS_AT_ONCE`` places."""
