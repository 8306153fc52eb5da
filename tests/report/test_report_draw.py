"""Figures drawn to files: whole, deterministic, with every text in them, whatever the data."""

import math
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib
import matplotlib.style
import numpy as np
import pytest
from matplotlib.figure import Figure as Sheet
from matplotlib.markers import CARETDOWNBASE, CARETUPBASE
from symmetric_points import around

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.report.draw import draw
from roamcast.report.figure import Figure, Panel, Point, Series
from roamcast.report.picture_layout import laid_out
from roamcast.report.printable_text import one_line
from roamcast.report.style import SETTINGS, styles_of

SVG = "{http://www.w3.org/2000/svg}"


def line(label: str, *ys: float, half_width: float | None = 0.1, from_paper: bool = False) -> Series:
    return Series(label, tuple(around(x, y, half_width) for x, y in enumerate(ys, start=1)), from_paper)


def figure_of(*panels: Panel, name: str = "figure-17", caption: str = "Mean of 5 seeds.") -> Figure:
    return Figure(name, "Bandwidth by events", caption, panels)


def panel_of(*series: Series, title: str = "20 % subscribers", log_y: bool = False) -> Panel:
    return Panel(title, "events published", "bandwidth (kB)", series, log_y=log_y)


def texts(svg: Path) -> list[str]:
    """Return what a reader of the picture reads, each line as one text."""
    return ["".join(each.itertext()).strip() for each in ElementTree.parse(svg).iter(f"{SVG}text")]


def drawn_texts(figure: Figure, folder: Path) -> list[str]:
    return texts(draw(figure, folder)[0])


def test_both_files_are_written_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    svg, png = draw(figure_of(panel_of(line("frugal", 1, 2))), folder)
    assert sorted(folder.iterdir()) == [png, svg]
    assert (svg.name, png.name) == ("figure-17.svg", "figure-17.png")
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert 800 <= width <= 2000
    assert 400 <= height <= 2000


def test_title_labels_units_legend_and_caption_are_texts_in_the_picture(tmp_path: Path) -> None:
    figure = figure_of(panel_of(line("frugal", 1, 2), line("flooding", 3, 4)), caption="Mean of 5 seeds & more.")
    shown = drawn_texts(figure, tmp_path)
    for text in ("Bandwidth by events", "20 % subscribers", "events published", "bandwidth (kB)", "frugal", "flooding"):
        assert text in shown
    assert "Mean of 5 seeds & more." in shown


def test_a_series_of_the_paper_says_so_and_is_hollow_with_the_marker_of_the_measured_one(tmp_path: Path) -> None:
    figure = figure_of(panel_of(line("paper's", 2, 3, from_paper=True), line("a", 1), line("b", 1, 2)))
    figure = figure_of(*figure.panels, panel_of(line("b", 1, 2, from_paper=True), title="other"))
    shown = drawn_texts(figure, tmp_path)
    assert "b (paper)" in shown
    assert "paper's" in shown
    styles = styles_of(figure)
    assert styles["b", True].marker == styles["b", False].marker
    assert styles["b", True].options()["markerfacecolor"] == "white"
    assert styles["b", True].line == "--"
    assert styles["b", False].colour != styles["b", True].colour == styles["paper's", True].colour
    assert styles["paper's", True].marker not in {styles["a", False].marker, styles["b", True].marker}


def test_a_series_looks_the_same_in_every_panel_and_unlike_the_others() -> None:
    labels = [f"series {place}" for place in range(20)]
    figure = figure_of(panel_of(*(line(label, 1) for label in labels)), panel_of(line("series 3", 1), title="other"))
    styles = styles_of(figure)
    assert list(styles) == [(label, False) for label in labels]
    assert len({(style.colour, style.marker) for style in styles.values()}) == 20


def test_names_of_other_figures_keep_their_styles_for_them() -> None:
    beside = (("a", "b"), ("a", "c", "d"))
    first, second = figure_of(panel_of(line("a", 1), line("b", 1))), figure_of(panel_of(line("d", 1), line("a", 1)))
    alone, apart = styles_of(first), styles_of(second, beside)
    assert [apart[label, False].number for label in "ad"] == [0, 3]
    assert alone == styles_of(first, beside)
    assert styles_of(second)["d", False].number == 0


