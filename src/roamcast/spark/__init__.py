"""The only package that imports PySpark: sessions, campaigns, recordings and matching at scale.

Nothing is imported here, so that commands without Spark do not pay for it.
"""

ACTION_THREAD = "spark-action"
"""The name of a thread that waits for a Spark action or processes its result."""
