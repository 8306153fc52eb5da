"""Importing recorded movement on Spark."""
