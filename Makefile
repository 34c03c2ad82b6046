# Bare `make` prints the targets. Each writing target has a checking twin: format / lint, bindings / check-bindings.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Nothing is resolved while installing, since the pins are complete and hashed; and nothing is compiled, since Python
# does that for what is imported, which halves the wait.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
DEV_STAMP := $(VENV)/.installed-dev
RUN_STAMP := $(VENV)/.installed-run
OWN_STAMP := $(VENV)/.installed-kinpost
# Not npm's own file: the demo installs what it needs to run, without the tools.
NODE_STAMP := node_modules/.installed-dev
PYTEST_WORKERS ?= 2
ARGS ?=
# Nothing for SQLite, a URL, or `postgres` for a server that is started for the occasion.
DATABASE ?=
DATABASE_URL = $(if $(filter postgres,$(DATABASE)),{url},$(DATABASE))
DEMO_DATABASE = $(if $(filter postgres,$(DATABASE)),$(BIN)/python scripts/with-postgres)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install install-run demo serve test lint format types walls proto-lint bindings check-bindings \
	node_modules typescript-client docs bench torture requirements clean

help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z_-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# --- installing -------------------------------------------------------------------------------------------------

install: $(DEV_STAMP) $(OWN_STAMP) ## Install what developing and testing need into .venv

install-run: $(RUN_STAMP) $(OWN_STAMP) ## Install only what running needs into .venv

# One after the other, also under `make -j`, since two pips in one environment disturb each other.
$(RUN_STAMP): requirements/run.txt | $(BIN)/python
	@echo 'Installing into $(VENV): about half a minute, the first time.'
	@$(PIP_INSTALL) --require-hashes -r requirements/run.txt
	@touch $@

$(OWN_STAMP): pyproject.toml | $(RUN_STAMP)
	@$(PIP_INSTALL) --no-build-isolation -e .
	@touch $@

$(DEV_STAMP): requirements/dev.txt | $(OWN_STAMP)
	@echo 'Installing the tools of a developer into $(VENV): about half a minute, the first time.'
	@$(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kinpost needs Python 3.11 or newer; try make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV)

node_modules: $(NODE_STAMP) ## Install the TypeScript tools into node_modules

# Exactly as locked, and no package's own script is run: none needs it.
$(NODE_STAMP): package-lock.json package.json $(wildcard */typescript/package.json)
	@command -v npm >/dev/null || { echo 'The TypeScript bindings need Node 20 or newer, with npm' >&2; exit 1; }
	@echo 'Installing the TypeScript tools into node_modules.'
	@npm ci --ignore-scripts --loglevel=error
	@touch $@

# --- running ----------------------------------------------------------------------------------------------------

demo: $(if $(DATABASE),install,install-run) ## Watch three agents write to each other; DATABASE=postgres: over PostgreSQL
	@$(DEMO_DATABASE) $(BIN)/python scripts/demo $(if $(DATABASE),--database $(DATABASE_URL)) $(ARGS)

serve: install-run ## Run the service: ARGS="--help" lists its options
	@$(BIN)/kinpost serve $(ARGS)

# --- checking ---------------------------------------------------------------------------------------------------

# One recipe, in this order, so that the output ends with pytest's own closing line, under `make -j` too.
test: install node_modules ## Check everything: lint, types, walls, contract, bindings, tests
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory walls
	@$(MAKE) --no-print-directory proto-lint
	@$(MAKE) --no-print-directory check-bindings
	@$(BIN)/pytest -n $(PYTEST_WORKERS) $(ARGS)

lint: install ## Check style and format of the Python code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: install ## Rewrite style and format of the Python code and the contract
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/buf format --write proto

types: install ## Check types with mypy, strict
	$(BIN)/mypy

walls: install ## Check that no room imports what it must not
	$(BIN)/lint-imports --no-logo

proto-lint: install ## Check style and format of the contract
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto

bindings: install node_modules ## Write the bindings from the contract
	$(BIN)/python scripts/generate-bindings

check-bindings: install node_modules ## Check that the committed bindings are those of the contract
	$(BIN)/python scripts/check-bindings

typescript-client: node_modules ## Compile the TypeScript client; its tests check that this was done
	npm run --silent build --workspace @kinpost/client

docs: install ## Build the documentation into build/docs, and check its links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'build/docs/index.html'

bench: install ## Measure beside a bare echo server; DATABASE=postgres: over PostgreSQL too
	@$(BIN)/python scripts/bench $(if $(DATABASE),--database $(DATABASE)) $(ARGS)

torture: install ## Kill the server under load, again and again, and look for lost mail
	@$(BIN)/python scripts/torture $(ARGS)

# --- keeping ----------------------------------------------------------------------------------------------------

UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

# The .txt files are not make targets: a fresh clone gives all files one age, and must not pin anew.
requirements: install ## Pin the newest allowed versions into requirements/*.txt
	$(UV_COMPILE) --upgrade requirements/run.in --output-file requirements/run.txt
	$(UV_COMPILE) --upgrade requirements/dev.in --output-file requirements/dev.txt

clean: ## Remove the environment, caches and build leftovers
	rm -rf $(VENV) node_modules build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find server clients bindings tests scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
