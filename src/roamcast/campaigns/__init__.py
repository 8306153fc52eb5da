"""Campaigns without Spark: scenarios, sweeps, plans of runs, the campaign folder and its budgets."""
