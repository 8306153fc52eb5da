"""The bands in a record of verdicts, and how they are written."""

from collections.abc import Mapping
from math import inf
from typing import Any

from roamcast.measuring.verdicts import Band, Side


def recorded_band(document: Mapping[str, Any]) -> Band:
    """Return a band from its plain values."""
    low, high, favours = (document.get(key) for key in ("low", "high", "favours"))
    return Band(
        -inf if low is None else low,
        inf if high is None else high,
        None if favours is None else Side[favours.upper()],
        document.get("no_effect"),
    )


def band_text(part: Mapping[str, Any]) -> str:
    """Write the band of a number; nothing if it was not judged."""
    return "" if part["band"] is None else str(recorded_band(part["band"]))


def bands_text(entry: Mapping[str, Any]) -> str:
    """Write the bands of all numbers of a claim, each once."""
    return "; ".join(dict.fromkeys(band_text(part) for part in entry["parts"] if part["band"] is not None))
