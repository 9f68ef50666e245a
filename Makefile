# What a person or a CI run does with this repository is one of these targets.
# Each leaves a stamp behind and does nothing when it is up to date.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
ARGS ?=
UV := .uv/bin/uv
INSTALL := $(UV) pip install --quiet --python .venv/bin/python --no-deps
COMPILE := $(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header
LIBRARY := src/windowpane/web/static/lib

.PHONY: help install run test check docs bench lock clean

help: ## show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

install: .venv/.project ## everything that running needs, in .venv

run: install ## start the server and open the page; ARGS="--port 8001" are passed on
	.venv/bin/windowpane serve $(ARGS)

test: .venv/.dev frontend/node_modules/.dev ## every test; ARGS="-k plan" are passed to pytest
	files=$$(find tests/js -name '*.test.js' 2>/dev/null || true); \
	if [ -n "$$files" ]; then node --test $$files; fi
	.venv/bin/python -m pytest $(ARGS)

check: .venv/.dev frontend/node_modules/.dev ## format, lint, types, documentation
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	frontend/node_modules/.bin/pyright
	frontend/node_modules/.bin/tsc --project frontend/tsconfig.json
	.venv/bin/python -m pytest -q tests/test_architecture.py tests/test_repository.py $(wildcard tests/docs)

docs: .venv/.dev ## write the program's help into docs/cli.md
	.venv/bin/python docs/write_help.py

bench: .venv/.dev ## every number of the benchmarks, one JSON line each
	.venv/bin/python -m bench $(ARGS)

lock: $(UV) ## resolve the newest versions anew
	$(COMPILE) --upgrade --extra demo-model pyproject.toml --output-file requirements.lock
	$(COMPILE) --upgrade --group dev --constraint requirements.lock --output-file requirements-dev.lock
	# With packages in place npm would copy from them and leave their hashes out.
	cd frontend && rm -rf node_modules package-lock.json && npm install --package-lock-only

clean: ## remove everything that these targets made
	rm -rf .uv .venv dist test-results .pytest_cache .ruff_cache .hypothesis $(LIBRARY) frontend/node_modules
	find src tests bench -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# uv lives beside the environment, so that .venv holds the product and nothing else.
$(UV): requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv --clear .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check \
		$$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements-dev.lock)
	touch $@

.venv/.runtime: $(UV) requirements.lock
	[ -x .venv/bin/python ] || $(UV) venv --quiet --python $(PYTHON) .venv
	$(INSTALL) --require-hashes --requirement requirements.lock
	touch $@

# Built in isolation, but with the locked build packages.
.venv/.project: .venv/.runtime pyproject.toml hatch_build.py frontend/package-lock.json
	rm -rf $(LIBRARY)
	$(INSTALL) --reinstall-package windowpane --build-constraint requirements-dev.lock --editable .
	touch $@

.venv/.dev: .venv/.project requirements-dev.lock
	$(INSTALL) --require-hashes --requirement requirements-dev.lock
	touch $@

frontend/node_modules/.dev: frontend/package-lock.json
	cd frontend && npm ci --ignore-scripts
	touch $@
