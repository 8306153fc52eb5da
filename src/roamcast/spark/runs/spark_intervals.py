"""From values per run to means with 95 % intervals over seeds, by Student's t, and to paired ratios.

Runs with one seed see the same movement and the same publications, so a comparison pairs them: what the movement
does to both cancels out, and the interval is narrower than that of two separate means. Here every choice of a label is
compared with one; ``experiments/estimates`` compares any two points.

A table of values has ``run_id``, ``value`` and what the value is of: ``metric``, and any further columns.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.measuring.student_t import QUANTILES_975, expansion_terms

POINT_COLUMNS = ("sweep", "point")


def summarise(plan: DataFrame, metrics: DataFrame) -> DataFrame:
    """Return each value's mean over the seeds of a point, its 95 % interval and its spread.

    A run that failed, and a value that a run does not have (the latency where nothing was delivered), does not count;
    ``seeds`` says how many did.
    """
    keys = [*POINT_COLUMNS, *_kinds(metrics)]
    return (
        plan.join(metrics, on="run_id", how="inner")
        .groupBy(*keys)
        .agg(
            F.avg("value").alias("mean"),
            F.stddev_samp("value").alias("standard_deviation"),
            F.count("value").alias("seeds"),
            F.min("value").alias("minimum"),
            F.max("value").alias("maximum"),
        )
        .withColumn("half_width_95", _half_width("standard_deviation"))
        .select(*keys, "mean", "half_width_95", "standard_deviation", "seeds", "minimum", "maximum")
    )


def paired_ratio(plan: DataFrame, metrics: DataFrame, label: str, reference: str) -> DataFrame:
    """Return how many times the value of the ``reference`` every other choice of ``label`` has, all else equal.

    The ratio is that of the means over the seeds that both have, its interval by the delta method on the pairs. Unlike
    the mean of per-seed ratios it bears seeds in which the reference is zero; null where all of them are.
    """
    keys = [*POINT_COLUMNS, "reference_point", *_kinds(metrics)]
    ratio = F.try_divide(F.avg("value"), F.avg("reference_value"))
    # The variance of (value - ratio x reference); rounding must not take it below zero.
    variance = (
        F.var_samp("value")
        - 2 * ratio * F.covar_samp("value", "reference_value")
        + ratio * ratio * F.var_samp("reference_value")
    )
    deviation = F.sqrt(F.when(variance.isNotNull(), F.greatest(variance, F.lit(0.0))))
    return (
        _pairs(plan, metrics, label, reference)
        .groupBy(*keys)
        .agg(
            ratio.alias("ratio"),
            F.try_divide(deviation, F.abs(F.avg("reference_value"))).alias("deviation"),
            F.count("value").alias("seeds"),
        )
        .withColumn("half_width_95", _half_width("deviation"))
        .select(*keys, "ratio", "half_width_95", "seeds")
    )


def t_quantile_column(degrees: Column) -> Column:
    """Return ``student_t.t_quantile`` as a column; null below one degree of freedom."""
    table = F.array(*(F.lit(quantile) for quantile in QUANTILES_975))
    row = F.greatest(F.lit(1), F.least(degrees, F.lit(len(QUANTILES_975)))).cast("int")
    beyond = F.lit(0.0)
    for term in reversed(expansion_terms()):
        beyond = F.lit(term) + F.try_divide(beyond, degrees)
    return F.when(degrees > len(QUANTILES_975), beyond).when(degrees >= 1, F.element_at(table, row))


def _half_width(deviation: str) -> Column:
    """Return half of a 95 % interval of a mean over ``seeds`` values with this standard deviation."""
    seeds = F.col("seeds")
    return t_quantile_column(seeds - 1) * F.try_divide(F.col(deviation), F.sqrt(seeds))


def _kinds(metrics: DataFrame) -> list[str]:
    """Return the columns that say what a value is of."""
    return [name for name in metrics.columns if name not in ("run_id", "value")]


def _pairs(plan: DataFrame, metrics: DataFrame, label: str, reference: str) -> DataFrame:
    """Return each value beside the reference's at the same other labels and seed, where both have one."""
    labels = F.from_json("point", "map<string,string>")
    values = (
        plan.withColumn("choice", F.element_at(labels, F.lit(label)))
        .withColumn("others", F.to_json(F.map_filter(labels, lambda key, _: key != label)))
        .join(metrics, on="run_id", how="inner")
        .where(F.col("value").isNotNull())
        .drop("run_id")
    )
    references = values.where(F.col("choice") == reference).drop("choice")
    references = references.withColumnsRenamed({"point": "reference_point", "value": "reference_value"})
    others = values.where(F.col("choice") != reference).drop("choice")
    return others.join(references, on=["sweep", "others", "seed", *_kinds(metrics)], how="inner")
