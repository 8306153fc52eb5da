"""The cores that this process may use, on systems that limit them and on those that do not tell."""

import os

import pytest

from roamcast.campaigns.cores import core_count


def test_only_the_cores_that_the_process_may_use_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert core_count() == 3


@pytest.mark.parametrize(("counted", "expected"), [(8, 8), (None, 1)])
def test_where_the_system_has_no_such_limit_all_cores_count_and_at_least_one(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, expected: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert core_count() == expected
