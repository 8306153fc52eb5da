"""The runs of a folder that failed, read without Spark."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.run_files import FAILED


@dataclass(frozen=True, slots=True)
class FailedFile:
    """The contents of a failed run's file."""

    run_id: str
    status: str
    seed: int | None
    version: str | None
    """The version of roamcast that made the run."""
    reason: str


def failed_runs(folder: CampaignFolder) -> list[FailedFile]:
    """Return the failed runs, by their ``run_id``; one whose file is torn has failed as well."""
    files = sorted((folder.root / "failed").glob("[!.]*.parquet"))
    columns = ["run_id", "status", "seed", "version", "reason"]
    found = []
    for file in files:
        try:
            found.append(FailedFile(**pq.ParquetFile(file).read(columns=columns).to_pylist()[0]))
        except (OSError, pa.ArrowInvalid, IndexError, TypeError):
            found.append(FailedFile(file.stem, FAILED, None, None, "its file cannot be read"))
    return found
