"""Metrics, statistics, claims and verdicts: plain values, no Spark."""
