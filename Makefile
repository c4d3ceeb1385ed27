PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
UV_VERSION := 0.13.9
PEERS := .venv-peers
PEERS_PYTHON ?= python3.12
FRAMEWORKS := .venv-frameworks
FRAMEWORKS_PYTHON ?= python3.12
HOSTS := agent_framework anthropic callback claude_code google_adk langchain openai openai_agents pydantic_ai strands
HOSTS_PYTHON ?= python3.12
# Some hosts only: make test-hosts HOST="langchain strands"
HOST ?= $(HOSTS)
MUTANTS := .venv-mutants
MUTMUT_VERSION := 3.8.1
# Some mutants only: make mutants ONLY='foldproof.evidence.figures.*'
ONLY ?=
SEED ?= 1
# Other conversations than those of the tests: make bench-folds FOLDS=~/transcripts
FOLDS ?=
# Other files than those of the tests, a folder a format: make bench-formats FORMATS=~/transcripts
FORMATS ?=
# To move the pins forward: make lock LOCK_FLAGS=--upgrade
LOCK_FLAGS ?=

COMPILE = .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header $(LOCK_FLAGS)

.DEFAULT_GOAL := help
.PHONY: help demo test test-deep test-frameworks test-hosts test-fuzz test-kill mutants lint format bench bench-archive \
	bench-evidence bench-folds bench-formats bench-peers formats-page hosts-page lock clean pytest python

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## show what foldproof does, on real transcripts
	@$(BIN)/python examples/demo.py

test: $(READY) ## lint and run every test, at the same time
	@$(MAKE) --no-print-directory --jobs=2 lint pytest

pytest: $(READY)
	$(BIN)/pytest -n $(WORKERS)

test-deep: $(READY) ## every law of the window on 100,000 cases, and 10,000 long lives (takes half an hour); SEED=1
	for part in 0 1 2 3 4 5 6 7 8 9; do \
		HYPOTHESIS_PROFILE=part $(BIN)/pytest -n $(WORKERS) --hypothesis-seed=$$(($(SEED) + part)) \
			tests/window/test_every_law.py tests/window/test_machine.py || exit 1; \
	done

test-kill: $(READY) ## kill a process 500 times while it appends, folds and archives (takes minutes); SEED=1
	FOLDPROOF_KILLS=500 FOLDPROOF_SEED=$(SEED) $(BIN)/pytest -s tests/archive/test_kill.py

test-fuzz: $(READY) ## read 100,000 documents with something wrong in them, a format (takes an hour); SEED=1
	FOLDPROOF_FUZZ=100000 $(BIN)/pytest -n $(WORKERS) --hypothesis-seed=$(SEED) tests/transcripts/test_fuzz.py

test-frameworks: $(FRAMEWORKS)/.ready ## let each agent framework write a conversation, and load it again after a fold (takes a minute)
	$(FRAMEWORKS)/bin/pytest tests/frameworks

test-hosts: $(HOST:%=.venv-hosts/%/.ready) ## let every host's own agent loop run, each with its extra alone (takes minutes); HOST=langchain
	@for host in $(HOST); do \
		files=$$(for file in tests/hosts/test_$$host*.py; do \
			for other in $(HOSTS); do \
				case "$$other $$file" in "$${host}_"*" tests/hosts/test_$$other"*) continue 2;; esac; \
			done; echo $$file; done); \
		echo "$$host:"; .venv-hosts/$$host/bin/pytest $$files || exit 1; \
	done

mutants: $(MUTANTS)/.ready ## change the evidence room in thousands of small ways and list what no test notices (takes hours)
	HYPOTHESIS_PROFILE=mutants $(MUTANTS)/bin/mutmut run --max-children $(WORKERS) $(ONLY)
	$(MUTANTS)/bin/mutmut results | grep -v "not checked"

lint: $(READY) ## style, types and floors; changes nothing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/deptry src compactors
	$(BIN)/lint-imports --no-cache

format: $(READY) ## rewrite the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY) ## time what must stay fast; results in .benchmarks/latest.json
	@mkdir -p .benchmarks
	$(BIN)/pytest benchmarks --benchmark-enable --benchmark-json=.benchmarks/latest.json

