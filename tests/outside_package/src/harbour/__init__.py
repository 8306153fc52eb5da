"""A protocol, a workload and a metric for a harbour."""
