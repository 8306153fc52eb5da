"""Claims with given intervals, for tests of what is shown of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roamcast.measuring.verdicts import Band, Claim, Finding, Part, Share, Side
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim

BAND = Band(50, 100, Side.ABOVE, no_effect=1.0)
"""50 to 100 times."""


def part(low: float, high: float, band: Band | None = BAND, label: str = "x", **more: Any) -> Part:
    """Return a number with this interval, whatever the error."""
    return Part(label, Share(low, high, 10), band, **more)


def judged(
    *parts: Part,
    name: str = "claim",
    reading: str = "default",
    cost: Cost | None = None,
    earlier: tuple[Mapping[str, object], ...] = (),
    **values: Any,
) -> JudgedClaim:
    """Return a claim with its numbers."""
    claim = Claim(name, "5.2, figure 3", f"The paper says {name}", "50 to 100", (3,), lambda _: parts)
    return JudgedClaim(Finding(replace(claim, **values), parts), reading, None, cost, earlier)


HOLDS = judged(part(60, 80), name="good")
EXCEEDED = judged(part(110, 130), name="better")
WEAKER = judged(part(20, 40), name="less")
CONTRADICTED = judged(part(0.5, 0.9), name="wrong")
UNDECIDED = judged(part(40, 70), name="open", cost=Cost(120, 4.2))
UNTESTABLE = judged(part(5, 6, None), name="vague", untestable="it does not say when")
ALL = (UNDECIDED, HOLDS, CONTRADICTED, EXCEEDED, UNTESTABLE, WEAKER)
"""One of each, in no order."""
EARLIER = {
    "name": "good-most",
    "scale": "quick",
    "date": "2026-11-01",
    "tolerance": "at most 100",
    "verdict": "not reproduced",
    "parts": [{"label": "x", "band": {"low": None, "high": 100.0, "favours": None, "no_effect": None}}],
}
CHANGED = judged(part(60, 80), name="good", earlier=(EARLIER,))
