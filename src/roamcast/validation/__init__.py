"""The radio and AODV beside a trusted simulator: cases whose outcome ns-3 and theory tell, run here and judged.

A case is data: how to run it, what it measures, what the reference gives and how near is near enough. ``groups``
lists all of them, ``running`` runs them, ``judging`` compares. docs/radio.md and, of AODV,
docs/routing.md have the outcome.
"""
