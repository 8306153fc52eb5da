"""Publish/subscribe for networks that move."""

from importlib.metadata import version

__version__ = version("roamcast")
