"""Options that several commands share, and the kinds of values that options take."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast.core.errors import InvalidValueError, UserError

if TYPE_CHECKING:
    from roamcast.api.measured_campaign import CampaignOptions
    from roamcast.campaigns.precision import Precision
    from roamcast.campaigns.run_limits import RunLimits


def add_scenario(parser: argparse.ArgumentParser) -> None:
    """Add the scenario file and ``--set``."""
    parser.add_argument("scenario", metavar="SCENARIO.toml", help="the scenario file")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="assignments",
        help="change a key of the scenario, for example radio.range_m=200; may be repeated",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def add_master(parser: argparse.ArgumentParser) -> None:
    """Add ``--master``."""
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")


def add_paper(parser: argparse.ArgumentParser, paper_help: str) -> None:
    """Add a paper's name and ``--scale``."""
    parser.add_argument("paper", metavar="PAPER", help=paper_help)
    parser.add_argument(
        "--scale",
        choices=("quick", "full"),
        default="quick",
        help="quick: few seeds and points, minutes; full: the paper's own grid, hours (default: quick)",
    )


def add_readings(parser: argparse.ArgumentParser) -> None:
    """Add ``--readings`` and ``--details``."""
    parser.add_argument(
        "--readings", action="store_true", help="check the claims under every reading of the paper, side by side"
    )
    parser.add_argument(
        "--details", action="store_true", help="print every number, band, reason and earlier verdict of each claim"
    )


def add_new_folder(parser: argparse.ArgumentParser) -> None:
    """Add the folder that a command makes anew."""
    parser.add_argument("--out", type=folder, required=True, metavar="DIR", help="the folder to create")


def add_broken_max(parser: argparse.ArgumentParser) -> None:
    """Add the share of broken lines that an import accepts."""
    parser.add_argument(
        "--broken-max",
        type=share,
        default=0.01,
        metavar="SHARE",
        help="fail if more than this share of all lines is broken (default: 0.01)",
    )


def add_campaign(parser: argparse.ArgumentParser, default_folder: str) -> None:
    """Add where a campaign's results go, how precise they must be, and the options of ``add_cluster``."""
    from roamcast.api.measured_campaign import SEEDS_MAX

    parser.add_argument("--out", type=folder, metavar="DIR", help=f"where results go (default: {default_folder})")
    parser.add_argument(
        "--precision",
        action="append",
        default=[],
        metavar="METRIC=W",
        help="add seeds until half of the 95 %% interval is below W at every point, for example delivery_ratio=0.02",
    )
    parser.add_argument(
        "--seeds-max",
        type=positive,
        default=SEEDS_MAX,
        metavar="N",
        help=f"the most seeds of a point with --precision (default: {SEEDS_MAX})",
    )
    add_cluster(parser)


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add where runs are made and what each may take; a command with these resumes what was interrupted."""
    add_master(parser)
    parser.add_argument("--run-limit-s", type=seconds, metavar="S", help="a run that takes longer than this fails")
    parser.add_argument(
        "--run-memory-mb", type=positive, metavar="MB", help="a run that takes more memory than this fails"
    )
    parser.set_defaults(resumes=True)


def campaign_options(arguments: argparse.Namespace) -> "CampaignOptions":
    """Return the options of ``add_campaign`` as the API takes them; a command always shows its progress."""
    from roamcast.api.measured_campaign import CampaignOptions

    return CampaignOptions(
        arguments.master,
        run_limits(arguments),
        tuple(map(precision, arguments.precision)),
        arguments.seeds_max,
        progress=True,
        seeds_max_name="--seeds-max",
    )


def run_limits(arguments: argparse.Namespace) -> "RunLimits":
    """Return what each run may take."""
    from roamcast.campaigns.run_limits import RunLimits

    return RunLimits(arguments.run_limit_s, arguments.run_memory_mb)


def seed(text: str) -> int:
    """Read a seed."""
    from roamcast.campaigns.scenario_tables import SEED_MAX

    if not text.isdecimal() or int(text) > SEED_MAX:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 0 to {SEED_MAX}")
    return int(text)


def positive(text: str) -> int:
    """Read a count."""
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1 to 100,000")
    return int(text)


def seconds(text: str) -> float:
    """Read a duration."""
    value = _number(text)
    if not 0 < value <= 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of seconds above 0")
    return value


def step(text: str) -> float:
    """Read how often to look at positions."""
    value = seconds(text)
    if value < 0.001:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of seconds from 0.001, a millisecond")
    return value


def radio_range(text: str) -> float:
    """Read how far radios reach."""
    value = _number(text)
    if not 0.1 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of metres from 0.1 to 1,000,000")
    return value


def share(text: str) -> float:
    """Read a part of a whole."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number from 0 to 1")
    return value


def precision(text: str) -> "Precision":
    """Read a metric and half the width that its interval may have, once the plug-ins with their metrics are loaded."""
    from roamcast.api.measured_campaign import checked_precision

    metric, _, width = text.partition("=")
    try:
        return checked_precision(metric, _number(width), f"--precision {text}")
    except InvalidValueError:
        raise UserError(f"--precision {text}: must be METRIC=W with a number W above 0") from None


def folder(text: str) -> Path:
    """Read the path of a folder. Java needs a path that is valid UTF-8."""
    if not text.strip() or not _is_unicode(text):
        raise argparse.ArgumentTypeError(f"'{text}' must be the path of a folder, in UTF-8")
    return Path(text)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def minutes(text: str) -> float:
    """Read a number of minutes."""
    value = _number(text)
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of minutes above 0 and at most 1,000,000")
    return value


def _number(text: str) -> float:
    """Return a number; what is none is outside of every range."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
