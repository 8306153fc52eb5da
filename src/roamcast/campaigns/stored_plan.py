"""The plan of a folder's last campaign, so that a later call can resume from the folder alone."""

from collections.abc import Sequence
from dataclasses import fields
from math import inf

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast import __version__
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError

_TYPES = {"seed": pa.int64(), "cost": pa.float64()}
PLAN_FILE_SCHEMA = pa.schema([(each.name, _TYPES.get(each.name, pa.string())) for each in fields(PlannedRun)])


_VERSION = b"roamcast_version"


def store_plan(folder: CampaignFolder, plan: Sequence[PlannedRun]) -> None:
    """Write a plan down."""
    columns = {name: [getattr(run, name) for run in plan] for name in PLAN_FILE_SCHEMA.names}
    table = pa.table(columns, schema=PLAN_FILE_SCHEMA.with_metadata({_VERSION: __version__}))
    try:
        write_parquet(table, folder.plan_file, with_metadata=True)
    except OSError as error:
        raise UserError(f"{folder.root}: cannot be written ({(error.strerror or str(error)).lower()})") from None


def load_plan(folder: CampaignFolder) -> list[PlannedRun]:
    """Return the plan of the last call."""
    if not folder.plan_file.is_file():
        raise UserError(f"{folder.root}: has no plan.parquet; a campaign leaves one in its folder")
    try:
        table = pq.ParquetFile(folder.plan_file).read()
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{folder.plan_file}: cannot be read ({str(error).splitlines()[0][:120]})") from None
    if table.schema.remove_metadata() != PLAN_FILE_SCHEMA:
        raise UserError(f"{folder.plan_file}: has the columns of another version")
    if not len(table) or any(column.null_count for column in table.columns):
        raise UserError(f"{folder.plan_file}: has no {'value' if len(table) else 'run'} where a campaign writes one")
    plan = [PlannedRun(**row) for row in table.to_pylist()]
    if not all(0 <= run.cost < inf for run in plan):
        raise UserError(f"{folder.plan_file}: has a cost that is not a number of at least 0")
    return plan


def planned_here(folder: CampaignFolder) -> bool:
    """Tell whether the plan of the last call was made by this version of roamcast."""
    return (pq.read_schema(folder.plan_file).metadata or {}).get(_VERSION) == __version__.encode()
