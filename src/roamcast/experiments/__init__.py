"""Experiments: scenario files, sweeps over their keys, and the list of runs that they stand for. No Spark here."""
