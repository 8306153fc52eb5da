# Everything a person needs: each target first sets up what it needs, in .venv and nowhere else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
# Bytecode is kept, whatever the environment says: otherwise each process of the tests spends 6 s on compiling them anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo check test fast install native lint bench docs lock clean

demo: install ## the main job: Frugal against the floodings, figures 17 to 20, at quick scale
	$(BIN)/roamcast reproduce frugal --figure 17 18 19 20 --scale quick

check: install ## the linters and the fast tests side by side, in less than a minute: run it while you work
	@$(MAKE) --no-print-directory -j2 lint fast

fast: install
	$(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal -m "not slow"

test: install native lint ## every test, after the linters; ends with the 20 slowest
	$(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal --durations 20

lint: install ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: install native ## the benchmarks that print this machine's figures
	$(BIN)/python -m benchmarks

docs: install ## rewrite the generated parts of the documentation
	$(BIN)/python docs/generate.py

install: $(STAMP) ## leaves .venv/bin/roamcast

native: $(STAMP) ## compile AODV again if it has changed; without a C compiler it stays Python
	@$(BIN)/python -m roamcast.routing.native || echo "runs over AODV will be slower; their results are the same"

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "roamcast needs Python 3.11 or newer; choose one with: make PYTHON=python3.11" >&2; exit 2; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@echo "preparing: a quick start for Spark, and the compiled simulator"
	@$(BIN)/python -m roamcast.spark.session.make_archive || echo "Spark will start a little slower"
	@rm -rf src/roamcast/__pycache__/*native-*
	@$(BIN)/python -m roamcast.routing.native || echo "runs over AODV will be slower; their results are the same"
	@$(BIN)/roamcast run scenarios/rescue.toml --json > $(VENV)/first-run.json
	@$(BIN)/python -m roamcast.cli.interpreter_build
	@touch $(STAMP)

lock: ## update requirements.lock (needs uv)
	uv pip compile pyproject.toml --group pyproject.toml:dev --generate-hashes --universal --no-header \
	  --no-annotate --python-version 3.11 --quiet --output-file requirements.lock

clean: ## remove the environment and what the commands made
	rm -rf $(VENV) src/roamcast/__pycache__/*native-* results .mypy_cache .ruff_cache .pytest_cache
