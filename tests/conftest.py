"""Shared fixtures, and the option that turns a skipped test into a failed run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"))


def pytest_addoption(parser):
    parser.addoption("--forbid-skips", action="store_true", help="fail if any test was skipped")


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--forbid-skips") and exitstatus == 0 and reporter.stats.get("skipped"):
        reporter.write_line(f"{len(reporter.stats['skipped'])} tests were skipped, and --forbid-skips was given")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def quick_book() -> Path:
    """The folder of the quick build, which ``make test`` makes first."""
    folder = ROOT / "_build" / "quick"
    if not (folder / "html" / "index.html").is_file():
        pytest.fail("the quick book is missing: run 'make test', or 'make book PRESET=quick' first")
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources that a test may damage, with this checkout's environment linked in."""
    copy = tmp_path / "a copy"
    copy.mkdir()
    for name in ("lib", "book"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "CITATION.cff"):
        shutil.copy2(ROOT / name, copy / name)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    return copy
