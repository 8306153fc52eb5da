import json
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.testing import assertDataFrameEqual
from roamcast.measuring.student_t import t_quantile
from roamcast.spark.runs.spark_intervals import paired_ratio, summarise

FRUGAL, FLOODING = [2.0, 0.0, 4.0, 3.0], [40.0, 8.0, 95.0, 66.0]


def plan_of(spark: SparkSession, rows: Sequence[tuple[str, Mapping[str, object], str, int]]) -> DataFrame:
    texts = [(sweep, json.dumps(point, sort_keys=True), run_id, seed) for sweep, point, run_id, seed in rows]
    return spark.createDataFrame(texts, "sweep string, point string, run_id string, seed long")


def values_of(spark: SparkSession, rows: Sequence[tuple[str, str, float | None]]) -> DataFrame:
    return spark.createDataFrame(list(rows), "run_id string, metric string, value double")


def test_a_mean_has_the_t_interval_over_its_seeds(spark: SparkSession) -> None:
    plan = plan_of(spark, [("s", {"x": 1}, f"r{seed}", seed) for seed in range(4)])
    values = values_of(spark, [(f"r{seed}", "m", value) for seed, value in enumerate(FLOODING)])
    half_width = t_quantile(3) * stdev(FLOODING) / sqrt(4)
    expected = [("s", '{"x": 1}', "m", fmean(FLOODING), half_width, stdev(FLOODING), 4, 8.0, 95.0)]
    schema = "sweep string, point string, metric string, mean double, half_width_95 double, "
    schema += "standard_deviation double, seeds long, minimum double, maximum double"
    assertDataFrameEqual(summarise(plan, values), spark.createDataFrame(expected, schema), rtol=1e-12)


def test_one_seed_has_a_mean_and_no_interval(spark: SparkSession) -> None:
    (row,) = summarise(plan_of(spark, [("s", {}, "r", 0)]), values_of(spark, [("r", "m", 7.0)])).collect()
    assert (row.mean, row.half_width_95, row.standard_deviation, row.seeds) == (7.0, None, None, 1)


def test_values_that_are_not_there_do_not_count(spark: SparkSession) -> None:
    plan = plan_of(spark, [("s", {}, run_id, seed) for seed, run_id in enumerate(("a", "b", "c", "failed"))])
    values = values_of(spark, [("a", "m", 1.0), ("b", "m", 3.0), ("c", "m", None), ("a", "never", None)])
    rows = {row.metric: row for row in summarise(plan, values).collect()}
    assert (rows["m"].mean, rows["m"].seeds) == (2.0, 2)
    assert rows["m"].half_width_95 == pytest.approx(t_quantile(1) * stdev([1.0, 3.0]) / sqrt(2))
    assert (rows["never"].mean, rows["never"].half_width_95, rows["never"].seeds) == (None, None, 0)


def test_a_run_that_stands_in_two_sweeps_counts_in_both(spark: SparkSession) -> None:
    plan = plan_of(spark, [("s", {"x": 1}, "r", 0), ("t", {"y": 2}, "r", 0)])
    rows = summarise(plan, values_of(spark, [("r", "m", 5.0)])).collect()
    assert sorted((row.sweep, row.point, row.mean) for row in rows) == [("s", '{"x": 1}', 5.0), ("t", '{"y": 2}', 5.0)]


def two_protocols(spark: SparkSession, flooding: list[float], frugal: list[float]) -> tuple[DataFrame, DataFrame]:
    names = {"flooding": flooding, "frugal": frugal}
    rows = [(name, seed, value) for name, values in names.items() for seed, value in enumerate(values)]
    points = [("s", {"protocol.name": name, "speed": 0.5}, f"{name}{seed}", seed) for name, seed, _ in rows]
    return plan_of(spark, points), values_of(spark, [(f"{name}{seed}", "m", value) for name, seed, value in rows])


def test_a_paired_ratio_is_that_of_the_means_with_the_interval_of_the_pairs(spark: SparkSession) -> None:
    ratio = fmean(FLOODING) / fmean(FRUGAL)
    residuals = [above - ratio * below for above, below in zip(FLOODING, FRUGAL, strict=True)]
    half_width = t_quantile(3) * stdev(residuals) / sqrt(4) / fmean(FRUGAL)
    point, reference = (json.dumps({"protocol.name": name, "speed": 0.5}) for name in ("flooding", "frugal"))
    schema = "sweep string, point string, reference_point string, metric string, "
    schema += "ratio double, half_width_95 double, seeds long"
    assertDataFrameEqual(
        paired_ratio(*two_protocols(spark, FLOODING, FRUGAL), "protocol.name", "frugal"),
        spark.createDataFrame([("s", point, reference, "m", ratio, half_width, 4)], schema),
        rtol=1e-9,
    )


def test_a_ratio_to_nothing_is_unknown(spark: SparkSession) -> None:
    (row,) = paired_ratio(*two_protocols(spark, FLOODING, [0.0] * 4), "protocol.name", "frugal").collect()
    assert (row.ratio, row.half_width_95, row.seeds) == (None, None, 4)


def test_values_that_are_always_in_the_same_proportion_have_a_ratio_without_doubt(spark: SparkSession) -> None:
    tripled = [3 * value for value in FLOODING]
    (row,) = paired_ratio(*two_protocols(spark, tripled, FLOODING), "protocol.name", "frugal").collect()
    assert row.ratio == pytest.approx(3)
    assert row.half_width_95 == pytest.approx(0, abs=1e-6)


def test_only_the_same_seed_at_the_same_other_labels_is_a_pair(spark: SparkSession) -> None:
    points: list[tuple[str, Mapping[str, object], str, int]] = [
        ("s", {"protocol.name": "frugal", "speed": 1}, "f1", 0),
        ("s", {"protocol.name": "flooding", "speed": 1}, "o1", 0),
        ("s", {"protocol.name": "flooding", "speed": 2}, "o2", 0),
        ("s", {"protocol.name": "flooding", "speed": 1}, "o3", 1),
        ("t", {"protocol.name": "flooding", "speed": 1}, "o4", 0),
        ("s", {"speed": 1}, "o5", 0),
    ]
    values = [(run_id, "m", 6.0 if run_id == "o1" else 2.0) for _, _, run_id, _ in points]
    (row,) = paired_ratio(plan_of(spark, points), values_of(spark, values), "protocol.name", "frugal").collect()
    assert (row.ratio, row.seeds) == (3.0, 1)
