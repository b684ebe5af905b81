"""Building for real, on a book of three pages: failures, interrupts, starting places, a broken claim."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
TINY = """
# A tiny page

```{code-cell} ipython3
:tags: [parameters]

preset, output = "full", None
```

```{code-cell} ipython3
import time

time.sleep(SECONDS)
print("the answer is", 6 * 7)
```
"""
TOC = """format: jb-book
root: index
chapters:
  - file: scoreboard
  - file: gauge/PAGE
  - file: references
"""


def make(folder: Path, *arguments: str, start: Path | None = None, **options) -> subprocess.CompletedProcess:
    environment = os.environ | {"PYTHONPATH": str(folder / "lib")}
    environment.pop("MAKEFLAGS", None)
    command = ["make", "--no-print-directory", "-C", os.path.relpath(folder, start or folder), "PRESET=quick", *arguments]
    return subprocess.run(command, cwd=start or folder, env=environment, capture_output=True, text=True, check=False, **options)


def small_book(folder: Path, page: str) -> None:
    """Reduce the copy's book to the first page, the scoreboard and one page of part C."""
    book = folder / "book"
    for other in book.glob("*/*.md"):
        if other.relative_to(book).with_suffix("").as_posix() != f"gauge/{page}":
            other.unlink()
    (book / "how-to.md").unlink()
    (book / "_toc.yml").write_text(TOC.replace("PAGE", page))
    index = (book / "index.md").read_text()
    (book / "index.md").write_text(index[: index.index("## The question")] + "{cite}`cho2009`\n")


def tiny(folder: Path, seconds: float = 0, extra: str = "") -> Path:
    page = folder / "book" / "gauge" / "tiny.md"
    page.write_text(HEADER + TINY.replace("SECONDS", str(seconds)) + extra)
    return page


def digest(folder: Path) -> dict[str, str]:
    files = [p for p in sorted(folder.rglob("*")) if p.is_file()]
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture
def book(checkout: Path) -> Path:
    tiny(checkout)
    small_book(checkout, "tiny")
    return checkout


HTML = "_build/quick/html"
TARGET = f"{HTML}/index.html"


def test_a_failing_cell_stops_the_build_and_keeps_the_last_good_book(book):
    assert make(book, TARGET).returncode == 0
    good = digest(book / HTML)
    tiny(book, extra='\n```{code-cell} ipython3\nplanted = 1 / 0\n```\n')
    run = make(book, TARGET)
    assert run.returncode != 0
    for word in ("book/gauge/tiny.md", "cell-", "planted = 1 / 0", "ZeroDivisionError"):
        assert word in run.stderr
    assert digest(book / HTML) == good
    tiny(book)
    assert make(book, TARGET).returncode == 0
    assert digest(book / HTML) == good


def test_a_sphinx_warning_stops_the_build_and_keeps_the_last_good_book(book):
    assert make(book, TARGET).returncode == 0
    good = digest(book / HTML)
    tiny(book, extra="\nA link to [nowhere](no-such-page.md).\n")
    run = make(book, TARGET)
    assert run.returncode != 0
    assert "no-such-page" in run.stdout + run.stderr
    assert digest(book / HTML) == good


def test_three_starting_directories_give_the_same_book(book, tmp_path):
    books = []
    for start in (book, tmp_path, book / "book" / "gauge"):
        assert " " in str(book)
        shutil.rmtree(book / "_build", ignore_errors=True)
        run = make(book, TARGET, start=start)
        assert run.returncode == 0, run.stderr
        books.append(digest(book / HTML))
    assert books[0] == books[1] == books[2]


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupt_leaves_no_half_written_file(book, kill):
    assert make(book, TARGET).returncode == 0
    good = digest(book / HTML)
    before = digest(book / "_build" / "quick" / "executed")
    tiny(book, seconds=60)
    environment = os.environ | {"PYTHONPATH": str(book / "lib")}
    process = subprocess.Popen(["make", "-C", str(book), "PRESET=quick", TARGET], env=environment, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    for _ in range(200):
        if list((book / "_build" / "quick" / "running").rglob("failed.ipynb")):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the notebook did not start")
    os.killpg(process.pid, kill)
    process.wait(timeout=30)
    assert process.returncode != 0
    assert digest(book / "_build" / "quick" / "executed") == before
    assert digest(book / HTML) == good
    tiny(book)
    assert make(book, TARGET).returncode == 0
    assert digest(book / HTML) == good


def test_a_second_build_does_nothing(book):
    assert make(book, TARGET).returncode == 0
    assert "up to date" in make(book, TARGET).stdout


def test_a_flipped_sign_turns_box_scoreboard_and_exit_code_red(checkout):
    small_book(checkout, "two-paths")
    claim = checkout / "lib" / "featurelearning" / "claims" / "gauge" / "two_paths.py"
    source = claim.read_text()
    sign = "minus = np.array([alignment_time(-size,"
    assert source.count(sign) == 1
    good = make(checkout, "book")
    assert good.returncode == 0, good.stderr
    assert "verdict-fails" not in (checkout / HTML / "scoreboard.html").read_text()

    claim.write_text(source.replace(sign, sign.replace("-size", "+size")))
    command = [str(checkout / ".venv" / "bin" / "python"), "-m", "featurelearning", "check", "C5", "--preset", "quick", "--json"]
    environment = os.environ | {"PYTHONPATH": str(checkout / "lib")}
    check = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert check.returncode == 1
    assert json.loads(check.stdout)["verdict"] == "fails"

    run = make(checkout, "book")
    assert run.returncode != 0
    assert "C5 FAILS" in run.stderr
    page = (checkout / HTML / "gauge" / "two-paths.html").read_text()
    assert re.search(r'class="[^"]*verdict-fails[^"]*admonition|class="admonition[^"]*verdict-fails', page)
    assert "verdict-fails" in (checkout / HTML / "scoreboard.html").read_text()
    assert "1 fails" in (checkout / HTML / "index.html").read_text()
