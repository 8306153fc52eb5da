"""Campaigns on Spark: simulate the runs of a plan, compact them into tables, measure them."""
