"""The answers of an index of many subscriptions outside the limits of an attribute."""

import numpy as np

from roamcast.matching.attribute_space import Limits
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable


def test_ends_beside_the_limits_are_told_from_the_limits_among_many_subscriptions() -> None:
    limits = Limits(0, 999_999, whole=True)
    random = np.random.default_rng(7)
    lows = random.integers(0, 500_000, 3000).astype(np.float64)
    highs = lows + random.integers(0, 499_999, 3000)
    lows[:4], highs[:4] = [1, 2, 0, 400_000], [500_000, 999_998, 999_997, 999_999]
    index: MatchingIndex[int] = MatchingIndex({"a": limits})
    places = np.arange(3000)
    index.add_many(places, RangeTable(places, np.zeros(3000, np.int64), lows, highs))
    for value in (0, 1, 2, 3, 499_999, 500_000, 500_001, 999_996, 999_997, 999_998, 999_999):
        assert sorted(index.match({"a": value})) == np.flatnonzero((lows <= value) & (value <= highs)).tolist()
