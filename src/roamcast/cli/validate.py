"""``roamcast validate``: small cases of radio, MAC and routing next to the figures of ns-3. Needs no Spark."""

import argparse
import json
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from roamcast import __version__
from roamcast.api.run_progress import RunProgress
from roamcast.cli import options
from roamcast.cli.output import say
from roamcast.report.text_tables import table
from roamcast.validation.case_groups import GROUPS, choose
from roamcast.validation.cases import TOLERANCE, Group, Quantity
from roamcast.validation.judging import Finding, Verdict
from roamcast.validation.running import FULL, QUICK, Size, run_cases

EXAMPLE = "roamcast validate --quick"
NOT_ALL_AGREE = 1
WIDTH = 100
MANY = 1000
"""A range that reaches this is shown in whole numbers."""
SHARE_MIN = 0.05
"""Before this part is done most of the time was the processes' start, and an estimate of the rest would be far off."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    groups = ", ".join(group.name for group in GROUPS)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help=f"a group of cases ({groups}) or one case, for example saturated-50"
    )
    parser.add_argument(
        "--seeds", type=options.positive, metavar="N", help=f"the number of seeds (default: {FULL.seeds})"
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"shorter runs, and {QUICK.seeds} seeds unless --seeds is given"
    )
    options.add_json(parser)
    parser.set_defaults(command=validate)


def validate(arguments: argparse.Namespace) -> int:
    """Run the cases and print our figures next to those of ns-3; return 0 only if everything agrees."""
    groups = choose(arguments.cases)
    size = QUICK if arguments.quick else FULL
    if arguments.seeds:
        size = replace(size, seeds=arguments.seeds)
    with RunProgress() as progress:
        findings = run_cases(groups, size, progress=lambda share: _update(progress, share))
    if arguments.json:
        say(json.dumps(_document(groups, size, findings), indent=2))
    else:
        say(_text(groups, size, findings))
    return 0 if all(each.verdict in (Verdict.AGREES, Verdict.SHOWN) for each in findings) else NOT_ALL_AGREE


def _update(progress: RunProgress, share: float) -> None:
    if share >= SHARE_MIN:
        progress.update(share)


def _text(groups: Sequence[Group], size: Size, findings: Sequence[Finding]) -> str:
    seeds = "seed 1" if size.seeds == 1 else f"seeds 1 to {size.seeds}"
    reduced = ", shorter than ns-3's runs" if size.is_quick else ""
    head = (
        f"Radio, MAC and routing next to ns-3. Ours is the mean over {seeds}{reduced}. "
        "It agrees if it lies in the allowed range: the range of ns-3 over its seeds, "
        f"or within {TOLERANCE * 100:g} % of ns-3's mean where that is wider, unless stated otherwise below."
    )
    parts = [textwrap.fill(head, WIDTH)]
    for group in groups:
        names = {case.name for case in group.cases}
        parts.append(_group_text(group, [each for each in findings if each.case.name in names]))
    verdicts = [each.verdict for each in findings]
    counts = ", ".join(f"{each.value} {verdicts.count(each)}" for each in Verdict if each is not Verdict.SHOWN)
    verdicts = [each for each in verdicts if each is not Verdict.SHOWN]
    return "\n\n".join([*parts, f"Of {len(verdicts)} figures: {counts}."])


def _group_text(group: Group, findings: Sequence[Finding]) -> str:
    head = [f"{group.title}. {group.about}", f"ns-3: {group.source}."]
    if group.theory:
        head.append(f"Theory: {group.theory}.")
    lines = [textwrap.fill(line, WIDTH) for line in head]
    rows, title = [], ""
    for each in findings:
        quantity, reference = each.expectation.quantity, each.expectation.reference
        rows.append(
            [
                "" if each.case.title == title else each.case.title,
                quantity.title,
                _value(quantity, reference.mean),
                _range(quantity, *each.allowed),
                _value(quantity, each.mean),
                _range(quantity, min(each.ours), max(each.ours)),
                *([_value(quantity, each.theory)] if group.theory else []),
                each.verdict.value,
            ]
        )
        title = each.case.title
    theory = ["theory"] if group.theory else []
    header = ["case", "quantity", "ns-3", "allowed", "ours", "range", *theory, "verdict"]
    text = table(rows, header, "ll" + "r" * (len(header) - 3) + "l", WIDTH)
    notes = [_note(each) for each in findings if each.verdict is not Verdict.AGREES]
    return "\n".join([*lines, "", text, *_other_tolerances(findings), *notes])


def _other_tolerances(findings: Sequence[Finding]) -> list[str]:
    """Return a line for each quantity that has a tolerance of its own."""
    tolerances = {each.expectation.quantity: each.expectation.tolerance for each in findings}
    return [
        f"{quantity.title}: within {tolerance * 100:g} % of ns-3's mean."
        for quantity, tolerance in tolerances.items()
        if tolerance != TOLERANCE
    ]


def _note(finding: Finding) -> str:
    """Return what was allowed where a figure does not agree, and what is known of the reason."""
    quantity = finding.expectation.quantity
    low, high = (_value(quantity, each) for each in finding.allowed)
    text = f"{finding.case.title}, {quantity.title}: {finding.verdict.value}; allowed: {low} to {high}."
    if finding.verdict is Verdict.UNDECIDED:
        text += " Chance may explain it; more seeds would decide."
    if finding.expectation.remark:
        text += f" {finding.expectation.remark}"
    return textwrap.fill(text, WIDTH)


def _value(quantity: Quantity, value: float | None) -> str:
    if value is None:
        return "-"
    shown = round(100 * value if quantity.is_share else value, quantity.decimals) + 0.0  # no zero with a sign
    return f"{shown:,.{quantity.decimals}f} %" if quantity.is_share else f"{shown:,.{quantity.decimals}f}"


def _range(quantity: Quantity, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    factor = 100 if quantity.is_share else 1
    between = " to " if low < 0 else "-"
    decimals = quantity.decimals if high < MANY else 0
    return f"{factor * low:,.{decimals}f}{between}{factor * high:,.{decimals}f}"


def _document(groups: Sequence[Group], size: Size, findings: Sequence[Finding]) -> dict[str, Any]:
    sources = {case.name: f"ns-3: {group.source}" for group in groups for case in group.cases}
    return {
        "version": __version__,
        "seeds": size.seeds,
        "quick": size.is_quick,
        "figures": [{**_finding_document(each), "source": sources[each.case.name]} for each in findings],
    }


def _finding_document(finding: Finding) -> dict[str, Any]:
    expectation = finding.expectation
    reference = expectation.reference
    return {
        "case": finding.case.name,
        "quantity": expectation.quantity.name,
        "reference": {"mean": reference.mean, "low": reference.low, "high": reference.high},
        "ours": {
            "mean": finding.mean,
            "low": min(finding.ours),
            "high": max(finding.ours),
            "standard_error": finding.standard_error,
        },
        "allowed": list(finding.allowed),
        "theory": finding.theory,
        "verdict": finding.verdict.value,
        "remark": expectation.remark,
    }
