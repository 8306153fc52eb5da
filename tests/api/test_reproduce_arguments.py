"""``roamcast.reproduce``: what its arguments ask for, and mistakes in them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_campaigns import MadeUpCampaign, MadeUpPaper

import roamcast as rc
from roamcast.api.claim_decision import Budget
from roamcast.api.paper_request import PaperRequest


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[PaperRequest, Budget | None]]:
    """Return what each call asks for, instead of doing it."""
    calls: list[tuple[PaperRequest, Budget | None]] = []
    monkeypatch.setattr("roamcast.api.reproduce.load_paper", lambda _: MadeUpPaper())
    monkeypatch.setattr(
        "roamcast.api.reproduce.reproduce_paper", lambda _, request, budget: calls.append((request, budget))
    )
    return calls


@pytest.mark.parametrize(
    ("arguments", "minutes"),
    [
        ({}, None),
        ({"minutes": 3}, None),
        ({"decide": True}, 60.0),
        ({"decide": True, "minutes": 3}, 3.0),
        ({"decide": True, "minutes": 0.5}, 0.5),
        ({"decide": True, "minutes": np.float64(2)}, 2.0),
    ],
)
def test_there_is_a_budget_only_if_claims_are_to_be_decided(
    asked: list[tuple[PaperRequest, Budget | None]], arguments: dict[str, Any], minutes: float | None
) -> None:
    rc.reproduce("made-up", **arguments)
    ((_, budget),) = asked
    assert (None if budget is None else budget.minutes) == minutes


def test_only_the_default_reading_is_evaluated_unless_all_are_asked_for(
    asked: list[tuple[PaperRequest, Budget | None]],
) -> None:
    rc.reproduce("made-up")
    rc.reproduce("made-up", readings=True)
    assert [[each.name for each in request.readings] for request, _ in asked] == [["default"], ["default", "other"]]


def test_results_go_to_a_folder_of_paper_and_scale_unless_another_is_named(
    asked: list[tuple[PaperRequest, Budget | None]],
) -> None:
    rc.reproduce("made-up")
    rc.reproduce("made-up", "full", figures=[2], out="here")
    assert [(request.folder, request.scale, request.numbers) for request, _ in asked] == [
        (Path("results/made-up-quick"), "quick", (1, 2)),
        (Path("here"), "full", (2,)),
    ]


@pytest.mark.parametrize("decide", [True, False])
@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf"), "ten", True, None])
def test_minutes_that_are_none_are_a_user_error_before_anything_is_made(
    asked: list[tuple[PaperRequest, Budget | None]], minutes: Any, decide: bool
) -> None:
    with pytest.raises(rc.UserError, match=r"^minutes = .*: must be a number of minutes above 0$"):
        rc.reproduce("made-up", minutes=minutes, decide=decide)
    assert asked == []


def test_claims_are_decided_from_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    MadeUpCampaign().install(monkeypatch)
    monkeypatch.setattr("roamcast.api.reproduce.load_paper", lambda _: MadeUpPaper())
    result = rc.reproduce("made-up", decide=True, minutes=10, readings=True, out=tmp_path)
    assert [(each.claim.name, each.verdict.value) for each in result.claims] == [
        ("sure", "holds"),
        ("close", "holds"),
        ("line", "undecided"),
    ]
    assert len(result.judged) == 6
    assert (tmp_path / "verdicts.json").is_file()
    assert result.page == tmp_path / "figures" / "index.html"
