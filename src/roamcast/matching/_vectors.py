"""Operations on a block's 2,048 bits as one vector; Numba does not vectorize loops over them by itself.

They are written as LLVM vector instructions, which work on every processor that Numba supports: a block is four
registers with AVX-512, eight with AVX2, sixteen with NEON.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

BLOCK_WORDS = 32

cgutils: Any = untyped_cgutils
_WORD = ir.IntType(64)
_BLOCK = ir.VectorType(_WORD, BLOCK_WORDS)


def _block_at(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    """Return the address of the block that begins at a word of an array."""
    words = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(words, [offset]), _BLOCK.as_pointer())


def _intersect(_typing_context: Any, living: Any, _at: Any, bits: Any, rows: Any, _count: Any, matched: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = cgutils.alloca_once(builder, _BLOCK)
        first = _block_at(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store(builder.load(first, align=8), found)
        offsets = context.make_array(signature.args[3])(context, builder, arguments[3]).data
        with cgutils.for_range(builder, arguments[4], intp=_WORD) as loop:
            offset = builder.load(builder.gep(offsets, [loop.index]))
            row = _block_at(context, builder, signature.args[2], arguments[2], offset)
            builder.store(builder.and_(builder.load(found), builder.load(row, align=8)), found)
        into = _block_at(context, builder, signature.args[5], arguments[5], ir.Constant(_WORD, 0))
        builder.store(builder.load(found), into, align=8)
        return context.get_dummy_value()

    return types.void(living, types.int64, bits, rows, types.int64, matched), generate


def _keep(_typing_context: Any, matched: Any, into: Any, _at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = _block_at(context, builder, signature.args[0], arguments[0], ir.Constant(_WORD, 0))
        target = _block_at(context, builder, signature.args[1], arguments[1], arguments[2])
        builder.store(builder.load(source, align=8), target, align=8)
        return context.get_dummy_value()

    return types.void(matched, into, types.int64), generate


def _count_ones(_typing_context: Any, matched: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = builder.load(
            _block_at(context, builder, signature.args[0], arguments[0], ir.Constant(_WORD, 0)), align=8
        )
        ones_type, sum_type = ir.FunctionType(_BLOCK, [_BLOCK]), ir.FunctionType(_WORD, [_BLOCK])
        ones = cgutils.get_or_insert_function(builder.module, ones_type, f"llvm.ctpop.v{BLOCK_WORDS}i64")
        total = cgutils.get_or_insert_function(builder.module, sum_type, f"llvm.vector.reduce.add.v{BLOCK_WORDS}i64")
        return builder.call(total, [builder.call(ones, [block])])

    return types.int64(matched), generate


def _lowest_one(_typing_context: Any, _word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


intersect: Any = intrinsic(_intersect)
"""``intersect(living, at, bits, rows, count, matched)``: AND a block of ``living`` with ``count`` rows of ``bits``."""
keep: Any = intrinsic(_keep)
"""``keep(matched, into, at)``: copy a block to an offset in an array."""
count_ones: Any = intrinsic(_count_ones)
"""``count_ones(matched)``: count the set bits of a block."""
lowest_one: Any = intrinsic(_lowest_one)
"""``lowest_one(word)``: the index of the lowest set bit of a word."""
