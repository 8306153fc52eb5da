"""Measurements in order, and found by their kind."""

from roamcast.measuring.measurements import Kind, Measurement, Measurements, over_seeds, point_order


def test_points_are_sorted_by_number_and_not_by_text() -> None:
    points = [{"nodes.count": count, "protocol.name": name} for count in (120.0, 40, 80.0) for name in ("b", "a")]
    found = [(point["nodes.count"], point["protocol.name"]) for point in sorted(points, key=point_order)]
    assert found == [(40, "a"), (40, "b"), (80.0, "a"), (80.0, "b"), (120.0, "a"), (120.0, "b")]


def test_points_with_labels_of_any_type_can_be_sorted() -> None:
    values = ["text", [10, 2], True, 3, None, [9, 5], 20.5]
    points = sorted(({"key": value} for value in values), key=point_order)
    assert [point["key"] for point in points][:4] == [3, 20.5, [9, 5], [10, 2]]


def test_a_ratio_is_no_metric_whose_name_looks_like_it() -> None:
    value = Measurement("sweep", {}, "frames_lost_ratio", 0.1, None, None, 1)
    ratio = Measurement("sweep", {}, "frames_lost", 7.0, None, None, 1, kind=Kind.RATIO)
    measured = Measurements([value, ratio])
    assert measured.find("sweep", "frames_lost_ratio", {}) is value
    assert measured.find("sweep", "frames_lost", {}, Kind.RATIO) is ratio
    assert measured.find("sweep", "frames_lost", {}) is None
    assert measured.where("sweep", "frames_lost", kind=Kind.RATIO) == [ratio]


def test_the_number_of_seeds_is_one_number_or_a_range() -> None:
    rows = [Measurement("sweep", {"n": seeds}, "match_s", 1.0, None, None, seeds) for seeds in (5, 8, 6)]
    assert over_seeds(rows) == "over 5 to 8 seeds with 95 % intervals"
    assert over_seeds(rows[:1]) == "over 5 seeds with 95 % intervals"
