"""How long BRVST's vectors are: as long as describes a narrow range to alpha, and no longer."""

from random import Random
from statistics import fmean

import pytest

from roamcast.matching.attribute_space import AttributeSpace
from roamcast.matching.range_vectors import Encoder, Filling
from roamcast.protocols.brvst.parameters import VECTOR_BITS_MAX, BrvstParameters


def test_the_more_accuracy_is_asked_for_the_longer_vectors_are() -> None:
    lengths = {alpha: BrvstParameters(alpha=alpha).vector_bits for alpha in (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)}
    assert lengths == {0.0: 1, 0.5: 16, 0.7: 32, 0.8: 64, 0.9: 128, 0.95: 256, 1.0: VECTOR_BITS_MAX}
    assert BrvstParameters(alpha=0.9, narrow_share=0.05).vector_bits == 256


@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.8, 0.9, 0.95])
def test_a_narrow_range_fills_its_segments_by_alpha_on_average_and_with_half_the_length_it_would_not(
    alpha: float,
) -> None:
    parameters, rng = BrvstParameters(alpha=alpha), Random(1)
    width = 1000.0 * parameters.narrow_share
    starts = [rng.uniform(0.0, 1000.0 - width) for _ in range(400)]

    def filled(length: int) -> float:
        encoder = Encoder(AttributeSpace({"a": (0.0, 1000.0)}), 1.0, length, Filling.TOGETHER)
        vectors = [encoder.subscription_vector("a", (start, start + width)) for start in starts]
        return width / fmean(1000.0 * vector.ones / vector.length for vector in vectors)

    assert filled(parameters.vector_bits) > alpha - 0.01
    assert filled(parameters.vector_bits // 2) < alpha + 0.01
