"""Our scenario programs for ns-3: found, compiled into a cache folder, run.

ns-3 is Debian's libns3-dev, found by pkg-config. A program is compiled again when its source, the library's version
or the compiler's options change; its name in the cache says so.
"""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "ns3"
PACKAGE = "ns3-wifi"
"""The name by which pkg-config knows the part that needs all the others."""
MISSING = "ns-3 is not installed: Debian's libns3-dev and g++ bring it"
FLAGS = ("-O3", "-std=c++17")
MORE_LIBRARIES = {"aodv": ("-lns3-aodv", "-lns3-internet")}
"""The parts that a program needs beyond the package, by its name; the others do without them."""
OUTPUT_MAX = 2_000
"""Characters of a failed program's words that are shown."""


class Ns3Error(Exception):
    """Say that ns-3 is not there, or that one of its programs failed."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The commands by which ns-3 is found and compiled; tests put others in their place."""

    pkg_config: str = "pkg-config"
    compiler: str = "g++"


@dataclass(frozen=True, slots=True)
class Ns3:
    """An ns-3 that can be used."""

    version: str
    libraries: tuple[str, ...]
    compiler: str
    cache: Path

    @classmethod
    def find(cls, tools: Tools | None = None, cache: Path | None = None) -> "Ns3":
        """Find ns-3 and a compiler, or say in one line what is missing."""
        tools = tools or Tools()
        if shutil.which(tools.pkg_config) is None or shutil.which(tools.compiler) is None:
            raise Ns3Error(MISSING)
        found = _run([tools.pkg_config, "--modversion", PACKAGE], MISSING)
        # Not --libs as a whole: it names files of libgsl-dev, which libns3-dev does not bring.
        libraries = _run([tools.pkg_config, "--libs-only-L", "--libs-only-l", PACKAGE], MISSING)
        return cls(found.strip(), tuple(dict.fromkeys(libraries.split())), tools.compiler, cache or default_cache())

    def program(self, name: str) -> Path:
        """Return the compiled program of this name, compiling it first if need be."""
        sources = [*sorted(SOURCES.glob("*.h")), SOURCES / f"{name}.cc"]
        digest = hashlib.blake2b(digest_size=8)
        for part in (*(each.read_bytes() for each in sources), repr((self, FLAGS)).encode()):
            digest.update(part)
        program = self.cache / f"{name}-{self.version}-{digest.hexdigest()}"
        if not program.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            unfinished = program.with_suffix(f".{os.getpid()}")
            libraries = (*MORE_LIBRARIES.get(name, ()), *self.libraries)
            command = [self.compiler, *FLAGS, str(sources[-1]), "-o", str(unfinished), *libraries]
            _run(command, f"{name}.cc could not be compiled")
            unfinished.replace(program)
        return program

    def run(self, name: str, options: dict[str, object]) -> dict[str, Any]:
        """Run a program and return what it prints, one JSON document."""
        arguments = [f"--{option}={value}" for option, value in options.items()]
        printed = _run([str(self.program(name)), *arguments], f"{name} failed")
        try:
            document: dict[str, Any] = json.loads(printed)
        except ValueError as problem:
            raise Ns3Error(f"{name} printed no JSON: {printed[:80]!r}") from problem
        if any(document.get(count) for count in ("receptions", "received")) and document.get("judged") == 0:
            raise Ns3Error(f"{name} judged overlaps by ns-3's own error model; ours was not linked in its place")
        return document


def default_cache() -> Path:
    """Return the folder of compiled programs, in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "roamcast" / "ns3"


def _run(command: list[str], problem: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Ns3Error(f"{problem}: {error}") from error
    if done.returncode != 0:
        message = " ".join(done.stderr.split())[:OUTPUT_MAX]
        raise Ns3Error(f"{problem}: {message}" if message and problem != MISSING else problem)
    return done.stdout
