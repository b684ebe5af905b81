"""Text notebooks: declared parameters, pages in the table of contents, provenance of what the quick build made."""

from __future__ import annotations

import ast
import json
import re

import pytest

from featurelearning import claims, notebooks
from featurelearning.notebooks import NotebookError
from featurelearning.provenance import content_hash
from featurelearning.verdicts import read_records

PAGES = sorted({claim.notebook for claim in claims.load()})
RESERVED = {"preset", "output", "seed"}


def parameters_cell(root, notebook):
    (cell,) = [c for c in notebooks.read(root, notebook).cells if "parameters" in c.metadata.get("tags", ())]
    return cell.source


@pytest.mark.parametrize("notebook", PAGES)
def test_parameters_cell_is_what_the_claims_declare(root, notebook):
    source = parameters_cell(root, notebook)
    names = {target.id for node in ast.parse(source).body for target in node.targets}
    declared = {p.name for claim in notebooks.claims_of(notebook) for p in claim.parameters}
    assert names == declared | RESERVED
    for line in source.splitlines():
        assert "#" in line, f"say what it is: {line}"
    text = "\n".join(cell.source for cell in notebooks.read(root, notebook).cells if cell.cell_type == "code")
    for name in declared:
        assert re.search(rf"\b{name}={name}\b", text), f"{name} is declared but not handed to the page"


@pytest.mark.parametrize("notebook", PAGES)
def test_page_is_in_the_contents_and_shows_its_claims(root, notebook):
    assert f"file: {notebook}\n" in (root / "book" / "_toc.yml").read_text() + "\n"
    text = (root / "book" / f"{notebook}.md").read_text()
    for claim in notebooks.claims_of(notebook):
        assert f'page.measure("{claim.id}")' in text
        assert f'page.verdict("{claim.id}")' in text
    assert "```{exercise}" in text and "```{solution}" in text


def test_unknown_page_lists_the_pages(root):
    with pytest.raises(NotebookError, match="gauge/two-paths"):
        notebooks.read(root, "gauge/no-such-page")


def test_reading_twice_gives_the_same_notebook(root):
    assert notebooks.read(root, "gauge/two-paths") == notebooks.read(root, "gauge/two-paths")


def test_overrides_are_typed():
    claim = claims.find("C5")
    assert notebooks.overrides_for(claim, "quick", {"phi": "1.2", "D": "4,8"}) == {"phi": 1.2, "D": [4.0, 8.0]}


def test_quick_build_measured_every_claim(quick_book):
    built = [record["id"] for record in read_records(quick_book / "figures" / "claims")]
    assert sorted(built) == sorted(claim.id for claim in claims.load())


def test_no_artefact_is_stale(root, quick_book):
    records = [json.loads(path.read_text()) for path in (quick_book / "figures").glob("*.json")]
    records += [record["provenance"] for record in read_records(quick_book / "figures" / "claims")]
    assert len(records) >= 2 * len(PAGES)
    for record in records:
        assert record["content_hash"] == content_hash(root, record["notebook"], record["parameters"]), record["notebook"]
        assert {"seed", "preset", "version", "commit"} <= set(record)


def test_every_figure_has_its_files(quick_book):
    figures = quick_book / "figures"
    for path in figures.glob("*.json"):
        record = json.loads(path.read_text())
        for suffix in (".svg", "-dark.svg", ".png", ".csv"):
            assert (figures / f"{path.stem}{suffix}").stat().st_size > 100
        assert len(record["alt"]) > 40


def test_executed_notebooks_tell_nothing_of_the_machine(root, quick_book):
    executed = list((quick_book / "executed").rglob("notebook.ipynb"))
    assert len(executed) == len(PAGES)
    for path in executed:
        text = path.read_text()
        assert str(root) not in text and "/tmp/" not in text and "/home/" not in text, path
        assert '"output_type": "error"' not in text
        assert '"name": "stderr"' not in text, f"{path} printed a warning"
