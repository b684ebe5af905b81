"""Find a Chromium for the browser tests; as root on Debian, install one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
ADVICE = (
    "No Chromium was found, so the tests of the built pages will be skipped. To get one: 'apt-get install chromium' "
    "(Debian, Ubuntu), 'brew install --cask chromium' (macOS), or '.venv/bin/python -m playwright install chromium'; "
    "or set CHROMIUM to the browser's path."
)


def find() -> str | None:
    """Path of a Chromium: the variable CHROMIUM, the system's, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    for name in NAMES:
        if path := shutil.which(name):
            return path
    if MACOS.exists():
        return str(MACOS)
    return _playwrights()


def _playwrights() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Install Debian's package, when this is Debian and we are root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing Chromium for the browser tests ...", flush=True)
        quiet = {"stdout": subprocess.DEVNULL, "check": False, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-q"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"], **quiet)


if __name__ == "__main__":
    if find() is None:
        install()
    if find() is None:
        print(ADVICE)
