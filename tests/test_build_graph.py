"""What a change re-runs: GNU make's answer for every source file, against the rule of the provenance hash."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from featurelearning.provenance import LOCK, content_hash, library_files

LATER = 2_000_000_000  # any time after now: the file counts as changed


def notebooks_of(root: Path) -> list[str]:
    pages = [p for p in (root / "book").rglob("*.md") if re.search("^kernelspec:", p.read_text(), re.M)]
    return sorted(p.relative_to(root / "book").with_suffix("").as_posix() for p in pages)


@pytest.fixture
def built(checkout: Path) -> Path:
    """A checkout in which every notebook counts as executed."""
    for name in notebooks_of(checkout):
        target = checkout / "_build" / "full" / "executed" / name / "notebook.ipynb"
        target.parent.mkdir(parents=True)
        target.touch()
        os.utime(target, (LATER - 100, LATER - 100))
    return checkout


def reruns(folder: Path) -> set[str]:
    command = ["make", "-n", "--no-print-directory", "-C", str(folder), "notebooks"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"-m featurelearning\.notebooks (\S+)", out))


def changed_hashes(folder: Path, file: Path, notebooks: list[str]) -> set[str]:
    """Notebooks whose content hash changes when one byte of `file` does."""
    before = {name: content_hash(folder, name, {}) for name in notebooks}
    content = file.read_bytes()
    file.write_bytes(content + b"\n")
    changed = {name for name in notebooks if content_hash(folder, name, {}) != before[name]}
    file.write_bytes(content)
    return changed


def test_nothing_changed_runs_nothing(built):
    assert reruns(built) == set()


def test_every_source_file_reruns_exactly_its_notebooks(built):
    notebooks = notebooks_of(built)
    sources = sorted((built / "lib").rglob("*.py")) + [built / LOCK]
    sources += [built / "book" / f"{name}.md" for name in notebooks]
    assert len(sources) > 30
    for file in sources:
        times = file.stat()
        expected = changed_hashes(built, file, notebooks)
        os.utime(file, (LATER, LATER))
        assert reruns(built) == expected, file.relative_to(built)
        os.utime(file, (times.st_atime, times.st_mtime))


def test_a_papers_module_reruns_that_paper_only(built):
    notebooks = notebooks_of(built)
    os.utime(built / "lib" / "featurelearning" / "gauge" / "single.py", (LATER, LATER))
    assert reruns(built) == {name for name in notebooks if name.startswith("gauge/")}


def test_the_command_line_reruns_nothing(built):
    os.utime(built / "lib" / "featurelearning" / "cli.py", (LATER, LATER))
    assert reruns(built) == set()


def test_a_parameter_changes_the_hash(root):
    assert content_hash(root, "gauge/two-paths", {"phi": 1.0}) != content_hash(root, "gauge/two-paths", {"phi": 1.1})


def test_library_files_exist_and_exclude_other_papers(root):
    files = [file.as_posix() for file in library_files(root, "gauge/two-paths")]
    assert any("/gauge/single.py" in file for file in files)
    assert not any("/locality/" in file or "/separation/" in file for file in files)


def test_help_lists_the_targets(root):
    out = subprocess.run(["make", "-C", str(root), "--no-print-directory"], capture_output=True, text=True, check=True).stdout
    for target in ("setup", "book", "test", "figure", "serve", "bench", "lock", "clean"):
        assert re.search(rf"^  make {target} +\S", out, re.M), target
