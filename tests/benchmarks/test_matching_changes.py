"""The benchmark of the index next to an earlier commit, at a reduced size."""

import pytest
from benchmarks.matching_changes import Change, ChangeCase, Side, changes_rows, measure_change, shown
from benchmarks.protocols import ROOT

CASE = ChangeCase("remove", 400)


def test_both_sides_are_measured_in_turn_and_find_the_same() -> None:
    with Side.of(ROOT / "src") as one, Side.of(ROOT / "src") as two:
        for operation in ("add", "add many", "remove", "counts"):
            change = measure_change(ChangeCase(operation, 400, batch=16), one, two, 1)
            assert change.now_us > 0
            assert change.before_us > 0


def test_sides_that_find_different_matches_are_refused() -> None:
    class Fake(Side):
        def __init__(self, found: int) -> None:
            self._found = found

        def measure(self, case: ChangeCase) -> tuple[float, int]:
            return float(case.batch), self._found

    with pytest.raises(SystemExit, match="different matches"):
        measure_change(CASE, Fake(3), Fake(4), 1)


@pytest.mark.parametrize(("now_us", "verdict"), [(2.1, "reached"), (2.3, "NOT reached")])
def test_a_row_says_whether_it_became_slower_than_allowed(now_us: float, verdict: str) -> None:
    change = Change("remove", 400, "wide-all", 1, now_us, 2.0)
    assert shown(CASE, change).endswith(f" 1.1  {verdict}")
    assert [row["is_reached"] for row in changes_rows([change])] == [verdict == "reached"]
