"""Starting Spark: finding Java, checking the master, opening the session, and shipping this package to a cluster."""

MAKES_RUNS = "ROAMCAST_MAKES_RUNS"
"""The environment variable that tells the daemon of workers to load the simulator for all of them."""