def test_a_name_that_is_not_among_those_beside_takes_no_style_of_theirs() -> None:
    beside = (("a", "b"), ("c",))
    figure = figure_of(panel_of(line("new", 1), line("c", 1), line("c", 2, from_paper=True)))
    styles = styles_of(figure, beside)
    assert {key: style.number for key, style in styles.items()} == {
        ("new", False): 3,
        ("c", False): 2,
        ("c", True): 2,
    }
    assert list(styles) == [("new", False), ("c", False), ("c", True)]


def test_after_the_last_colour_styles_go_round_past_those_of_the_same_figure() -> None:
    beside = (("a", "b", "c", "d", "e", "f", "g"), ("h", "a", "b"), ("i", "j"))
    styles = styles_of(figure_of(panel_of(*(line(label, 1) for label in "hijab"))), beside)
    assert {label: styles[label, False].number for label in "hijab"} == {"h": 2, "i": 3, "j": 4, "a": 0, "b": 1}


def test_the_same_figure_gives_the_same_bytes_whatever_the_process_and_its_settings(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from roamcast.report.draw import draw
from roamcast.report.figure import *
points = tuple(Point(x, x * 1.5, x * 1.5 - 0.2, x * 1.5 + 0.2) for x in range(30))
panels = tuple(Panel(f"p{n}", "x (s)", "y (m)", (Series("a", points), Series("b", points[:5])), n == 1) for n in (0, 1))
draw(Figure("f", "title", "caption", panels), Path(sys.argv[1]))
assert "matplotlib.pyplot" not in sys.modules
"""
    written = []
    for place, settings in enumerate(("", "font.size: 30\nsvg.fonttype: path\naxes.grid: True\n")):
        folder = tmp_path / str(place)
        folder.mkdir()
        rc_file = folder / "matplotlibrc"
        rc_file.write_text(settings)
        environment = os.environ | {"MATPLOTLIBRC": str(rc_file), "PYTHONHASHSEED": str(place + 1)}
        subprocess.run([sys.executable, "-c", program, str(folder)], check=True, env=environment)
        written.append(((folder / "f.svg").read_bytes(), (folder / "f.png").read_bytes()))
    assert written[0] == written[1]


def test_drawing_twice_replaces_the_files_with_the_same_ones_and_leaves_the_settings_alone(tmp_path: Path) -> None:
    figure = figure_of(panel_of(line("frugal", 1, 2)))
    settings = dict(matplotlib.rcParams)
    first = [path.read_bytes() for path in draw(figure, tmp_path)]
    assert [path.read_bytes() for path in draw(figure, tmp_path)] == first
    assert dict(matplotlib.rcParams) == settings


def test_a_panel_without_data_says_so(tmp_path: Path) -> None:
    empty = panel_of(Series("frugal", ()), Series("gossip", (Point(1, math.nan), Point(math.nan, 1))))
    shown = drawn_texts(figure_of(empty, panel_of(line("frugal", 1), title="other")), tmp_path)
    assert "no data" in shown
    assert "gossip (no data)" in shown
    assert "frugal" in shown


@pytest.mark.parametrize("panels", [(), (panel_of(),)])
def test_a_figure_without_anything_says_so(panels: tuple[Panel, ...], tmp_path: Path) -> None:
    assert "no data" in drawn_texts(figure_of(*panels), tmp_path)


def test_a_missing_value_leaves_a_gap(tmp_path: Path) -> None:
    svg, _ = draw(figure_of(panel_of(line("frugal", 1, 2, math.nan, 4, 5, half_width=None))), tmp_path)
    drawn = [path.get("d", "") for path in ElementTree.parse(svg).iter(f"{SVG}path") if "#0072b2" in str(path.attrib)]
    assert any(path.count("M") == 2 and path.count("L") == 2 for path in drawn)


def test_zeros_on_a_logarithmic_axis_are_marked_and_explained(tmp_path: Path) -> None:
    figure = figure_of(
        panel_of(line("frugal", 0, 3, 500), log_y=True), panel_of(line("frugal", 5, 3), title="no zeros", log_y=True)
    )
    shown = drawn_texts(figure, tmp_path)
    assert {"0", "1", "10", "100"} <= set(shown)
    assert "0.1" not in shown
    joined = " ".join(shown)
    assert "Mean of 5 seeds. Note: in “20 % subscribers”: zeros are drawn at the tick 0" in joined


def test_a_value_outside_the_limits_is_said_below_the_figure(tmp_path: Path) -> None:
    panel = Panel("", "x", "y", (line("frugal", 0.5, 7.0),), y_limits=(0.0, 1.0))
    assert "1 point outside the vertical axis." in " ".join(drawn_texts(figure_of(panel), tmp_path))


def test_an_interval_that_is_cut_has_a_triangle_in_place_of_its_cap_and_the_caption_says_what_it_is() -> None:
    points = around(1, 0.5, 0.2), around(2, 0.9, 0.4), around(3, 0.1, 0.2)
    panel = Panel("", "x", "share", (Series("frugal", points),), y_limits=(0.0, 1.0))
    sheet = sheet_of(panel)
    (axes,) = sheet.axes
    marks = {str(each.get_marker()): np.asarray(each.get_xydata()).tolist() for each in axes.lines}
    assert marks[str(CARETUPBASE)] == [[2.0, 1.0]]
    assert marks[str(CARETDOWNBASE)] == [[3.0, 0.0]]
    assert [x for x, _ in marks["_"]] == [1.0, 2.0, 1.0, 3.0]
    assert "an interval that ends in a triangle continues beyond the axis" in one_line(sheet.texts[0].get_text())


def test_a_band_that_is_cut_has_triangles_too() -> None:
    (axes,) = sheet_of(panel_of(line("frugal", *range(1, 21), half_width=2.5))).axes
    (cut,) = [each for each in axes.lines if each.get_marker() == CARETDOWNBASE]
    assert np.asarray(cut.get_xydata()).tolist() == [[1.0, 0.0], [2.0, 0.0]]


def test_intervals_within_the_axis_have_caps_and_no_triangle() -> None:
    sheet = sheet_of(panel_of(line("frugal", 1, 2)))
    assert {each.get_marker() for each in sheet.axes[0].lines} == {"o", "_"}
    assert "triangle" not in sheet.texts[0].get_text()


def test_a_logarithmic_axis_says_so_and_has_plain_numbers_between_its_powers_of_ten(tmp_path: Path) -> None:
    panel = Panel("", "side [m]", "delay [s]", (line("frugal", 0.3, 4.0),), log_y=True, log_x=True)
    shown = drawn_texts(figure_of(panel), tmp_path)
    assert {"0.1", "0.2", "0.5", "1", "2"} <= set(shown)
    assert "delay [s], log scale" in shown
    assert "side [m], log scale" in shown


def test_a_horizontal_axis_with_many_values_on_a_logarithm_has_plain_numbers_too(tmp_path: Path) -> None:
    panel = Panel("", "time [s]", "share", (line("tail", *range(1, 31), half_width=None),), log_x=True)
    shown = drawn_texts(figure_of(panel), tmp_path)
    assert {"1", "2", "5", "10", "20"} <= set(shown)


def test_a_linear_axis_does_not_say_that_it_is_logarithmic_where_its_values_are_near(tmp_path: Path) -> None:
    shown = drawn_texts(figure_of(panel_of(line("frugal", 740, 1300), log_y=True)), tmp_path)
    assert "bandwidth (kB)" in shown
    assert {"0", "500", "1,000"} <= set(shown)


def test_over_many_decades_a_logarithmic_axis_has_the_powers_of_ten_alone(tmp_path: Path) -> None:
    shown = drawn_texts(figure_of(panel_of(line("frugal", 1, 10**6), log_y=True)), tmp_path)
    assert {"1", "1,000", "1,000,000"} <= set(shown)
    assert not {"20", "50", "200"} & set(shown)


def intervals(svg: Path) -> tuple[int, int]:
    """Return how many groups of bars and how many bands a picture has."""
    identifiers = [each.get("id", "") for each in ElementTree.parse(svg).iter(f"{SVG}g")]
    lines = sum(name.startswith("LineCollection") for name in identifiers)
    return lines, sum(name.startswith("FillBetweenPolyCollection") for name in identifiers)


@pytest.mark.parametrize(
    ("points", "half_width", "expected"), [(5, 0.1, (1, 0)), (5, None, (0, 0)), (40, 0.1, (0, 1)), (40, None, (0, 0))]
)
def test_intervals_are_bars_or_bands_where_there_are_any(
    points: int, half_width: float | None, expected: tuple[int, int], tmp_path: Path
) -> None:
    svg, _ = draw(figure_of(panel_of(line("frugal", *range(points), half_width=half_width))), tmp_path)
    assert intervals(svg) == expected


def choices(*names: str) -> Panel:
    points = tuple(around(x, 0.5, 0.1) for x in range(len(names)))
    return Panel("", "protocol", "delivery ratio", (Series("ratio", points),), x_names=names)


def test_choices_on_the_horizontal_axis_are_named_in_lines_where_there_is_room(tmp_path: Path) -> None:
    shown = drawn_texts(figure_of(choices("frugal", "simple flooding of everything", "gossip")), tmp_path)
    assert "frugal" in shown
    assert "simple flooding of" in shown
    assert "everything" in shown


def test_choices_on_the_horizontal_axis_are_slanted_and_shortened_where_there_is_no_room(tmp_path: Path) -> None:
    names = [f"neighbour-flooding-{place}" for place in range(5)]
    shown = drawn_texts(figure_of(choices(*names, "word" * 20)), tmp_path)
    assert set(names) <= set(shown)
    (cut,) = [text for text in shown if text.endswith("…")]
    assert cut.startswith("wordwordword")


def sheet_of(*panels: Panel) -> Sheet:
    with matplotlib.style.context(["default", SETTINGS]):
        return laid_out(figure_of(*panels))


def test_choices_are_not_joined_and_series_stand_beside_each_other() -> None:
    panel = Panel("", "protocol", "ratio", (line("a", 1, 2), line("b", 1, 2)), x_names=("zero", "one", "two"))
    (axes,) = sheet_of(panel).axes
    first, second = axes.lines[0], next(each for each in axes.lines if each.get_marker() == "s")
    assert first.get_linestyle() == second.get_linestyle() == "None"
    xs = [[float(x) for x in np.asarray(each.get_xdata())] for each in (first, second)]
    assert xs[0][0] < 1 < xs[1][0] < 1.5 < xs[0][1] < 2 < xs[1][1]


def test_panels_of_one_quantity_have_the_same_axis_and_others_have_not() -> None:
    small, large = panel_of(line("frugal", 1, 2)), panel_of(line("frugal", 100, 200), title="other")
    other = Panel("", "events", "another quantity (s)", (line("frugal", 7),))
    axes = sheet_of(small, large, other).axes
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert axes[1].get_ylim()[1] > 200
    assert axes[2].get_ylim()[1] < 10


def test_hostile_texts_are_shown_as_they_are_and_the_file_stays_valid(tmp_path: Path) -> None:
    hostile = "a\x00b $x$ <b> & \ud800 \x1b[31m"
    panel = Panel(hostile, hostile, hostile, (line(hostile, 1, 2),))
    shown = drawn_texts(Figure("hostile", hostile, hostile, (panel,)), tmp_path)
    assert shown.count("ab $x$ <b> & [31m") == 6


def boxes(svg: Path) -> tuple[float, float]:
    root = ElementTree.parse(svg).getroot()
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    return width, height


def test_panels_stand_beside_each_other_and_wrap_after_three(tmp_path: Path) -> None:
    panels = [panel_of(line("frugal", 1, 2), title=f"panel {place}") for place in range(5)]
    one, three, five = (boxes(draw(figure_of(*panels[:count], name=f"f{count}"), tmp_path)[0]) for count in (1, 3, 5))
    assert one[0] < three[0] == five[0]
    assert three[1] < one[1] < five[1]
    assert five[1] > 1.6 * three[1]


def test_long_texts_make_the_figure_higher_and_are_kept(tmp_path: Path) -> None:
    short = figure_of(panel_of(line("frugal", 1, 2)), name="short")
    long = figure_of(panel_of(line("frugal " * 40, 1, 2)), name="long", caption="A word and another. " * 40)
    svg, _ = draw(long, tmp_path)
    assert boxes(svg)[1] > boxes(draw(short, tmp_path)[0])[1] + 100
    assert " ".join(texts(svg)).count("A word and another.") >= 36
    assert " ".join(texts(svg)).count("frugal") == 40


LONG = "a rather long text that somebody wrote without a thought for the picture it would be put into"
CROWDED = Panel(
    LONG, LONG, LONG, tuple(line(f"{LONG} {place}", 1, 20_000) for place in range(3)), x_names=(LONG, LONG, LONG)
)


@pytest.mark.parametrize("count", [1, 3, 4])
@pytest.mark.parametrize("panel", [panel_of(line("frugal", 1, 2), line("flooding", 5, 900)), CROWDED])
def test_nothing_is_cut_off_and_nothing_covers_anything(panel: Panel, count: int) -> None:
    figure = Figure("f", LONG, LONG * 3, (panel,) * count)
    with matplotlib.style.context(["default", SETTINGS]):
        sheet = laid_out(figure)
        (legend,) = sheet.legends
        boxes = [legend.get_window_extent(), *(text.get_window_extent() for text in sheet.texts)]
        for axes in sheet.axes:
            box = axes.get_tightbbox()
            assert box is not None
            boxes.append(box)
            assert axes.get_window_extent().height > 50
            assert axes.get_window_extent().width > 60
    assert len(boxes) == 3 + count
    for place, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= sheet.bbox.width
        assert box.y1 <= sheet.bbox.height
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])


def test_a_row_of_points_that_the_axis_names_has_no_legend_and_each_stands_over_its_name() -> None:
    row = Series("mean", tuple(Point(float(place), 0.5, 0.1) for place in range(3)))
    panel = Panel("delivery", "protocol", "share", (row,), x_names=("frugal", "gossip", "flooding"))
    with matplotlib.style.context(["default", SETTINGS]):
        sheet = laid_out(Figure("f", "title", "caption", (panel,)))
    assert sheet.legends == []
    (axes,) = sheet.axes
    places: list[float] = np.asarray(axes.lines[0].get_xdata()).tolist()
    assert axes.get_xticks().tolist() == places == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(("count", "rows"), [(6, [3, 3]), (7, [4, 3]), (3, [3])])
def test_the_rows_of_a_legend_are_about_as_long_and_in_the_order_of_the_series(count: int, rows: list[int]) -> None:
    names = [f"B-GPSR (with map {place})" for place in range(count)]
    with matplotlib.style.context(["default", SETTINGS]):
        panels = (panel_of(*(line(name, 1, 2) for name in names)), panel_of(title="b"), panel_of(title="c"))
        sheet = laid_out(figure_of(*panels))
        sheet.draw_without_rendering()
        (legend,) = sheet.legends
        boxes = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
    read = sorted(boxes, key=lambda name: (-round(boxes[name].y0), boxes[name].x0))
    assert read == names
    tops = [round(boxes[name].y0) for name in names]
    assert [tops.count(top) for top in dict.fromkeys(tops)] == rows


@pytest.mark.parametrize("name", ["", "../outside", "a/b", ".hidden", 'quoted"', "a b"])
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="figure name"):
        draw(figure_of(name=name), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_a_persons_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(UserError, match="cannot be written"):
        draw(figure_of(), blocked)
    assert blocked.read_text() == "in the way"


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "figure-17.svg").mkdir()
    with pytest.raises(UserError, match=r"figure-17\.svg: cannot be written"):
        draw(figure_of(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["figure-17.svg"]
