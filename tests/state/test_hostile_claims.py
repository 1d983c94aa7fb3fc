"""Files whose claims cost more than they hold, and models that would: refused before the cost is paid."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import streamboost as sb
from tests.inside.handles import core_of
from tests.state.models import X, Y, manifest_of, pack, unpack, with_manifest


def claims(model: Any, path: Path, change: Any) -> Path:
    """The file of a model with its manifest changed."""
    model.save(path)
    members = unpack(path)
    manifest = manifest_of(members)
    change(manifest)
    return pack(path, with_manifest(members, manifest))


def test_deep_recursion_is_refused_before_any_work() -> None:
    model = sb.OnlineMBBMClassifier(sb.Perceptron(), n_estimators=150_000, potential="recursion")
    began = time.process_time()
    with pytest.raises(ValueError, match="recursion"):
        model.partial_fit(X, Y, classes=[0, 1])
    assert time.process_time() - began < 100


def test_many_threads_cost_nothing(tmp_path: Path) -> None:
    model = sb.OnlineBaggingClassifier(n_estimators=40, n_jobs=2).partial_fit(X, Y, classes=[0, 1])
    path = claims(model, tmp_path / "m", lambda m: m["model"]["params"].update(n_jobs=2**31 - 1))
    began = time.process_time()
    with contextlib.suppress(sb.ModelFileError):
        sb.load(path)
    assert time.process_time() - began < 20


@pytest.mark.parametrize("learned", [2**63 - 1, 2**53 + 1, -1])
def test_examples_learned_are_a_sane_number(learned: int) -> None:
    model = sb.OnlineBaggingClassifier(n_estimators=2).partial_fit(X, Y, classes=[0, 1])
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["intake/n_learned"] = np.array(learned)
    with pytest.raises(ValueError, match="examples learned"):
        core.restore(state)


def test_a_model_that_has_counted_as_far_as_files_go_learns_no_more() -> None:
    model = sb.OnlineBaggingClassifier(n_estimators=2).partial_fit(X, Y, classes=[0, 1])
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["intake/n_learned"] = np.array(2**53 - 1)
    core.restore(state)
    with pytest.raises(ValueError, match=r"2\^53"):
        model.partial_fit(X[:2], Y[:2])
    model.partial_fit(X[:1], Y[:1])
    core.restore(core.state())


@pytest.mark.parametrize("bound", [5e-324, 1e-200])
def test_a_bound_of_answers_whose_square_is_nothing_is_refused(bound: float) -> None:
    model = sb.OnlineGradientBoostingRegressor(n_estimators=2, random_state=1).partial_fit(X, X[:, 0])
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["combiner/bound"] = np.full_like(state["combiner/bound"], bound)
    with pytest.raises(ValueError, match="bound of the answers"):
        core.restore(state)
    tiny = sb.OnlineGradientBoostingRegressor(n_estimators=2, random_state=1)
    tiny.partial_fit(X, X[:, 0] * 1e-320)
    assert np.isfinite(tiny.predict(X)).all()


def test_a_bound_of_answers_whose_square_is_infinite_is_reported_as_such() -> None:
    model = sb.OnlineGradientBoostingRegressor(n_estimators=2, random_state=1).partial_fit(X, X[:, 0])
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["combiner/loss_sums"][5] = 1e200
    core.restore(state)
    assert model.report().bounds[0].rhs == np.inf


@pytest.mark.parametrize("lie", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("name", ["early_count", "early_sum", "square_sum"])
def test_early_sums_of_a_posterior_are_sums(name: str, lie: float) -> None:
    model = sb.BayesianEnsembleClassifier(n_estimators=2, monitor=True, random_state=1)
    core = core_of(model.partial_fit(X, Y, classes=[0, 1]))
    state = {key: array.copy() for key, array in core.state().items()}
    (key,) = [key for key in state if key.endswith(name)]
    state[key].flat[0] = lie
    with pytest.raises(ValueError, match=r"early sums|not finite"):
        core.restore(state)


@pytest.mark.parametrize("declared", [True, False])
def test_a_model_that_has_learned_knows_a_class(declared: bool) -> None:
    model = sb.OnlineBaggingClassifier(n_estimators=2)
    model.partial_fit(X, Y, **({"classes": [0, 1]} if declared else {}))
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["intake/n_classes_known"] = np.array(0)
    with pytest.raises(ValueError, match="classes known"):
        core.restore(state)


def test_a_leaf_has_no_branches() -> None:
    model = sb.SingleLearnerClassifier(sb.HoeffdingTree()).partial_fit(X, Y, classes=[0, 1])
    core = core_of(model)
    state = {name: array.copy() for name, array in core.state().items()}
    state["bank/nodes"][3] = 2**31 - 1
    with pytest.raises(ValueError, match="branches"):
        core.restore(state)


@pytest.mark.parametrize(
    "learner", [sb.DecisionStump(), sb.HoeffdingTree(), sb.NaiveBayes(), sb.Perceptron()]
)
@pytest.mark.parametrize(
    "kind", [sb.BaggingClassifier, sb.AdaBoostM1Classifier, sb.PrimedOnlineBoostingClassifier]
)
def test_rows_without_a_single_number_are_rows_of_zeros(kind: Any, learner: Any) -> None:
    zeros, y = np.zeros((12, 3)), np.arange(12) % 2
    options = {"n_prime": 8} if kind is sb.PrimedOnlineBoostingClassifier else {}
    dense = kind(learner, n_estimators=3, random_state=1, **options).fit(zeros, y)
    sparse = kind(learner, n_estimators=3, random_state=1, **options).fit(sp.csr_matrix(zeros), y)
    assert np.array_equal(dense.predict_proba(zeros), sparse.predict_proba(sp.csr_matrix(zeros)))


GROWING = """
import os, resource, sys
import streamboost as sb
import streamboost._core
from tests.inside.handles import core_of

