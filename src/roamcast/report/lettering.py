"""Measuring the width of texts in a picture, so that they can be broken into lines before anything is drawn."""

import re

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from roamcast.report.printable_text import one_line

_MEASURE = TextToPath()
_UNITS = "%|s|ms|min|h|m|km|m²|km²|m/s|km/h|B|kB|MB|bytes|B/s|bytes/s|bit/s|kbit/s|Mbit/s|Hz|J|W|dB|dBm|x"
_GAPS = re.compile(rf"\s+(?!\[)(?!(?<=\d\s)(?:{_UNITS})(?![^\s.,;:)\]]))")
"""Where a line may break: not between a number and its unit, nor before a unit in brackets."""


def wrapped(text: str, size_pt: float, width_pt: float, bold: bool = False) -> list[str]:
    """Break a text into lines that are not wider than ``width_pt``; a word that is too wide is broken too.

    A unit stays with its number or, in brackets, with the word before it.
    """
    lines = [""]
    for word in _GAPS.split(one_line(text)):
        joined = f"{lines[-1]} {word}".strip()
        if text_width_pt(joined, size_pt, bold) <= width_pt:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and text_width_pt(lines[-1] + letter, size_pt, bold) > width_pt:
                lines.append("")
            lines[-1] += letter
    return lines if lines != [""] else []


def shortened(text: str, size_pt: float, width_pt: float) -> str:
    """Return a text on one line, truncated if it is wider than ``width_pt``."""
    line = one_line(text)
    if text_width_pt(line, size_pt) <= width_pt:
        return line
    while line and text_width_pt(f"{line}…", size_pt) > width_pt:
        line = line[:-1].rstrip()
    return f"{line}…"


def text_width_pt(text: str, size_pt: float, bold: bool = False) -> float:
    """Return the width of a text on one line."""
    font = FontProperties(size=size_pt, weight="bold" if bold else "normal")
    width, _, _ = _MEASURE.get_text_width_height_descent(text, font, ismath=False)
    return width
