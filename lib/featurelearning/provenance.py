"""Where a result came from: content hash, commit, version, and the files that decide a notebook."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import featurelearning
from featurelearning.claims import PAPERS

__all__ = ["commit", "content_hash", "find_root", "library_files", "provenance"]

LOCK = "requirements.lock"
# The command line starts notebooks but no notebook reads it.
NOT_READ_BY_NOTEBOOKS = ("cli.py", "__main__.py")


def find_root(start: Path | None = None) -> Path:
    """Folder of the checkout: the first with ``book/_toc.yml`` above `start`, else above the package.

    Raises
    ------
    FileNotFoundError
        If there is none; says where it looked.
    """
    start = (start or Path.cwd()).resolve()
    package = Path(featurelearning.__file__).resolve().parent
    for folder in (start, *start.parents, *package.parents):
        if (folder / "book" / "_toc.yml").is_file() and (folder / "lib" / "featurelearning").is_dir():
            return folder
    raise FileNotFoundError(
        "the book's notebooks were not found in this folder, above it, or beside the installed package: "
        "run the command inside a checkout of the repository"
    )


def library_files(root: Path, notebook: str) -> list[Path]:
    """Library modules whose change re-runs `notebook`: the shared ones and those of its own paper.

    The Makefile states the same rule; a test holds the two against each other.
    """
    package = root / "lib" / "featurelearning"
    folders = [package, package / "gaussian", package / "claims"]
    paper = notebook.split("/")[0]
    if paper in PAPERS:
        folders += [package / paper, package / "claims" / paper]
    files = [file for folder in folders for file in sorted(folder.glob("*.py"))]
    return [file for file in files if file.relative_to(package).as_posix() not in NOT_READ_BY_NOTEBOOKS]


def content_hash(root: Path, notebook: str, parameters: Mapping[str, Any]) -> str:
    """SHA-256 over the notebook's source, its parameters, its library files and the lock file."""
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True, default=list).encode())
    for file in [root / "book" / f"{notebook}.md", root / LOCK, *library_files(root, notebook)]:
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def commit(root: Path) -> str:
    """Short commit of the checkout, with ``+changes`` if tracked files differ; ``unknown`` without git."""
    try:
        run = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--dirty=+changes"],
            capture_output=True, text=True, check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def provenance(root: Path, notebook: str, preset: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Everything needed to make a result again, as plain JSON types."""
    return {
        "notebook": notebook,
        "preset": preset,
        "seed": parameters.get("seed"),
        "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in parameters.items()},
        "version": featurelearning.__version__,
        "commit": commit(root),
        "content_hash": content_hash(root, notebook, parameters),
    }
