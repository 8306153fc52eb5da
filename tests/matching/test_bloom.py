"""Bloom filters: no false negatives, a known rate of false positives, the same bits everywhere, and figure 1."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.parameters import build
from roamcast.matching.bloom import BloomFilter, BloomShape, bits_at, false_positive_rate

texts = st.lists(st.text(max_size=20).filter(lambda text: text.isprintable()), max_size=30)
shapes = st.builds(BloomShape, st.integers(1, 600), st.integers(1, 9))


def filter_of(shape: BloomShape, items: list[str]) -> BloomFilter:
    made = BloomFilter(shape)
    for item in items:
        made.add(item)
    return made


@given(shapes, texts)
def test_what_was_added_is_always_found(shape: BloomShape, items: list[str]) -> None:
    made = filter_of(shape, items)
    assert all(item in made for item in items)


@given(shapes, texts, texts)
def test_a_union_is_the_filter_of_all_texts_of_both(shape: BloomShape, some: list[str], others: list[str]) -> None:
    assert filter_of(shape, some) | filter_of(shape, others) == filter_of(shape, some + others)


@given(shapes, texts)
def test_a_filter_has_exactly_its_bits_and_at_most_k_of_them_for_each_text(shape: BloomShape, items: list[str]) -> None:
    made = filter_of(shape, items)
    assert made.bits < 1 << shape.bits
    assert made.bits.bit_count() <= shape.hashes * len(set(items))
    assert all(len(shape.positions(item)) == shape.hashes for item in items)
    assert all(0 <= position < shape.bits for item in items for position in shape.positions(item))
    assert 8 * (made.size_bytes - 1) < shape.bits <= 8 * made.size_bytes


def test_an_empty_filter_has_nothing_and_is_never_wrong() -> None:
    made = BloomFilter(BloomShape(64, 3))
    assert "a" not in made
    assert (made.fill(), made.false_positive_rate()) == (0.0, 0.0)


def test_filters_of_different_shapes_are_not_joined() -> None:
    with pytest.raises(ValueError, match="different shapes"):
        BloomFilter(BloomShape(64, 3)) | BloomFilter(BloomShape(64, 4))


@pytest.mark.parametrize(("bits", "hashes", "items"), [(512, 4, 50), (256, 3, 40), (1024, 5, 60), (100, 1, 20)])
def test_false_positives_are_as_often_as_both_estimates_say(bits: int, hashes: int, items: int) -> None:
    made = filter_of(BloomShape(bits, hashes), [f"subscribed {number}" for number in range(items)])
    tries = 20_000
    found = sum(f"other {number}" in made for number in range(tries)) / tries
    assert found == pytest.approx(made.false_positive_rate(), rel=0.2, abs=0.002)
    assert found == pytest.approx(false_positive_rate(bits, hashes, items), rel=0.5, abs=0.004)


def test_the_estimate_is_that_of_the_paper() -> None:
    assert false_positive_rate(12, 2, 0) == 0.0
    assert false_positive_rate(10, 1, 10) == pytest.approx(1 - 2.718281828**-1)
    assert false_positive_rate(512, 4, 50) == pytest.approx(0.0109, abs=1e-4)


def test_the_bits_are_the_same_in_every_process_and_for_ever() -> None:
    shape = BloomShape(512, 4)
    assert shape.positions("news") == (29, 30, 31, 32)
    assert shape.positions("traffic") == (227, 104, 493, 370)
    script = "from roamcast.matching.bloom import BloomShape; print(BloomShape(512, 4).mask('news'))"
    environment = {"PYTHONHASHSEED": "4711", "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert int(printed.stdout) == bits_at(shape.positions("news"))


@pytest.mark.parametrize(
    ("shape", "bits"),
    [
        (BloomShape(12, 2), 0x1E7),
        (BloomShape(64, 5), 0x80222897E4498411),
        (BloomShape(100, 3), 0x3400038000422008420080400),
    ],
)
def test_a_filter_of_some_texts_has_these_bits_on_every_machine(shape: BloomShape, bits: int) -> None:
    assert filter_of(shape, ["", "news", "topic\x1fnews.local", 'a="x"\x1fb=2.0', "Zürich"]).bits == bits


def test_the_estimate_of_a_union_counts_the_texts_of_both() -> None:
    shape = BloomShape(512, 4)
    one, other = (filter_of(shape, [f"{name} {number}" for number in range(30)]) for name in ("one", "other"))
    union = one | other
    tries = 20_000
    found = sum(f"neither {number}" in union for number in range(tries)) / tries
    assert found == pytest.approx(union.false_positive_rate(), rel=0.2)
    assert union.false_positive_rate() > 5 * max(one.false_positive_rate(), other.false_positive_rate())
    assert found == pytest.approx(false_positive_rate(512, 4, 60), rel=0.4)


@pytest.mark.parametrize("table", [{"bits": 0, "hashes": 2}, {"bits": 70_000, "hashes": 2}, {"bits": 12, "hashes": 0}])
def test_a_shape_that_cannot_be_is_an_error_of_one_line(table: dict[str, int]) -> None:
    with pytest.raises(UserError, match=r"must be (greater than 0|at most 65,536)"):
        build(BloomShape, table, "[filter]")


@pytest.mark.parametrize(("bits", "is_filter"), [(0, True), (4095, True), (4096, False), (-1, False)])
def test_a_number_is_a_filter_only_if_it_has_no_more_bits(bits: int, is_filter: bool) -> None:
    assert BloomShape(12, 2).is_filter(bits) is is_filter


# Figure 1: 12 bits, two hashes; S_B at 2 and 3, S_F at 5 and 10 as the text says. The others are ours: the text gives
# none, only that neither D nor B finds S_F, so none of them sets both of its bits.
FIGURE_1 = {"S_A": (1, 8), "S_B": (2, 3), "S_C": (4, 7), "S_D": (1, 6), "S_E": (3, 11), "S_F": (5, 10)}
CHILDREN = {"A": "BC", "B": "DE", "C": "F", "D": "", "E": "", "F": ""}


def local(node: str) -> BloomFilter:
    made = BloomFilter(BloomShape(12, 2), positions=FIGURE_1.__getitem__)
    made.add(f"S_{node}")
    return made


def merged(node: str) -> BloomFilter:
    made = local(node)
    for child in CHILDREN[node]:
        made = made | merged(child)
    return made


def test_figure_1_b_merges_its_own_filter_and_those_of_d_and_e_for_a() -> None:
    assert local("B").bits == 0b1100
    assert merged("B").bits == local("B").bits | local("D").bits | local("E").bits == bits_at((1, 2, 3, 6, 11))


def test_figure_1_what_d_publishes_is_found_nowhere_below_b_and_leads_from_a_by_c_to_f() -> None:
    assert all("S_F" not in each for each in (local("D"), local("B"), merged("D"), merged("E"), merged("B")))
    assert "S_F" not in local("A")
    assert "S_F" in merged("C")
    assert "S_F" not in local("C")
    assert "S_F" in merged("F")
    assert "S_F" in local("F")
