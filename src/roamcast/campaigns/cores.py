"""The cores that this process may use."""

import os


def core_count() -> int:
    """Return their number."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
