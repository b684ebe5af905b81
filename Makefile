# Sharing, Scales and Gauge: every target sets up what it needs.
# PRESET=quick builds the same book with smaller sizes, in _build/quick.

PRESET ?= full
PYTHON ?= python3
ID ?= C5

VENV   := .venv
READY  := $(VENV)/installed
PY     := $(VENV)/bin/python
OUT    := _build/$(PRESET)
DONE   := $(OUT)/executed
STAGE  := $(OUT)/stage
HTML   := $(OUT)/html

# A page with a kernel in its header is a notebook; its folder names its paper.
NOTEBOOKS := $(sort $(patsubst book/%.md,%,$(shell grep -l '^kernelspec:' book/*/*.md)))
PAPERS    := locality separation gauge
EXECUTED  := $(patsubst %,$(DONE)/%/notebook.ipynb,$(NOTEBOOKS))

# The files whose change re-runs a notebook; lib/featurelearning/provenance.py states the same rule.
L      := lib/featurelearning
SHARED := $(filter-out $(L)/cli.py $(L)/__main__.py,$(wildcard $(L)/*.py)) \
          $(wildcard $(L)/gaussian/*.py $(L)/claims/*.py) requirements.lock
PAGES  := $(shell find book -type f)

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif
export PYTHONDONTWRITEBYTECODE := 1
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help setup book notebooks test bench figure serve lock clean browser
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## create .venv from requirements.lock and install the package

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v < (3, 14) else \
	  f"Python {v[0]}.{v[1]} found; 3.11 or 3.12 is needed: make PYTHON=python3.12 ...")'
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

book: $(HTML)/index.html ## build the whole book: _build/full/html/index.html
	@$(PY) -m featurelearning.verdicts $(OUT)/figures/claims
	@echo "open $(HTML)/index.html"

notebooks: $(EXECUTED) ## execute what changed, without building pages

define paper_rules
$(DONE)/$(1)/%/notebook.ipynb: book/$(1)/%.md $(SHARED) $(wildcard $(L)/$(1)/*.py $(L)/claims/$(1)/*.py) | $(READY)
	@$(PY) -m featurelearning.notebooks $(1)/$$* --preset $(PRESET) --into $(DONE)
endef
$(foreach paper,$(PAPERS),$(eval $(call paper_rules,$(paper))))

# The pages are built beside the last good book, and take its place only when Sphinx had no warning.
$(HTML)/index.html: $(EXECUTED) $(PAGES) CITATION.cff | $(READY)
	@rm -rf $(STAGE) $(OUT)/next $(OUT)/figures && mkdir -p $(STAGE) $(OUT)/figures/claims
	@cp -R book/. $(STAGE)
	@mkdir -p $(STAGE)/figures
	@for page in $(NOTEBOOKS); do \
	  rm $(STAGE)/$$page.md && cp $(DONE)/$$page/notebook.ipynb $(STAGE)/$$page.ipynb || exit 1; \
	  if [ -d $(DONE)/$$page/figures ]; then cp $(DONE)/$$page/figures/* $(STAGE)/figures || exit 1; fi; \
	  if [ -d $(DONE)/$$page/claims ]; then cp $(DONE)/$$page/claims/* $(OUT)/figures/claims || exit 1; fi; \
	done
	@cp -R $(STAGE)/figures/. $(OUT)/figures
	@$(PY) -m featurelearning.verdicts $(OUT)/figures/claims --write $(STAGE)/measured
	@if [ $(PRESET) = full ]; then rm -rf figures/claims && mkdir -p figures && cp -R $(OUT)/figures/. figures; fi
	$(VENV)/bin/jupyter-book build $(STAGE) --path-output $(OUT)/next -W -n --keep-going -q
	@cp -R "$$($(PY) -c 'import importlib.util as u; print(u.find_spec("sphinx-mathjax-offline").submodule_search_locations[0])')/static/mathjax" $(OUT)/next/mathjax
	@mkdir -p $(OUT)/next/_build/html/_static/mathjax/output/chtml
	@cp $(OUT)/next/mathjax/tex-chtml.js $(OUT)/next/_build/html/_static/mathjax
	@cp -R $(OUT)/next/mathjax/output/chtml/fonts $(OUT)/next/_build/html/_static/mathjax/output/chtml
	@rm -rf $(OUT)/last && if [ -d $(HTML) ]; then mv $(HTML) $(OUT)/last; fi
	@mv $(OUT)/next/_build/html $(HTML) && rm -rf $(OUT)/next $(OUT)/last && touch $@

browser: $(READY)
	@$(PY) tests/book/chromium.py

test: $(READY) browser ## run all tests on the quick book
	@$(MAKE) --no-print-directory book PRESET=quick
	$(PY) -m pytest $(PYTEST)

bench: $(READY) ## measure the speed claims, as ratios in one run
	@for script in $(wildcard tests/bench/bench_*.py); do echo "== $$script"; $(PY) $$script || exit 1; done

figure: $(READY) ## make one figure again: make figure ID=C5
	@$(VENV)/bin/featurelearning figure $(ID) --preset $(PRESET)

serve: $(HTML)/index.html ## read the book at http://localhost:8000
	@$(PY) -m http.server --directory $(HTML) 8000

lock: ## solve the versions again: requirements.lock and environment.yml
	rm -rf _build/uv && $(PYTHON) -m venv _build/uv && _build/uv/bin/python -m pip install --quiet uv
	_build/uv/bin/uv pip compile --quiet --universal --upgrade --generate-hashes --python-version 3.11 --all-extras \
	  --no-annotate --no-header pyproject.toml --output-file requirements.lock
	{ printf '%s\n' '# Written by "make lock" from requirements.lock: the same versions for conda and Binder.' \
	  'name: featurelearning' 'channels: [conda-forge]' 'dependencies:' '  - python=3.11' '  - pip' '  - make' '  - git' '  - pip:' && \
	  sed -n 's/^\([A-Za-z0-9._-]*==.*[^ ]\) *\\$$/      - "\1"/p' requirements.lock && \
	  echo '      - --editable .'; } > environment.yml

clean: ## remove what builds wrote; keeps .venv
	rm -rf _build figures
