"""Recorded contacts: a recording of which nodes could hear each other, without positions.

Two nodes exchange frames during their contacts and at no other time; a frame that begins during a contact is heard to
its end. Every node in contact with a sender senses it, so carrier sense and collisions are those of the recorded
network. Hosts have no position, and protocols that need one are refused.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import FILLED_IN, Limit, ParameterError
from roamcast.recordings.recording_layout import CONTACTS, CONTACTS_SCHEMA, Imported, open_imported, read_part
from roamcast.sim.radio import BITRATE, IN_CONTACT, Contacts, Propagation, RadioModel
from roamcast.sim.recording_time import check_begin

_Moment = Annotated[float, Limit(lambda value: abs(value) <= 1e10, "must be between -1e10 and 1e10")]


@dataclass(frozen=True, slots=True)
class RecordedContacts(RadioModel):
    """Reception during recorded contacts."""

    summary: ClassVar[str] = "recorded contacts (The ONE, Haggle, SocioPatterns), imported by roamcast contacts"
    knows_positions: ClassVar[bool] = False

    path: str
    """A folder written by ``roamcast contacts``; in a scenario file, relative to that file."""

    begin_s: _Moment | None = None
    """The time in the recording at which the run begins, in seconds. Default: the start of the first contact."""

    bitrate_bps: Annotated[float, BITRATE] | None = None
    """The data rate of a frame's body, in bit/s. Default: that of the MAC's standard."""

    digest: Annotated[str, FILLED_IN] = ""
    """The digest of the recording, filled in when a run is planned. Leave it out."""

    def __post_init__(self) -> None:
        """Check that the recording exists and, for a planned run, that it has not changed since."""
        imported = self._imported()
        if self.begin_s is not None:
            check_begin(self.begin_s, *_recorded_s(imported))
        digest = imported.digest()
        if self.digest not in ("", digest):
            raise ParameterError(
                "digest", f"is not the current one of {self.path} ({digest}); leave it out or plan again"
            )
        object.__setattr__(self, "digest", digest)

    def propagation(self) -> Propagation:
        """Return a disc that has no effect: contacts decide."""
        return Propagation(
            law=IN_CONTACT,
            range_m=1.0,
            sense_range_m=1.0,
            near_gain_w_m2=0.0,
            far_gain_w_m4=0.0,
            crossover_m=inf,
            capture_ratio=inf,
            bitrate_bps=self.bitrate_bps,
        )

    def contacts(self, count: int) -> Contacts:
        """Return the contacts among the first ``count`` nodes, with times relative to the beginning of the run."""
        imported = self._imported()
        known = imported.summary["nodes"]
        if count > known:
            raise InvalidValueError("[radio] path", self.path, f"has {known} nodes, fewer than [nodes] count = {count}")
        return _contacts(imported.root, self.digest, count, self._begin_s(imported))

    def lasts_s(self) -> float:
        """Return how long the recording lasts from ``begin_s`` on."""
        imported = self._imported()
        return _recorded_s(imported)[1] - self._begin_s(imported)

    def _begin_s(self, imported: Imported) -> float:
        return float(imported.summary["first_s"]) if self.begin_s is None else self.begin_s

    def _imported(self) -> Imported:
        try:
            return open_imported(Path(self.path), CONTACTS)
        except UserError as error:
            raise InvalidValueError("[radio] path", self.path, str(error)) from None


def _recorded_s(imported: Imported) -> tuple[float, float]:
    """Return the first and the last time that the recording covers."""
    summary = imported.summary
    first_s, last_s = summary.get("recorded_s", (summary["first_s"], summary["last_s"]))
    return float(first_s), float(last_s)


@lru_cache(maxsize=4)
def _contacts(root: Path, digest: str, count: int, begin_s: float) -> Contacts:
    del digest  # part of the cache key: a folder may hold another recording by now
    files = open_imported(root, CONTACTS).files()
    table = pa.concat_tables([read_part(file, CONTACTS_SCHEMA) for file in files])
    one, other, start_s, end_s = (table.column(name).to_numpy() for name in ("a", "b", "start_s", "end_s"))
    kept = (other < count) & (one < count) & (end_s > begin_s)
    return Contacts(
        one[kept].astype(np.int64), other[kept].astype(np.int64), start_s[kept] - begin_s, end_s[kept] - begin_s
    )
