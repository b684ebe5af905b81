"""One style for every figure, and saving a figure together with its numbers.

Theory is drawn as lines and simulation as markers. Colours are safe for colour-blind readers, and
every series also has a line style or a marker of its own, so that the figures read in greyscale.
Figures are narrow with large letters: they stay readable on a phone.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

__all__ = ["THEMES", "label_values", "plotted_numbers", "render", "save", "simulation", "style", "theory"]

LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Okabe and Ito's hues, darkened on white and lightened on black to at least 4.5:1 contrast.
THEMES = {
    "light": {
        "ink": "#1a1a1a", "grid": "#d9d9d9", "background": "#ffffff", "colormap": "cividis",
        "cycle": ("#0067a3", "#b84a00", "#00785a", "#96406f", "#7a5d00", "#4a4a4a", "#5b3fb0"),
    },
    "dark": {
        "ink": "#f2f2f2", "grid": "#4a4a4a", "background": "none", "colormap": "cividis",
        "cycle": ("#63bdf2", "#ff9d57", "#37cfa0", "#eda3cc", "#f0d54a", "#bdbdbd", "#b7a6ff"),
    },
}
PANEL_SIZE = (5.2, 3.5)  # inches; 500 pixels wide on a page


@contextmanager
def style(theme: str) -> Iterator[None]:
    """Matplotlib settings of the book for `theme` ("light" or "dark")."""
    colours = THEMES[theme]
    ink = colours["ink"]
    settings = {
        "figure.facecolor": colours["background"], "savefig.facecolor": colours["background"],
        "axes.facecolor": colours["background"], "axes.edgecolor": ink, "axes.labelcolor": ink,
        "axes.titlecolor": ink, "text.color": ink, "xtick.color": ink, "ytick.color": ink,
        "axes.prop_cycle": matplotlib.cycler(color=colours["cycle"]),
        "axes.grid": True, "grid.color": colours["grid"], "grid.linewidth": 0.6,
        "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
        "font.size": 13, "axes.titlesize": 13, "legend.fontsize": 12, "legend.frameon": False,
        "lines.linewidth": 2.0, "lines.markersize": 6.5, "image.cmap": colours["colormap"],
        "svg.fonttype": "path", "svg.hashsalt": "featurelearning", "figure.constrained_layout.use": True,
    }
    with matplotlib.rc_context(settings):
        yield


def theory(axes: Axes, x: Any, y: Any, series: int, label: str | None = None, **options: Any) -> None:
    """Draw theory number `series` as a line with its own colour and line style."""
    options = {"color": f"C{series % len(LINE_STYLES)}", "linestyle": LINE_STYLES[series % len(LINE_STYLES)]} | options
    axes.plot(x, y, label=label, **options)


def simulation(
    axes: Axes, x: Any, y: Any, series: int, label: str | None = None, error: Any = None, **options: Any
) -> None:
    """Draw measurement number `series` as open markers; `error` is one standard error, as bars."""
    colour = f"C{series % len(MARKERS)}"
    options = {"marker": MARKERS[series % len(MARKERS)], "color": colour, "linestyle": "none",
               "markerfacecolor": "none", "markeredgewidth": 1.6} | options
    axes.errorbar(x, y, yerr=error, label=label, capsize=2.5, elinewidth=1.3, **options)


def label_values(axis: Axis, values: Any) -> None:
    """Put the ticks of a (logarithmic) `axis` at `values`, written as plain numbers."""
    axis.set_major_locator(FixedLocator([float(value) for value in values]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def render(draw: Callable[..., None], theme: str, panels: int = 1, height: float = 1.0) -> Figure:
    """Figure of `panels` stacked panels, drawn by ``draw(axes_1, axes_2, ...)`` in `theme`."""
    with style(theme):
        figure = Figure(figsize=(PANEL_SIZE[0], PANEL_SIZE[1] * panels * height))
        FigureCanvasAgg(figure)
        draw(*np.atleast_1d(figure.subplots(panels, 1)))
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            if axis.get_scale() == "log":  # labels between the powers of ten run into each other
                axis.set_minor_formatter(NullFormatter())
        figure.draw_without_rendering()
    return figure


def save(draw: Callable[..., None], folder: Path, name: str, panels: int = 1, height: float = 1.0) -> list[str]:
    """Write NAME.svg, NAME-dark.svg, NAME.png and NAME.csv to `folder`; returns the file names.

    The same drawing gives the same bytes (no date inside).
    """
    folder.mkdir(parents=True, exist_ok=True)
    for theme, file in (("light", f"{name}.svg"), ("dark", f"{name}-dark.svg")):
        figure = render(draw, theme, panels, height)
        with style(theme):
            figure.savefig(folder / file, metadata={"Date": None})
            if theme == "light":
                figure.savefig(folder / f"{name}.png", dpi=200)
                _write_csv(folder / f"{name}.csv", plotted_numbers(figure))
    return [f"{name}.svg", f"{name}-dark.svg", f"{name}.png", f"{name}.csv"]


def plotted_numbers(figure: Figure) -> list[dict[str, Any]]:
    """Rows (panel, series, x, y, error, value) read back from what `figure` shows.

    Lines, error bars, scatter points and colour meshes count (not colour bars); `value` is the colour's number.
    """
    rows: list[dict[str, Any]] = []
    for panel, axes in enumerate(axes for axes in figure.axes if axes.get_label() != "<colorbar>"):
        bars = [c for c in axes.containers if isinstance(c, ErrorbarContainer)]
        in_bars = {id(line) for bar in bars for line in (bar.lines[0], *bar.lines[1])}
        for line in axes.lines:
            if id(line) not in in_bars and line.get_transform().contains_branch(axes.transData):
                rows += _rows(panel, line.get_label(), line.get_xdata(), line.get_ydata())
        for bar in bars:
            x, y = bar.lines[0].get_data()
            error = _half_lengths(bar) if bar.has_yerr else np.full(len(x), np.nan)
            rows += _rows(panel, bar.get_label(), x, y, error)
        for collection in axes.collections:
            if isinstance(collection, PathCollection):
                rows += _rows(panel, collection.get_label(), *np.ma.getdata(collection.get_offsets()).T)
            elif isinstance(collection, QuadMesh):
                values = np.ma.getdata(collection.get_array()).ravel()
                rows += _rows(panel, collection.get_label(), *_centres(collection), value=values)
    return rows


def _rows(panel, series, x, y, error=None, value=None) -> list[dict[str, Any]]:
    x, y = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (x, y))
    series = "" if str(series).startswith("_") else series
    return [
        {"panel": panel, "series": series, "x": a, "y": b,
         "error": "" if error is None else error[i], "value": "" if value is None else value[i]}
        for i, (a, b) in enumerate(zip(x, y, strict=True))
    ]


def _half_lengths(bar: ErrorbarContainer) -> np.ndarray:
    segments = bar.lines[2][-1].get_segments()
    return np.array([(s[1, 1] - s[0, 1]) / 2 if len(s) == 2 else np.nan for s in segments])


def _centres(mesh: QuadMesh) -> tuple[np.ndarray, np.ndarray]:
    corners = mesh.get_coordinates()
    centres = (corners[:-1, :-1] + corners[1:, 1:]) / 2
    return centres[..., 0].ravel(), centres[..., 1].ravel()


def _write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["panel", "series", "x", "y", "error", "value"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
