"""Campaigns and measures on Spark: the only package that imports PySpark.

plan -> simulate -> runs (Parquet) -> tables (Parquet) -> metrics. ``campaign.run_campaign`` does all up to the tables,
``metrics`` and ``intervals`` the rest. Nothing is imported here, so that a command without Spark never pays for it.
"""

ACTION_THREAD = "spark-action"
"""The name of a thread that waits for Spark, or computes what comes from there."""
