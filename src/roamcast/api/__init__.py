"""The functions behind ``import roamcast`` and behind the commands: run, compare, reproduce.

They take plain values, return results and raise ``UserError``. They never print to standard output, never end the
process and leave the caller's signal handlers alone, so that a notebook or a larger program can call them. The
command line parses its arguments, calls these functions and prints. Nothing is imported here: each module is loaded
when one of its names is first used.
"""
