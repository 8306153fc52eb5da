"""The command line. It is the only place that prints, exits and turns errors into lines."""

from roamcast.cli.main import main

__all__ = ["main"]
