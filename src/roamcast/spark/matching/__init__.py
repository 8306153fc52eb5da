"""Matching large tables of events against large tables of subscriptions on Spark."""