bench-archive: $(READY) ## what an archive costs beside a plain table and json.loads (takes a minute)
	@$(BIN)/python benchmarks/archive.py

bench-evidence: $(READY) ## how many invented values are caught, how many honest ones accused, and the cost (takes a minute)
	@$(BIN)/python benchmarks/evidence.py

bench-folds: $(READY) ## what survives a fold: ours, a plain cut, what agents wrote; FOLDS=a folder of transcripts
	@$(BIN)/python benchmarks/folds.py $(FOLDS)

bench-formats: $(READY) ## what reading each format costs beside json.loads, and the memory of 1 GB; FORMATS=a folder of folders
	@$(BIN)/python benchmarks/formats.py $(FORMATS)

bench-peers: $(PEERS)/.ready ## time ours beside other frameworks' compaction (takes minutes)
	@$(PEERS)/bin/python benchmarks/window.py

formats-page: $(READY) ## write the tables of docs/formats.md from the formats and their real files
	@$(BIN)/python -m benchmarks.formats_page

hosts-page: $(READY) ## write the tables of docs/hosts.md: one long run on every host, without and with compaction
	@$(BIN)/python -m benchmarks.hosts_page

lock: .venv-lock/.ready ## pin every dependency by hash, as pyproject.toml asks
	$(COMPILE) pyproject.toml -o requirements.txt
	$(COMPILE) pyproject.toml --all-extras --group dev -c requirements.txt -o requirements-dev.txt
	$(subst 3.11,3.12,$(COMPILE)) benchmarks/requirements-peers.in -o benchmarks/requirements-peers.txt
	$(subst 3.11,3.12,$(COMPILE)) tests/frameworks/requirements.in -o tests/frameworks/requirements.txt
	for host in $(HOSTS); do \
		$(subst 3.11,3.12,$(COMPILE)) pyproject.toml --extra $$host tests/hosts/requirements/tests.in -c requirements.txt \
			-o tests/hosts/requirements/$$host.txt || exit 1; \
	done

clean: ## remove everything that make made
	rm -rf .venv .venv-lock $(PEERS) $(FRAMEWORKS) .venv-hosts $(MUTANTS) build dist mutants .benchmarks .coverage* htmlcov .hypothesis \
		.import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "foldproof needs Python 3.11 or newer as '$(PYTHON)'; name another with: make PYTHON=python3.12" >&2; exit 1; }

# The stamp is written last, so that an interrupted set-up starts over.
$(READY): requirements-dev.txt pyproject.toml | python
	@rm -f $@
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(PEERS)/.ready: benchmarks/requirements-peers.txt pyproject.toml
	@$(PEERS_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || \
		{ echo "bench-peers needs Python 3.12 or newer as '$(PEERS_PYTHON)'; name another with: make bench-peers PEERS_PYTHON=python3.13" >&2; exit 1; }
	@rm -f $@
	$(PEERS_PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/requirements-peers.txt
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(FRAMEWORKS)/.ready: tests/frameworks/requirements.txt pyproject.toml
	@$(FRAMEWORKS_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || \
		{ echo "test-frameworks needs Python 3.12 or newer as '$(FRAMEWORKS_PYTHON)'; name another with: make test-frameworks FRAMEWORKS_PYTHON=python3.13" >&2; exit 1; }
	@rm -f $@
	$(FRAMEWORKS_PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/frameworks/requirements.txt
	$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv-hosts/%/.ready: tests/hosts/requirements/%.txt pyproject.toml
	@$(HOSTS_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || \
		{ echo "test-hosts needs Python 3.12 or newer as '$(HOSTS_PYTHON)'; name another with: make test-hosts HOSTS_PYTHON=python3.13" >&2; exit 1; }
	@rm -f $@
	$(HOSTS_PYTHON) -m venv .venv-hosts/$*
	.venv-hosts/$*/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $<
	.venv-hosts/$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(MUTANTS)/.ready: requirements-dev.txt pyproject.toml Makefile | python
	@rm -f $@
	$(PYTHON) -m venv $(MUTANTS)
	$(MUTANTS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(MUTANTS)/bin/python -m pip install --quiet --disable-pip-version-check mutmut==$(MUTMUT_VERSION)
	$(MUTANTS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv-lock/.ready: Makefile | python
	@rm -f $@
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
