"""Starting Spark: finding Java, checking the master, opening the session, and shipping this package to a cluster."""
