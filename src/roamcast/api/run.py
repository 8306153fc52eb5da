"""``roamcast.run``: one scenario, one protocol and one seed, simulated in this process. Needs no Spark."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from roamcast.api.run_progress import RunProgress, is_shown
from roamcast.api.run_result import RunResult
from roamcast.api.scenario_argument import ScenarioLike, as_scenario, with_protocol_class
from roamcast.api.seed_arguments import checked_seed
from roamcast.campaigns.plan import run_id
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.core.errors import InvalidValueError
from roamcast.sim.setup import FrameSent

if TYPE_CHECKING:
    from roamcast.core.host import PubSub

__all__ = ["RunResult", "run"]


def run(
    scenario: ScenarioLike,
    protocol: "str | type[PubSub] | None" = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - what the command line calls it
    *,
    on_frame: Callable[[FrameSent], None] | None = None,
    progress: bool | None = None,
    explain: bool = False,
) -> RunResult:
    """Simulate a scenario once and return what happened.

    ``scenario`` is a path, a dictionary or a ``Scenario``; ``protocol`` and ``seed`` replace the scenario's, and
    ``set`` changes single keys, written with dots. A protocol may be a class of your own instead of a name; keys of
    ``[protocol]`` in ``set`` are then its parameters. ``on_frame`` is called for every frame that was sent. Progress
    is shown on standard error: on a terminal if ``progress`` is None, always or never if it is true or false. With
    ``explain`` the result has the causes of what was not delivered.
    """
    if isinstance(protocol, type):
        chosen = with_protocol_class(scenario, protocol, set or {})
        identity = None
    else:
        if protocol is None:
            chosen = as_scenario(scenario, set, "set=")
        else:
            chosen = as_scenario(scenario, {PROTOCOL_KEY: protocol}, "protocol=")
            chosen = chosen.with_values(set, "set=") if set else chosen
        identity = chosen.canonical_json()
    if on_frame is not None and not callable(on_frame):
        raise InvalidValueError("on_frame", on_frame, "must be a function that takes a frame")
    used_seed = chosen.seed if seed is None else checked_seed(seed)
    from roamcast.sim.dcf.medium_compiler import has_compiled  # here: mistakes in the scenario need not wait for Numba
    from roamcast.sim.simulation import simulate
    from roamcast.sim.undelivered import Witness

    setup = chosen.setup()
    if explain and setup.radio.contacts(setup.nodes) is not None:
        raise InvalidValueError("explain", explain, "needs positions, which a radio of contacts does not have")
    witness = Witness() if explain else None
    with ExitStack() as stack:
        update = None
        if is_shown(progress):
            if not has_compiled():
                notice = "roamcast: compiling the simulator, once; this takes half a minute or more"
                print(notice, file=sys.stderr, flush=True)  # noqa: T201 - progress
            update = stack.enter_context(RunProgress()).update
        facts = simulate(setup, used_seed, on_frame, update, witness)
    name = chosen.resolved.components["protocol"].name
    causes = None if witness is None else witness.causes
    return RunResult(chosen, name, used_seed, facts, run_id(identity, used_seed) if identity else None, causes)
