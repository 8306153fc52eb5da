"""Seeds judge once: what somebody has looked at is on a list, and no campaign begins there."""

import pytest

from roamcast.api.verdict_record import published_record
from roamcast.measuring.verdicts.looks import LOOKS
from roamcast.papers import SCALES, Paper, load_paper, paper_names

PAPERS = [paper for paper in map(load_paper, paper_names()) if paper.seeds_used]


def judging(paper: Paper, scale: str) -> set[int]:
    first = paper.first_seed_at(scale)
    return set(range(first, first + LOOKS.seeds[-1]))


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.title)
def test_a_campaign_begins_beyond_all_seeds_that_were_looked_at_and_shares_none_with_the_other_scale(
    paper: Paper,
) -> None:
    used = {seed for seeds in paper.seeds_used for seed in range(seeds.first, seeds.last + 1)}
    for scale in SCALES:
        assert not judging(paper, scale) & used
    assert not judging(paper, "quick") & judging(paper, "full")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.title)
def test_every_verdict_on_record_is_of_seeds_that_are_listed_or_judge_now(paper: Paper) -> None:
    listed = [range(seeds.first, seeds.last + 1) for seeds in paper.seeds_used]
    listed += [range(min(seeds), max(seeds) + 1) for seeds in (judging(paper, scale) for scale in SCALES)]
    entries = [entry for found in published_record(paper).values() for entry in found]
    entries += [line for entry in entries for line in entry.get("former_verdicts", [])]
    firsts = {entry["first_seed"] for entry in entries if entry.get("first_seed")}
    assert firsts or not entries
    assert [first for first in firsts if not any(first in seeds for seeds in listed)] == []


def test_the_papers_whose_claims_are_decided_list_their_seeds() -> None:
    assert {paper.title.split()[0] for paper in PAPERS} >= {"Frugal", "Structure-less"}


def test_the_verdicts_of_every_campaign_that_judged_frugal_stay_on_record() -> None:
    """At full scale, under the default reading: as entries of their own, or as what other seeds found."""
    record = published_record(load_paper("frugal"))
    judged: dict[int, set[str]] = {}
    for name, entries in record.items():
        for entry in entries:
            if (entry["scale"], entry["reading"]) == ("full", "default"):
                for each in (entry, *entry.get("former_verdicts", [])):
                    judged.setdefault(each.get("first_seed") or 0, set()).add(name)
    assert {first: len(judged[first]) for first in (2001, 3001, 6001, 8001)} == {2001: 28, 3001: 35, 6001: 35, 8001: 35}
