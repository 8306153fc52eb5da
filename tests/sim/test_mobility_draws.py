"""The draws of mobility models."""

from collections import Counter

import numpy as np
import pytest

from roamcast.sim.mobility._draws import WeightedChoice, between, node_draws
from roamcast.sim.random_streams import RandomStreams


def test_a_node_draws_its_own_stream_number_by_number() -> None:
    draw = node_draws(RandomStreams(3), 5)
    expected = RandomStreams(3).numpy("mobility", 5).random(300).tolist()
    assert [draw() for _ in range(300)] == expected


def test_a_weighted_choice_follows_its_weights() -> None:
    choice, draw = WeightedChoice([1.0, 0.0, 3.0, 4.0]), node_draws(RandomStreams(1), 0)
    counts = Counter(choice.index(draw) for _ in range(8000))
    assert set(counts) == {0, 2, 3}
    for index, share in ((0, 1 / 8), (2, 3 / 8), (3, 1 / 2)):
        assert counts[index] / 8000 == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 8000))


@pytest.mark.parametrize("number", [0.0, 0.5, np.nextafter(1.0, 0.0)])
def test_what_has_no_weight_is_never_chosen(number: float) -> None:
    assert WeightedChoice([0.0, 0.1, 0.0]).index(lambda: number) == 1
    assert WeightedChoice([0.0, 1e-320, 0.0]).index(lambda: number) == 1


def test_a_number_between_bounds_reaches_from_one_to_the_other() -> None:
    assert between(lambda: 0.0, (3.0, 7.0)) == 3.0
    assert between(lambda: 0.5, (3.0, 7.0)) == 5.0
