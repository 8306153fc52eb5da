"""The bands in a record of verdicts, and how they are written."""

from collections.abc import Mapping
from math import inf
from typing import Any

from roamcast.measuring.verdicts import Band, Side
from roamcast.measuring.verdicts.record import bands_of, differing_keys

WORDS = {
    "low": "at least",
    "high": "at most",
    "favours": "favourable side",
    "no_effect": "no effect at",
    "margin": "margin of the boundary",
    "is_log": "margin on the log scale:",
    "runs": "runs of the paper:",
    "printed": "printed in the paper:",
}
"""The names of the properties of a band, by those that the record has for them."""


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


def changed_bands(entry: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """Write a claim's bands then and now; if they look alike, with whatever else was changed."""
    then, today = bands_text(entry), bands_text(now)
    if then == today:
        then, today = then + _besides(entry, now), today + _besides(now, entry)
    if then == today:
        is_reason = entry.get("untestable", "") != now["untestable"]
        change = "another reason" if is_reason else "of other numbers, points or metrics"
        today = f"{today}; {change}" if today else change
    return then, today


def _besides(document: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Write the properties of a claim's bands that differ from another document's."""
    bands, others = bands_of(document), bands_of(other)
    differing = [
        f"; {WORDS[key]} {_plain(bands[label].get(key))}"
        for label in bands
        if label in others
        for key in differing_keys(bands[label], others[label])
    ]
    return "".join(dict.fromkeys(differing))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, (int, float)) else "none" if value is None else str(value)


def bands_text(entry: Mapping[str, Any]) -> str:
    """Write the bands of all numbers of a claim, each once."""
    return "; ".join(dict.fromkeys(band_text(part) for part in entry["parts"] if part["band"] is not None))
