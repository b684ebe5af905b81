"""The built pages in headless Chromium, with the network cut off: what a reader sees and can do."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from chromium import ADVICE, find  # noqa: E402

from featurelearning import claims  # noqa: E402

PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 900}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(quick_book):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(quick_book / "html")))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    path = find()
    if path is None:
        pytest.skip(ADVICE)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, site):
    """Open a page of the book; every request off this machine is refused, and any failure is recorded."""
    contexts = []

    def open_(name, viewport=DESKTOP, scheme="light", base=site, **options):
        context = browser.new_context(viewport=viewport, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8_000)
        page.problems = []
        page.route(lambda url: not url.startswith((site, "file:", "data:")), lambda route: route.abort())
        page.on("requestfailed", lambda request: page.problems.append(f"failed: {request.url}"))
        page.on("response", lambda r: page.problems.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        page.on("pageerror", lambda error: page.problems.append(f"script: {error}"))
        page.on("console", lambda m: page.problems.append(f"console: {m.text}") if m.type == "error" else None)
        page.goto(f"{base}/{name}.html", wait_until="load")
        if page.locator(".math").count():
            page.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
            page.evaluate("MathJax.startup.promise.then(() => true)")
        return page

    yield open_
    for context in contexts:
        context.close()


def pages() -> list[str]:
    toc = (Path(__file__).parents[2] / "book" / "_toc.yml").read_text()
    return re.findall(r"(?:root|file): (\S+)", toc)


@pytest.mark.parametrize("name", pages())
def test_page_on_a_desktop(open_page, name):
    page = open_page(name)
    assert page.problems == []
    assert page.locator("mjx-merror").count() == 0
    assert page.locator(".math").count() == page.locator(".math mjx-container").count()
    text = page.locator("article").inner_text()
    assert not re.search(r"\{(glue|ref|cite|download)|\\\(|:::|\bnan\b", text)
    images = page.locator("article img:visible")
    for i in range(images.count()):
        image = images.nth(i)
        alt = image.get_attribute("alt")
        assert alt and not alt.startswith("_images/") and len(alt) > 40, alt
        assert image.evaluate("e => e.complete && e.naturalWidth > 0")
        assert image.get_attribute("src").endswith(".svg"), "vector figures are sharp at any size"


@pytest.mark.parametrize("name", pages())
def test_page_on_a_phone_has_no_sideways_scroll(open_page, name):
    page = open_page(name, viewport=PHONE)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    wide = page.evaluate("""() => [...document.querySelectorAll('article p, article li, article img, article td')]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, .pst-scrollable-table-container, mjx-container'))
        .map(e => e.outerHTML.slice(0, 120))""")
    assert wide == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", pages())
def test_page_is_accessible(open_page, name, scheme):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(open_page(name, scheme=scheme)).response["violations"]
    serious = [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")]
    # docutils writes the bibliography as a list whose entries have a role of their own.
    assert [v for v in serious if "citation-list" not in v[1]] == []


def with_figures() -> list[str]:
    return sorted({claim.notebook for claim in claims.load()})


@pytest.mark.parametrize("name", with_figures())
def test_figures_follow_the_theme(open_page, name):
    for scheme, shown, hidden in (("light", "only-light", "only-dark"), ("dark", "only-dark", "only-light")):
        page = open_page(name, scheme=scheme)
        figures = page.locator(f".figure-box img.{shown}")
        assert figures.count() > 0
        assert all(figures.nth(i).is_visible() for i in range(figures.count()))
        assert page.locator(f".figure-box img.{hidden}:visible").count() == 0
        style = figures.first.evaluate("e => [getComputedStyle(e).filter, getComputedStyle(e).backgroundColor]")
        assert style == ["none", "rgba(0, 0, 0, 0)"], "the theme must not shift the figure's colours"


@pytest.mark.parametrize("name", with_figures())
def test_every_claim_has_its_box_and_its_figure(open_page, quick_book, name):
    page = open_page(name)
    for claim in (claim for claim in claims.load() if claim.notebook == name):
        record = json.loads((quick_book / "figures" / "claims" / f"{claim.id}.json").read_text())
        title = re.compile(rf"\b{claim.id} {record['verdict']}$")
        assert page.locator(".admonition.verdict > .admonition-title", has_text=title).count() == 1
        assert page.locator(".figure-box", has_text=re.compile(rf"Figure {claim.id}[.-]")).count() > 0


def test_search_finds_imbalance(open_page, quick_book, site):
    for base in (site, (quick_book / "html").as_uri()):
        page = open_page("search", base=base)
        page.goto(f"{base}/search.html?q=imbalance")
        page.wait_for_selector("#search-results li", timeout=10_000)
        assert page.locator("#search-results li", has_text="path").count() > 0
        # Opened as a file, the browser itself forbids the excerpts under the results; served, all works.
        assert base != site or page.problems == []


def test_downloads_are_the_runs_own_files(open_page, quick_book):
    page = open_page("gauge/two-paths")
    page.locator("details", has_text="Figure C5").first.click()
    for label, source in (("C5.csv", "figures/C5.csv"), ("C5.svg", "figures/C5.svg"),
                          ("executed notebook", "executed/gauge/two-paths/notebook.ipynb")):
        with page.expect_download() as download:
            page.get_by_role("link", name=label).first.evaluate("link => { link.download = 'file'; link.click(); }")
        assert Path(download.value.path()).read_bytes() == (quick_book / source).read_bytes(), label


def test_the_themes_own_download_button_gives_the_executed_notebook(open_page, quick_book, site):
    page = open_page("gauge/two-paths")
    link = page.locator("a.btn-download-source-button").get_attribute("href")
    body = page.request.get(f"{site}/gauge/{link}").body()
    assert body == (quick_book / "executed" / "gauge" / "two-paths" / "notebook.ipynb").read_bytes()


def test_scoreboard_shows_every_claim_and_links_to_it(open_page):
    page = open_page("scoreboard")
    for claim in claims.load():
        link = page.locator(".scoreboard a", has_text=re.compile(rf"^{claim.id}$"))
        assert link.get_attribute("href") == f"{claim.notebook}.html#{claim.id.lower()}"


def test_provenance_is_folded_and_complete(open_page):
    page = open_page("gauge/two-paths")
    details = page.locator("details", has_text="Figure C5").first
    assert not details.evaluate("e => e.open")
    text = details.text_content()
    for word in ("Parameters: phi =", "Seed:", "Preset: quick", "Package", "commit", " s.", "featurelearning figure C5"):
        assert word in text


def test_dark_button_works(open_page):
    page = open_page("index")
    button = page.locator("button.theme-switch-button:visible").first
    themes = set()
    for _ in range(3):
        button.click()
        themes.add(page.evaluate("document.documentElement.dataset.theme"))
    assert themes == {"light", "dark"}
