"""Texts broken into lines of a width."""

from roamcast.report.lettering import text_width_pt, wrapped


def test_a_unit_stays_with_its_number_or_the_word_before_it() -> None:
    text = "events sent per process in 180 s"
    assert wrapped(text, 10, text_width_pt("events sent per process in 180", 10)) == [
        "events sent per process in",
        "180 s",
    ]
    broken = wrapped("mean delay of a delivery [s]", 10, text_width_pt("mean delay of a delivery", 10))
    assert broken == ["mean delay of a", "delivery [s]"]
    assert wrapped("driving at 10 m/s, or", 10, text_width_pt("driving at 10", 10)) == ["driving at", "10 m/s, or"]
    assert wrapped("over these 6 seeds", 10, text_width_pt("over these 6", 10)) == ["over these 6", "seeds"]


def test_a_percent_sign_stays_with_its_number() -> None:
    text = "Mean with its 95 % interval"
    broken = wrapped(text, 10, text_width_pt("Mean with its 95", 10))
    assert broken == ["Mean with its", "95 % interval"]
    assert wrapped("", 10, 100) == []


def test_wrapped_lines_are_as_wide_as_they_may_be_and_lose_nothing() -> None:
    text = "some words of different length and one verylongwordthatdoesnotfitatall at the end"
    lines = wrapped(text, 10, 100)
    assert all(text_width_pt(each, 10) <= 100 for each in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) > 3
    assert wrapped("", 10, 100) == []
