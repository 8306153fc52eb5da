"""A stand-in for ns-2, so that what is done with it can be tested where it is not installed.

It answers the question for the version, and of any other scenario it writes the result and, if a trace is wanted, one.
"""

from pathlib import Path

VERSION = "2.99"
TRACE = """\
M 0.00000 0 (1.00, 2.00, 0.00), (3.00, 4.00), 10.00
s 1.000000000 _0_ AGT  --- 7 cbr 522 [0 0 0 0] ------- [0:0 2:1 32 0] [0] 0 0
s 1.001000000 _0_ MAC  --- 7 cbr 600 [13a 1 0 800] ------- [0:0 2:1 30 1] [0] 0 0
r 1.004000000 _1_ MAC  --- 7 cbr 542 [13a 1 0 800] ------- [0:0 2:1 30 1] [0] 1 0
s 1.004000000 _1_ MAC  --- 0 ACK 38 [0 0 0 0]
s 1.005000000 _1_ MAC  --- 7 cbr 600 [13a 2 1 800] ------- [0:0 2:1 29 2] [0] 1 0
r 1.008000000 _2_ MAC  --- 7 cbr 542 [13a 2 1 800] ------- [0:0 2:1 29 2] [0] 2 0
r 1.008000000 _2_ AGT  --- 7 cbr 542 [13a 2 1 800] ------- [0:0 2:1 29 2] [0] 2 0
r 1.028000000 _2_ AGT  --- 7 cbr 542 [13a 2 1 800] ------- [0:0 2:1 29 2] [0] 2 0
s 2.000000000 _0_ AGT  --- 8 cbr 522 [0 0 0 0] ------- [0:0 2:1 32 0] [1] 0 0
D 2.500000000 _0_ RTR  NRTE 8 cbr 522 [0 0 0 0] ------- [0:0 2:1 30 0] [1] 0 0
"""
"""One packet over two hops that arrives twice, and one that is lost."""


def make_ns2(folder: Path, cpu_ns: int = 4_000_000_000) -> str:
    """Put an ``ns`` into a folder and return its path; every run takes the same time."""
    (folder / "printed.tr").write_text(TRACE, "utf-8")
    body = f"""#!/bin/sh
PATH=/usr/bin:/bin
option() {{ sed -n "s/^set options($1) {{\\(.*\\)}}$/\\1/p" "$scenario"; }}
scenario="$1"
echo "$scenario" >> {folder}/ran.log
if grep -q ns-version "$scenario"; then
    echo {VERSION} > "$(sed -n 's/^set file \\[open {{\\(.*\\)}} w\\]$/\\1/p' "$scenario")"
    exit 0
fi
[ "$(option is_traced)" = ON ] && cat {folder}/printed.tr > "$(option trace)"
echo "{cpu_ns} 23500" > "$(option result)"
"""
    path = folder / "ns"
    path.write_text(body, "utf-8")
    path.chmod(0o755)
    return str(path)
