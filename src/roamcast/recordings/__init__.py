"""Movement and contacts that somebody recorded, read from the files of other tools; one file a format, no Spark.

A reader is given a piece of a file and a report. It yields tables of rows in bounded memory and tells the report what
it could not understand: a broken line is skipped and counted, a file that cannot be read at all is a ``UserError``.
docs/recordings.md describes the formats.
"""
