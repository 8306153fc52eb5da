"""``roamcast.compare``: several protocols on one scenario, with the same movement and publications for each seed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from roamcast.api.comparison_figure import SWEEP, comparison_figure
from roamcast.api.measured_campaign import (
    SEEDS_MAX,
    CampaignOptions,
    MeasuredCampaign,
    checked_precision,
    measured_campaign,
)
from roamcast.api.scenario_argument import ScenarioLike, as_scenario
from roamcast.api.seed_arguments import checked_count, checked_seeds
from roamcast.api.tidy_tables import ratio_table, tidy_table
from roamcast.campaigns.assignment import spread
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.campaigns.python_values import as_path, written_table
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.core.errors import InvalidValueError, NameClashError
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.metrics import bounds_of
from roamcast.measuring.statistics import Estimate, difference
from roamcast.protocols import load_protocol
from roamcast.report.draw import draw

if TYPE_CHECKING:
    import pandas

    from roamcast.spark.runs.campaign import FailedRun

SEEDS = 5
"""How many seeds every point gets unless the caller says otherwise."""


@dataclass(frozen=True, repr=False)
class CompareResult:
    """Protocols compared on one scenario."""

    scenario: Scenario
    protocols: tuple[str, ...]
    """The first is the reference that the others are compared with."""
    folder: Path
    """The campaign's folder: the same call resumes from it; ``folder / "tables"`` holds Parquet files."""
    campaign: MeasuredCampaign

    @property
    def reference(self) -> str:
        """Return the protocol that the others are compared with."""
        return self.protocols[0]

    @property
    def measurements(self) -> Measurements:
        """Return everything that was measured, as plain values."""
        return self.campaign.measurements

    @property
    def failed(self) -> "tuple[FailedRun, ...]":
        """Return the runs that failed, each with its reason; no value in the table rests on them."""
        return self.campaign.outcome.failed

    @cached_property
    def table(self) -> "pandas.DataFrame":
        """Return one row for each point, protocol and metric: value, low and high (95 % interval), seeds, unit."""
        return tidy_table(self.measurements, self.campaign.runs)

    @cached_property
    def ratios(self) -> "pandas.DataFrame":
        """Return how many times the reference's value each metric is, paired by seed, in the columns of ``table``."""
        return ratio_table(self.measurements, self.campaign.runs)

    def draw(self) -> tuple[Path, Path]:
        """Draw the comparison into the folder and return the paths of the SVG and the PNG file."""
        return draw(comparison_figure(self.scenario.name, self.measurements), self.folder / "figures")

    def __repr__(self) -> str:
        """Return a line with what was compared and where it is."""
        failed = f", {len(self.failed)} runs failed" if self.failed else ""
        runs = f"{len(self.campaign.runs)} runs{failed}"
        return f"<CompareResult {self.scenario.name}: {', '.join(self.protocols)}; {runs}; {self.folder}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        html: str = self.table.to_html(index=False)
        return html


def compare(
    scenario: ScenarioLike,
    protocols: Iterable[str],
    seeds: SupportsIndex | Iterable[SupportsIndex] = SEEDS,
    *,
    sweep: Mapping[str, Iterable[Any]] | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - what the command line calls it
    out: str | Path | None = None,
    master: str | None = None,
    precision: Mapping[str, float] | None = None,
    seeds_max: int = SEEDS_MAX,
    progress: bool | None = None,
) -> CompareResult:
    """Run every protocol over the same seeds on Spark and return them side by side.

    ``seeds`` is how many, counted from the scenario's, or a list of them. ``sweep`` maps keys to lists of values, all
    of which are combined; without it the scenario's own ``[sweep]`` counts. ``set`` changes single keys. Results go to
    the folder ``out`` (default: ``results/compare-NAME``), and the same call resumes from there. ``precision`` maps
    metrics to half widths: seeds are added, up to ``seeds_max``, until every 95 % interval is narrower. Progress is
    shown on standard error: on a terminal if ``progress`` is None, always or never if it is true or false.
    """
    names = checked_protocols(protocols, "protocols")
    chosen = compared_scenario(scenario, set or {}, names, "set=")
    widths = written_table(precision or {}, "precision")
    asked = tuple(checked_precision(metric, width, "precision") for metric, width in widths.items())
    limit = checked_count(seeds_max, "seeds_max")
    options = CampaignOptions(master, precision=asked, seeds_max=limit, progress=progress)
    return compare_protocols(chosen, names, seeds, sweep=sweep, out=out, options=options)


def compare_protocols(
    scenario: Scenario,
    protocols: Sequence[str],
    seeds: SupportsIndex | Iterable[SupportsIndex],
    *,
    sweep: Mapping[str, Iterable[Any]] | None = None,
    out: str | Path | None = None,
    options: CampaignOptions,
) -> CompareResult:
    """Compare protocols whose names were checked on a scenario with everything set."""
    swept = scenario.swept if sweep is None else written_table(sweep, "sweep")
    over = {PROTOCOL_KEY: list(protocols), **{key: values for key, values in swept.items() if key != PROTOCOL_KEY}}
    runs = plan(SWEEP, scenario, over, checked_seeds(seeds, scenario.seed))
    folder = as_path(out, "out") if out is not None else default_folder(scenario)
    campaign = measured_campaign(runs, folder, options, reference=protocols[0])
    return CompareResult(scenario, tuple(protocols), folder, campaign)


def checked_protocols(names: Iterable[str], where: str) -> list[str]:
    """Return the protocols' names if all are known and different."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidValueError(where, names, "must be a list of names")
    found: list[Any] = list(names)
    for name in found:
        if not isinstance(name, str):
            shown = getattr(name, "__name__", name)
            expected = "must be the protocols' names; load_plugin makes the classes of a file known by their names"
            raise InvalidValueError(where, shown, expected)
    if len({*found}) < len(found) or not all(found) or not found:
        raise InvalidValueError(where, ",".join(found), "must be one or more different names")
    for name in found:
        load_protocol(name, where)  # raises an error that lists the known names
    return found


def compared_scenario(
    scenario: ScenarioLike, values: Mapping[str, Any], protocols: Sequence[str], source: str
) -> Scenario:
    """Return a scenario with some keys changed; a key of ``[protocol]`` is set for each protocol that knows it.

    The protocols replace the scenario's own, so that one may be a protocol that several sources have.
    """
    changed = spread(written_table(values, source.removesuffix("=")), protocols, source)
    try:
        return as_scenario(scenario, changed, source)
    except NameClashError as clash:
        try:
            return as_scenario(scenario, {PROTOCOL_KEY: protocols[0], **changed}, source)
        except NameClashError:
            raise clash from None


def default_folder(scenario: Scenario) -> Path:
    """Return where a comparison goes if the caller does not say."""
    return Path("results") / re.sub(r"[^A-Za-z0-9._-]+", "-", f"compare-{scenario.name}")


def difference_to_reference(measured: Measurements, row: Measurement, reference: str) -> Estimate | None:
    """Return by how much a value exceeds the reference's, paired by seed; None for the reference itself."""
    other = measured.find(row.sweep, row.metric, {**row.point, PROTOCOL_KEY: reference}, row.kind)
    if other is None or other is row or not other.samples or not row.samples:
        return None
    if not {sample.seed for sample in row.samples} & {sample.seed for sample in other.samples}:
        return None
    return difference(row.samples, other.samples, bounds_of(row.metric, row.kind))


def is_significant(apart: Estimate) -> bool:
    """Tell whether the 95 % interval of a difference excludes zero; with one seed there is no telling."""
    return apart.low is not None and apart.high is not None and (apart.low > 0 or apart.high < 0)
