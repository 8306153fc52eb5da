"""Validating the radio and AODV: cases whose results are known from ns-3 and theory are run here and judged.

A case is data: how to run it, what it measures, the reference's result, and how close is close enough. ``case_groups``
lists all cases, ``running`` runs them, ``judging`` compares. docs/radio.md and, for AODV, docs/routing.md have the
results.
"""
