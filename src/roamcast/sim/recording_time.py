"""The rule for when in a recording a run may begin, shared by recorded movement and recorded contacts."""

from math import inf

from roamcast.core.parameters import ParameterError


def check_begin(begin_s: float, first_s: float, last_s: float) -> None:
    """Raise an error if a run would begin outside a recording; an endless one ends at infinity."""
    if not first_s <= begin_s <= last_s:
        until = "on" if last_s == inf else f"to {last_s:.12g} s"
        raise ParameterError("begin_s", f"is outside the recording, which runs from {first_s:.12g} s {until}")
