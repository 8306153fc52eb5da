"""A paper's figure in the terminal: every number stands under the quantity and the unit that it is of."""

from roamcast.report.claim_tables import figure_table
from roamcast.report.figure import Figure, Panel, Point, Series


def panel(title: str, y_label: str, *ys: float, names: tuple[str, ...] = ()) -> Panel:
    points = tuple(Point(float(x), y, y - 0.1, y + 0.2) for x, y in enumerate(ys))
    return Panel(title, "speed [m/s]", y_label, (Series("B-AODV", points),), x_names=names)


def test_the_rows_of_each_quantity_stand_under_its_own_label_and_unit() -> None:
    panels = panel("delivery", "share of subscribers reached", 0.9), panel("delay", "mean delay [s]", 3.4)
    assert figure_table(Figure("figure-4", "Figure 4: highway", "caption", panels)).splitlines() == [
        "Figure 4: highway",
        "",
        "share of subscribers reached",
        "          speed [m/s]  B-AODV",
        "--------  -----------  -----------------",
        "delivery  0            0.90 [0.80, 1.10]",
        "",
        "mean delay [s]",
        "       speed [m/s]  B-AODV",
        "-----  -----------  -----------------",
        "delay  0            3.40 [3.30, 3.60]",
    ]


def test_panels_of_one_quantity_are_one_table() -> None:
    panels = panel("20% subscribe", "events sent", 1.0), panel("60% subscribe", "events sent", 2.0)
    text = figure_table(Figure("figure-18", "Figure 18", "caption", panels))
    assert text.count("events sent") == 1
    assert text.count("speed [m/s]") == 1
    assert [line.split("  ")[0] for line in text.splitlines()[-2:]] == ["20% subscribe", "60% subscribe"]


def test_a_choice_has_its_name_and_not_its_place() -> None:
    figure = Figure("figure-3", "Figure 3", "caption", (panel("", "messages", 1.0, 2.0, names=("one", "two levels")),))
    assert "two levels" in figure_table(figure)
