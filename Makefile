# Everything a developer runs. `make test` is what CI runs; `make demo` needs Python alone.
PYTHON ?= python3
# Each worker of the tests starts an API server of its own: about 1 GB of memory.
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

.PHONY: help demo test test-unit lint bench clean

help: ## list the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -e '.[action]' --group dev
	@touch $@ $(VENV)/demo.stamp

demo: $(VENV)/demo.stamp ## see a plan and a drift report, without a cluster
	@$(BIN)/python examples/gitops-lab/demo.py

lint: $(VENV)/dev.stamp ## style, types, and the rules between layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-unit: $(VENV)/dev.stamp ## the pure tests, in seconds
	$(BIN)/pytest tests/unit

test: lint ## everything, with a real API server
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

bench: $(VENV)/dev.stamp ## timings next to a peer in the same run
	$(BIN)/python -m tests.bench

clean: ## forget the environment
	rm -rf $(VENV)
