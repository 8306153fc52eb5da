"""Stand-ins for pkg-config and g++, so that what is done with ns-3 can be tested where it is not installed.

The compiler "compiles" every program into a script that prints a fixed JSON document, and notes that it was called.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.ns3_program import Tools

VERSION = "3.99"
PRINTED: dict[str, Any] = {
    "frames": 100,
    "receptions": 300,
    "in_range": 310,
    "cpu_s": 12.0,
    "peak_memory_mb": 20.0,
    "data_frames": 4000,
    "rts_frames": 0,
    "received": 3700,
    "dropped_at_retry_limit": 10,
    "kinds": {"DATA": "2384 us"},
    "packets": 890,
    "lost": [3, 5],
    "link_broke_at_sender": 1,
    "link_broke_at_relay": 0,
    "latency_median_s": 0.04,
    "latency_mean_s": 0.08,
    "frames_by_kind": {"data": 3000, "request": 50_000},
}


def _script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def make_tools(folder: Path, printed: str | None = None, version: str = VERSION) -> Tools:
    """Put pkg-config and g++ into a folder; programs print ``printed``, a full document by default."""
    output = folder / "printed.json"
    output.write_text(json.dumps(PRINTED) if printed is None else printed, "utf-8")
    answer = f'case "$*" in *modversion*) echo {version};; *) echo "-lns3-wifi -lns3-core -lns3-core";; esac'
    compile_ = "\n".join(
        [
            f'echo "$*" >> {folder}/compiled.log',
            'while [ "$1" != "-o" ]; do shift; done',
            "printf '#!/bin/sh\\necho \"$*\" >> %s\\n/bin/cat %s\\n' " + f'{folder}/ran.log {output} > "$2"',
            'chmod +x "$2"',
        ]
    )
    return Tools(_script(folder / "pkg-config", answer), _script(folder / "g++", compile_))


def make_absent_package(folder: Path) -> Tools:
    """Return a pkg-config that knows no ns-3, and a compiler that must not be called."""
    refuse = 'echo "Package ns3-wifi was not found in the pkg-config search path." >&2; exit 1'
    return Tools(_script(folder / "pkg-config", refuse), _script(folder / "g++", "exit 99"))


def lines(path: Path) -> list[str]:
    """Return what was noted in a file, one line a call."""
    return path.read_text("utf-8").splitlines() if path.exists() else []
