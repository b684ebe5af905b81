"""One set of versions: pyproject.toml, requirements.lock and environment.yml agree; citation and workflow are valid."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import featurelearning


def locked(root):
    text = (root / "requirements.lock").read_text()
    return [Requirement(line.rstrip(" \\")) for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]


def environment(root):
    return re.findall(r'^      - "(.*)"$', (root / "environment.yml").read_text(), re.M)


def test_every_locked_package_has_hashes(root):
    text = (root / "requirements.lock").read_text()
    for block in re.split(r"\n(?=[A-Za-z0-9])", text.strip()):
        assert "--hash=sha256:" in block, block.splitlines()[0]


def test_lock_satisfies_pyproject(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    versions = {}
    for requirement in locked(root):
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        versions.setdefault(canonicalize_name(requirement.name), []).append(pin.version)
    extras = project["optional-dependencies"].values()
    for line in [*project["dependencies"], *(line for extra in extras for line in extra)]:
        requirement = Requirement(line)
        found = versions[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in found), (line, found)


def test_environment_has_the_lock_and_the_package(root):
    assert environment(root) == [str(line).strip() for line in lock_lines(root)]
    text = (root / "environment.yml").read_text()
    assert text.rstrip().endswith("- --editable .")
    python = re.search(r"- python=(\S+)", text).group(1)
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert SpecifierSet(project["requires-python"]).contains(python)


def lock_lines(root):
    for line in (root / "requirements.lock").read_text().splitlines():
        if re.match(r"[A-Za-z0-9]", line):
            yield line.rstrip(" \\")


def test_one_version(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    citation = (root / "CITATION.cff").read_text()
    assert project["version"] == featurelearning.__version__
    assert f"\nversion: {featurelearning.__version__}\n" in citation


@pytest.mark.parametrize(("schema", "file"), [
    ("vendor.citation-file-format", "CITATION.cff"),
    ("vendor.github-workflows", ".github/workflows/book.yml"),
])
def test_valid(root, schema, file):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(root / file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_no_registry_address_is_committed(root):
    for name in ("requirements.lock", "environment.yml", "pyproject.toml", "Makefile"):
        assert "://" not in (root / name).read_text().replace("http://localhost:8000", ""), name
