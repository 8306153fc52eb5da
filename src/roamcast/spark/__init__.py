"""The only package that imports PySpark: sessions, campaigns, recordings and matching at scale.

Nothing is imported here, so a command that needs no Spark never pays for it.
"""

ACTION_THREAD = "spark-action"
"""The name of a thread that waits for Spark, or computes what comes from there."""
