"""Starting Spark: Java, the master, the session, and shipping this package to a cluster."""
