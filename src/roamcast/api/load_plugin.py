"""``roamcast.load_plugin``: components from a file, as ``--plugin`` brings them to the commands."""

from pathlib import Path

from roamcast.campaigns.python_values import as_path
from roamcast.core.plugins import load_plugin_file


def load_plugin(path: str | Path) -> None:
    """Execute a Python file, and know from now on the protocols, models and metrics that it defines."""
    load_plugin_file(as_path(path, "path"))
