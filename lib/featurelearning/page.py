"""What a notebook of the book uses: measure claims, show verdicts and figures, glue numbers.

A notebook makes one :class:`Page` from its parameters cell. Every number that its prose, boxes,
captions and alt texts show comes from that object, hence from that run.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from IPython.display import display
from myst_nb import glue

from featurelearning import claims, figures
from featurelearning.claims import Check, Outcome
from featurelearning.provenance import find_root, provenance
from featurelearning.verdicts import MARKS, verdict_class

__all__ = ["Page", "show_markdown"]

KINDS = {"theorem": "theorem", "figure": "numerical claim", "beyond": "beyond the paper"}


def show_markdown(text: str, html: str | None = None, plain: str = "") -> None:
    """Display MyST Markdown, which the book typesets; `html` is for a notebook outside the book."""
    bundle = {"text/markdown": text, "text/plain": plain or text}
    display(bundle | ({"text/html": html} if html else {}), raw=True)


class Page:
    """One page of the book while its notebook runs.

    Parameters
    ----------
    notebook : str
        The page's name, e.g. ``"gauge/two-paths"``.
    preset : {"full", "quick"}
        Sizes and tolerances; the code is the same.
    output : str or None
        Folder for the figures and the claims' records; None shows figures inline, writes nothing.
    **values
        Parameter values; None stands for the preset's.

    Raises
    ------
    featurelearning.claims.ParameterError
        If a value does not fit its declaration.
    """

    def __init__(self, notebook: str, preset: str, output: str | None = None, **values: Any) -> None:
        self.notebook = notebook
        self.preset = preset
        self.output = None if output is None else Path(output)
        self.values = {name: value for name, value in values.items() if value is not None}
        self.outcomes: dict[str, Outcome] = {}
        self.root = find_root()

    def measure(self, identifier: str) -> Outcome:
        """Run a claim, keep its record, and glue its numbers.

        The glued names are ``ID.check``, ``ID.check.expected``, ``ID.check.tolerance``,
        ``ID.parameter`` and ``ID.verdict``.
        """
        claim = claims.find(identifier)
        mine = {p.name for p in claim.parameters}
        outcome = claim.run(self.preset, {k: v for k, v in self.values.items() if k in mine})
        self.outcomes[claim.id] = outcome
        if self.output is not None:
            origin = provenance(self.root, self.notebook, self.preset, outcome.parameters)
            _write_json(self.output / "claims" / f"{claim.id}.json", outcome.record() | {"provenance": origin})
        for check in outcome.evidence.checks:
            self.number(f"{claim.id}.{check.name}", check.measured)
            if check.expected is not None:
                self.number(f"{claim.id}.{check.name}.expected", check.expected)
                self.number(f"{claim.id}.{check.name}.tolerance", check.tolerance)
        for name, value in outcome.parameters.items():
            if isinstance(value, (int, float)):
                self.number(f"{claim.id}.{name}", value)
        self.number(f"{claim.id}.verdict", outcome.verdict)
        return outcome

    def number(self, name: str, value: float | int | str) -> None:
        """Glue one number or word of this run, to be quoted in prose by its `name`."""
        glue(name, value if isinstance(value, (str, int)) else float(value), display=False)

    def verdict(self, identifier: str) -> None:
        """Show the claim's box: statement, every check with its expectation, tolerance and reason."""
        outcome = self.outcomes[identifier]
        claim = outcome.claim
        lines = [
            f"({claim.id.lower()})=",
            f":::{{admonition}} {MARKS[outcome.verdict]} {claim.id} {outcome.verdict}",
            f":class: verdict {verdict_class(outcome.verdict)}",
            "",
            f"**{claim.statement}**",
            "",
            *(_check_line(check) for check in outcome.evidence.checks),
            "",
            f"{{.verdict-foot}}\n{KINDS[claim.kind].capitalize()}. Rests on: {claim.source}. "
            f"Preset {self.preset}, {outcome.seconds:.1f} s. "
            f"Alone: `featurelearning check {claim.id} --preset {self.preset}`",
            ":::",
        ]
        show_markdown("\n".join(lines), plain=f"{claim.id} {outcome.verdict}: {claim.statement}")

    def figure(
        self, name: str, draw: Callable[..., None], *, caption: str, alt: str, panels: int = 1, height: float = 1.0
    ) -> None:
        """Draw, save and show a figure, with its provenance folded under it.

        Parameters
        ----------
        name : str
            The figure's id: a claim's id, optionally with a suffix (``"C16-pi6"``).
        draw : callable
            ``draw(axes_1, ...)``, one axes a panel; called once a theme.
        caption, alt : str
            Markdown caption; the finding in words for who cannot see the figure.
        panels, height : int, float
            Number of stacked panels; height of a panel relative to the usual one.
        """
        start = perf_counter()
        if self.output is None:
            display(figures.render(draw, "light", panels, height))
            return
        folder = self.output / "figures"
        figures.save(draw, folder, name, panels, height)
        outcome = self.outcomes.get(name.split("-")[0])
        parameters = outcome.parameters if outcome else self.values
        seconds = perf_counter() - start + (outcome.seconds if outcome else 0.0)
        record = {"id": name, "caption": caption, "alt": alt, "seconds": round(seconds, 2)}
        record |= provenance(self.root, self.notebook, self.preset, parameters)
        _write_json(folder / f"{name}.json", record)
        encoded = base64.b64encode((folder / f"{name}.png").read_bytes()).decode()
        show_markdown(
            _figure_markdown(record, depth=self.notebook.count("/")),
            html=f'<img alt="{_escape(alt)}" width="500" src="data:image/png;base64,{encoded}">',
            plain=alt,
        )


