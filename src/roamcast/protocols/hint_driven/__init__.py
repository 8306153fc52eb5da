"""Hint-driven content-based routing (Baldoni and others: ICPS 2005)."""
