"""Execute the book's text notebooks: typed parameters in, a finished folder or nothing out.

jupytext turns the text into a notebook, papermill runs it with injected parameters in a scratch
folder, and only a run that ended well is moved into place, by one rename.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from featurelearning import claims
from featurelearning.claims import PRESETS, Claim, ParameterError
from featurelearning.provenance import find_root
from featurelearning.threads import one_thread_each

__all__ = ["NotebookError", "claims_of", "execute", "main", "overrides_for", "publish", "read"]

CELL_TIMEOUT = 1800  # seconds; papermill's default is to wait for ever
EXECUTED, FAILED = "notebook.ipynb", "failed.ipynb"


class NotebookError(RuntimeError):
    """A notebook that could not be found, or a cell that failed; the message names both."""


def claims_of(notebook: str) -> tuple[Claim, ...]:
    """The claims that page `notebook` shows."""
    return tuple(claim for claim in claims.load(notebook.split("/")[0]) if claim.notebook == notebook)


def overrides_for(claim: Claim, preset: str, raw: Mapping[str, str]) -> dict[str, Any]:
    """Checked and typed `raw` values of `claim`'s parameters, lists as lists (papermill's type).

    Raises
    ------
    ParameterError
        On an unknown name or a value that does not fit, before anything is written.
    """
    values = claim.resolve(preset, raw)
    return {name: list(v) if isinstance(v := values[name], tuple) else v for name in raw}


def read(root: Path, notebook: str) -> nbformat.NotebookNode:
    """The text notebook ``book/NOTEBOOK.md`` as a notebook with repeatable cell ids.

    Raises
    ------
    NotebookError
        If there is no such file.
    """
    source = root / "book" / f"{notebook}.md"
    if not source.is_file():
        known = sorted(p.relative_to(root / "book").with_suffix("").as_posix() for p in (root / "book").rglob("*.md"))
        raise NotebookError(f"book/{notebook}.md does not exist; the pages are: {', '.join(known)}")
    book = jupytext.read(source)
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell-{number}"
    return book


@dataclass(frozen=True)
class Executed:
    """Where a run left its files, and how long it took."""

    folder: Path
    seconds: float


def execute(
    root: Path, notebook: str, scratch: Path, *, preset: str = "full",
    overrides: Mapping[str, Any] | None = None, progress: bool = False,
) -> Executed:
    """Run `notebook` in the empty folder `scratch`.

    Leaves there ``notebook.ipynb`` (executed, free of machine paths), ``figures/`` and ``claims/``.

    Raises
    ------
    NotebookError
        If a cell fails; names the notebook, the cell and the error. The notebook as far as it ran
        stays in `scratch` as ``failed.ipynb``.
    """
    if preset not in PRESETS:
        raise ParameterError(f"preset = {preset!r} is unknown; allowed: {' or '.join(PRESETS)}")
    source, result = scratch / "source.ipynb", scratch / FAILED
    nbformat.write(read(root, notebook), source)
    start = time.perf_counter()
    try:
        with one_thread_each():
            papermill.execute_notebook(
                str(source), str(result), cwd=str(scratch), progress_bar=progress, log_output=False,
                parameters={"preset": preset, "output": ".", **(overrides or {})},
                execution_timeout=CELL_TIMEOUT, kernel_name="python3",
            )
    except PapermillExecutionError as error:
        raise NotebookError(_explain(notebook, result, error)) from None
    finally:
        source.unlink(missing_ok=True)
    finished = nbformat.read(result, as_version=4)
    finished.metadata.pop("papermill", None)  # holds paths of this machine
    for cell in finished.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)  # and when: the same run gives the same bytes
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell["id"] = "injected-parameters"
            cell.metadata.tags.append("remove-cell")  # the provenance line under each figure shows the values
    nbformat.write(finished, scratch / EXECUTED)
    result.unlink()
    return Executed(scratch, time.perf_counter() - start)


def publish(folder: Path, destination: Path) -> None:
    """Put a finished `folder` in the place of `destination`; a reader sees the old one or the new one."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    old = destination.with_name(destination.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        os.replace(destination, old)
    os.replace(folder, destination)
    shutil.rmtree(old, ignore_errors=True)


def _explain(notebook: str, failed: Path, error: PapermillExecutionError) -> str:
    cells = nbformat.read(failed, as_version=4).cells
    broken = next((i for i, c in enumerate(cells) for o in c.get("outputs", ()) if o.output_type == "error"), None)
    first = cells[broken].source.strip().splitlines()[0] if broken is not None else "?"
    name = cells[broken].id if broken is not None else "?"
    return (
        f"book/{notebook}.md failed in {name}, code cell [{error.exec_count}], which begins\n"
        f"    {first}\n  {error.ename}: {error.evalue}\n  the notebook as far as it ran:"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run one notebook for the Makefile: ``python -m featurelearning.notebooks NAME --into FOLDER``."""
    parser = argparse.ArgumentParser(prog="python -m featurelearning.notebooks", description=main.__doc__)
    parser.add_argument("notebook")
    parser.add_argument("--preset", default="full", choices=PRESETS)
    parser.add_argument("--into", type=Path, required=True, help="folder of all executed notebooks")
    options = parser.parse_args(arguments)
    root = find_root()
    into = options.into.resolve()
    scratch = into.parent / "running" / options.notebook
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    print(f"[{options.notebook}] running ({options.preset})", flush=True)
    try:
        run = execute(root, options.notebook, scratch, preset=options.preset)
    except NotebookError as error:
        print(f"[{options.notebook}] {error}\n  {os.path.relpath(scratch / FAILED)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"[{options.notebook}] interrupted; nothing was changed", file=sys.stderr)
        return 130
    publish(run.folder, into / options.notebook)
    print(f"[{options.notebook}] done in {run.seconds:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