def grow(model):
    for i in range(40):
        model.learn_one({"a": f"v{i % 3}", "b": f"w{i % 2}"}, i % 2)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 24 * 2**20,) * 2)
    rows = 0
    try:
        for k in range(1, 24):
            model.learn_one({"a": "v0", "b": "w0", **{f"c{j}": f"x{k}" for j in range(2**k)}}, 1)
            rows += 1
    except MemoryError:
        ended = "no memory"
    except ValueError as error:  # TAN has a limit of its own
        ended = "no memory" if "GiB" in str(error) else str(error)
    core = core_of(model)
    sound = core.broken is None and core.n_learned == 40 + rows
    return ended, sound, model.predict_one({"a": "v0", "b": "w0"})

for text in sys.argv[1:]:
    if os.fork() == 0:  # each has the memory of a process in which nothing has grown
        said = grow(sb.OnlineBaggingClassifier(eval(f"sb.{text}"), n_estimators=200, random_state=1))
        print(text, *said, sep=": ", flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="measures and limits the address space of Linux"
)
@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="ASan's own bookkeeping dies of the limit; core/tests/test_memory.cpp fails every allocation under it",
)
def test_memory_that_runs_out_while_growing_leaves_the_model_as_it_was() -> None:
    """Columns double until there is no more memory; the model is then the one that had learned the rows before."""
    learners = (
        "NaiveBayes DecisionStump MLP(hidden_units=20) NearestNeighbors TAN HoeffdingTree Perceptron".split()
    )
    texts = [name if ")" in name else f"{name}()" for name in learners]
    done = subprocess.run(
        [sys.executable, "-c", GROWING, *texts],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],  # where `tests` is found
    )
    lines = [line.rpartition(": ")[0] for line in done.stdout.splitlines()]
    assert lines == [f"{text}: no memory: True" for text in texts], done.stderr[-2000:]
