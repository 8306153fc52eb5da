"""ns-2, where it is installed: found, and given a scenario to run."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

COMMAND = "ns"
MISSING = "ns-2 is not installed: Debian's ns2 brings it"
OUTPUT_MAX = 2_000
"""Characters of a failed scenario's words that are shown."""


class Ns2Error(Exception):
    """Say that ns-2 is not there, or that a scenario failed."""


@dataclass(frozen=True, slots=True)
class Ns2:
    """An ns-2 that can be used."""

    version: str
    command: str = COMMAND

    @classmethod
    def find(cls, command: str = COMMAND) -> "Ns2":
        """Find ns-2, or say in one line that it is missing; other programs have this short name, so it is asked."""
        if shutil.which(command) is None:
            raise Ns2Error(MISSING)
        with TemporaryDirectory(prefix="roamcast-ns2-") as folder:
            question, answer = Path(folder, "version.tcl"), Path(folder, "version.txt")
            question.write_text(
                f"set file [open {{{answer}}} w]\nputs $file [ns-version]\nclose $file\nexit 0\n", "utf-8"
            )
            try:
                subprocess.run([command, str(question)], capture_output=True, check=True)
                return cls(answer.read_text("utf-8").strip(), command)
            except (OSError, subprocess.CalledProcessError) as error:
                raise Ns2Error(MISSING) from error

    def run(self, scenario: Path, result: Path) -> tuple[float, float]:
        """Run a scenario; return the CPU time of the run in seconds and the peak of the memory in MB."""
        done = subprocess.run(
            [self.command, str(scenario)], capture_output=True, text=True, errors="replace", check=False
        )
        try:
            spent_ns, peak_kb = result.read_text("utf-8").split()
        except (OSError, ValueError) as error:
            words = " ".join(f"{done.stderr} {done.stdout}".split())[:OUTPUT_MAX]
            raise Ns2Error(f"{scenario.name} failed in ns-2: {words}") from error
        result.unlink()  # so that a later run that fails is noticed
        return int(spent_ns) / 1e9, int(peak_kb) / 1e3
