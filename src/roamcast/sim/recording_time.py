"""When in a recording a run begins: recorded movement and recorded contacts share the rule."""

from math import inf

from roamcast.core.parameters import ParameterError


def check_begin(begin_s: float, first_s: float, last_s: float) -> None:
    """Say so if a run would begin outside of a recording; one that lasts for ever ends at infinity."""
    if not first_s <= begin_s <= last_s:
        until = "on" if last_s == inf else f"to {last_s:.12g} s"
        raise ParameterError("begin_s", f"is outside the recording, which is from {first_s:.12g} s {until}")
