"""One style: readable in both themes and in greyscale, the same bytes each time, and the plotted numbers in the table."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from featurelearning.figures import (
    LINE_STYLES, MARKERS, THEMES, label_values, plotted_numbers, render, save, simulation, theory,
)

PAGE = {"light": "#ffffff", "dark": "#121212"}  # what the book's themes put behind a figure


def luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_contrast(theme):
    assert contrast(THEMES[theme]["ink"], PAGE[theme]) >= 7
    for colour in THEMES[theme]["cycle"]:
        assert contrast(colour, PAGE[theme]) >= 4.5, colour


def test_series_differ_without_colour():
    cycle = len(THEMES["light"]["cycle"])
    assert len(set(map(str, LINE_STYLES))) == len(set(MARKERS)) == len(LINE_STYLES) == cycle
    assert len(set(THEMES["light"]["cycle"])) == len(THEMES["dark"]["cycle"]) == cycle


def draw(axes):
    theory(axes, [1, 10, 100], [1, 2, 3], 0, "line")
    simulation(axes, [1, 10], [1.1, 1.9], 1, "points", error=[0.1, 0.2])
    axes.scatter([3], [4], label="dots")
    axes.set(xscale="log", xlabel="$x$", ylabel="$y$")
    label_values(axes.xaxis, [1, 10, 100])


def test_table_holds_what_is_plotted():
    rows = plotted_numbers(render(draw, "light"))
    assert [(r["series"], r["x"], r["y"], r["error"]) for r in rows if r["series"] == "line"] == [
        ("line", 1, 1, ""), ("line", 10, 2, ""), ("line", 100, 3, "")]
    points = [r for r in rows if r["series"] == "points"]
    assert [(r["x"], r["y"]) for r in points] == [(1, 1.1), (10, 1.9)]
    assert [r["error"] for r in points] == pytest.approx([0.1, 0.2])
    assert [(r["x"], r["y"]) for r in rows if r["series"] == "dots"] == [(3, 4)]


def test_table_holds_colour_meshes():
    values = np.arange(6.0).reshape(2, 3)

    def coloured(axes):
        axes.figure.colorbar(axes.pcolormesh([0, 1, 2], [0, 1], values, shading="nearest"), ax=axes)

    rows = plotted_numbers(render(coloured, "light"))
    assert [r["value"] for r in rows] == list(range(6))
    assert [(r["x"], r["y"]) for r in rows[:3]] == [(0, 0), (1, 0), (2, 0)]


def test_same_drawing_same_bytes(tmp_path):
    for folder in ("one", "two"):
        files = save(draw, tmp_path / folder, "X")
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    assert (tmp_path / "one" / "X.svg").read_text() != (tmp_path / "one" / "X-dark.svg").read_text()
    with (tmp_path / "one" / "X.csv").open() as file:
        assert list(csv.DictReader(file).fieldnames) == ["panel", "series", "x", "y", "error", "value"]


def test_panels_are_stacked():
    figure = render(lambda upper, lower: upper.plot([0, 1]) and lower.plot([1, 0]), "light", panels=2)
    upper, lower = figure.axes
    assert upper.get_position().y0 > lower.get_position().y1