def _check_line(check: Check) -> str:
    mark = "✓" if check.holds else "✗"
    truth = check.expected is None and check.low == check.high == 1.0
    measured = ("true" if check.measured == 1.0 else "false") if truth else f"{check.measured:.6g}"
    about = "" if check.about == "statement" else " *(the paper's explanation)*"
    return (
        f"- {mark} {check.label}: **{measured}**, expected {check.wanted}{about}. "
        f"[Why: {check.reason.rstrip('.')}.]{{.reason}}"
    )


def _figure_markdown(record: dict[str, Any], depth: int) -> str:
    name, up = record["id"], "../" * depth
    alt = _escape(record["alt"])
    parameters = ", ".join(f"{k} = {_short(v)}" for k, v in record["parameters"].items() if k != "seed") or "none"
    seed = record["seed"] if record["seed"] is not None else "none (deterministic)"
    page = record["notebook"].split("/")[-1]
    return "\n".join([
        f":::{{div}} figure-box\n(fig-{name.lower()})=",
        f"![{alt}]({up}figures/{name}.svg){{.only-light}}",
        f"![{alt}]({up}figures/{name}-dark.svg){{.only-dark}}",
        "",
        f"**Figure {name}.** {record['caption']}",
        ":::",
        "",
        f"::::{{dropdown}} Figure {name}: data and provenance",
        ":class-container: provenance",
        "",
        f"{{download}}`{name}.csv <{up}figures/{name}.csv>` · {{download}}`{name}.svg <{up}figures/{name}.svg>` · "
        f"{{download}}`executed notebook <{page}.ipynb>`",
        "",
        f"Parameters: {parameters}. Seed: {seed}. Preset: {record['preset']}. "
        f"Package {record['version']}, commit {record['commit']}, {record['seconds']:.1f} s. "
        f"Again: `featurelearning figure {name.split('-')[0]}`",
        "::::",
    ])


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(_short(v) for v in value) + ")"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _escape(text: str) -> str:
    return text.replace('"', "'").replace("[", "(").replace("]", ")").replace("\n", " ")


def _write_json(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
