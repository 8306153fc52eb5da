"""Whether this Python was built with profile-guided optimisation, which makes all of its code faster.

``make install`` runs this module once: people who build their own Python, with pyenv for instance, often do without.
The build leaves few traces. Its final flags are given to the compiler and recorded nowhere, so what is left is what
``configure`` was asked for and what the distribution did to the recorded flags afterwards.
"""

import sysconfig
from collections.abc import Mapping
from typing import Any

ADVICE = (
    "this Python was built without profile-guided optimisation; one built with --enable-optimizations,"
    " or Debian's, runs the simulator about 1.2 times as fast"
)
WANTED = "--enable-optimizations"
USED, GENERATED = "-fprofile-use", "-fprofile-generate"


def is_profile_guided(variables: Mapping[str, Any]) -> bool | None:
    """Tell it from Python's build variables; None where they say nothing, as on Windows, whose builds all are.

    ``configure`` records ``-fprofile-use`` in ``PGO_PROF_USE_FLAG`` in any case. Debian calls the optimising rule by
    hand, so that it is not among the arguments, and then removes that flag everywhere, lest extensions be built by it.
    """
    asked = variables.get("CONFIG_ARGS")
    if not asked:
        return None
    if WANTED in asked:
        return True
    flags = " ".join(str(variables.get(name) or "") for name in ("CFLAGS", "PY_CFLAGS", "PY_CORE_CFLAGS", "LDFLAGS"))
    was_removed = GENERATED in str(variables.get("PGO_PROF_GEN_FLAG")) and variables.get("PGO_PROF_USE_FLAG") == ""
    return USED in flags or was_removed


def main() -> None:
    """Say so if this Python was built without."""
    if is_profile_guided(sysconfig.get_config_vars()) is False:
        print(ADVICE)


if __name__ == "__main__":
    main()
