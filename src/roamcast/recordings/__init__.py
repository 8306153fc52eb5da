"""Recorded movement and contacts: readers for files of other tools, and the layout in which we store them. No Spark.

A reader gets a piece of a file and a report. It yields tables of rows in bounded memory and reports what it cannot
understand: a broken line is skipped and counted, and a file that cannot be read at all raises a ``UserError``.
docs/recordings.md describes the formats.
"""
