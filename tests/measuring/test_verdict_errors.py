"""The verdict engine on claims whose truth is known; ``python -m benchmarks.verdicts`` does ten times as many."""

import pytest
from benchmarks.verdicts import ERROR_MAX, KINDS, error_rates, false_rates

from roamcast.measuring.verdicts import Verdict

COUNTS = dict.fromkeys(KINDS, 1000) | {name: 300 for name in KINDS if name.startswith(("ten", "a factor pooled"))}


@pytest.mark.parametrize("name", KINDS)
def test_on_a_boundary_few_claims_are_judged_wrongly(name: str) -> None:
    kind = KINDS[name]
    rates = error_rates(kind, COUNTS[name], seed=list(KINDS).index(name))
    assert max(false_rates(rates, kind)) <= ERROR_MAX
    assert sum(rates.values()) == pytest.approx(1)


def test_claims_that_are_true_are_found_to_hold() -> None:
    rates = error_rates(KINDS["ten numbers that are all right"], 50, seed=3)
    assert rates[Verdict.HOLDS] > 0.9
