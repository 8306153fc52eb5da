"""The package's offer to people who only need matching, and what it costs those who need less."""

import subprocess
import sys

import pytest

import roamcast.matching
from roamcast.matching import MatchingIndex


def test_the_index_is_offered_by_the_package() -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": (0.0, 120.0)})
    index.add("young", {"age": (0.0, 30.0)})
    assert index.match({"age": 20.0}) == ["young"]


def test_what_it_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'roamcast\.matching' has no attribute 'Indx'"):
        roamcast.matching.Indx  # noqa: B018 - that it is asked for is the test


def test_who_needs_only_vectors_does_not_load_the_compiler() -> None:
    script = "import sys, roamcast.matching.bloom, roamcast.matching.dyadic; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
