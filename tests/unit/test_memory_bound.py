"""`max_bytes` binds everything in an ensemble: trees give up growth, other learners refuse rows that would need more."""

import contextlib
import ctypes
import os
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import streamboost as sb
from streamboost.base.parameter import parameters_of
from tests import catalogue as cases

BUDGET = 1_000_000
PROCESS_BUDGET = 4_000_000
FLOODS = {"numbers": 5, "values": 5, "wide": 3000, "classes": 5, "words": 5}  # and their columns
pytestmark = pytest.mark.filterwarnings("ignore")

BOUNDED = [
    entry
    for entry in cases.FILED
    if entry.name in cases.MODELS and hasattr(getattr(sb, entry.class_name)(), "max_bytes")
]


def flood(kind, n=300, seed=0):
    """Rows of a kind that fills memory: X, labels, nominal columns, and whether classes are named first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.arange(n) % 2
    if kind == "values":
        X = rng.permutation(n * 4).reshape(n, 4).astype(float)
    elif kind == "wide":
        X = rng.normal(size=(n // 10, 3000))
        y = y[: n // 10]
    elif kind == "classes":
        y = np.arange(n) % 150
    elif kind == "words":
        texts = [" ".join(f"w{j}" for j in rng.integers(0, 5000, 20)) for _ in range(n)]
        X = pd.DataFrame({"text": texts, "user": [f"u{i}" for i in range(n)], "size": X[:, 0]})
    return X, y, [0, 1, 2, 3] if kind == "values" else None


def served(model, X, y, classes):
    """Learn rows in chunks; whether one was refused, and that nothing of it was learned."""
    for first in range(0, len(X), 30):
        before = getattr(model, "n_learned_", 0)
        part = slice(first, first + 30)
        error = None
        try:
            model.partial_fit(X[part], y[part], **({} if classes is None else {"classes": classes}))
        except ValueError as refusal:
            error = refusal
        if error is not None:
            assert "max_bytes" in str(error), error
            assert getattr(model, "n_learned_", 0) == before
            return True
    return False


@pytest.mark.parametrize("kind", ["numbers", "values", "wide", "classes", "words"])
@pytest.mark.parametrize("entry", BOUNDED, ids=lambda entry: entry.name)
def test_a_model_stays_within_its_bytes_or_refuses(entry, kind):
    regression = entry.task == "regression"
    X, y, nominal = flood(kind)
    if kind == "classes" and (regression or entry.max_classes is not None):
        return
    for of in [None, *cases.learners_of(entry)]:
        if of is not None and of.nominal_only and nominal is None:
            continue
        learner = None if of is None else cases.learner(of)
        model = cases.model(entry, learner, max_bytes=BUDGET, categorical_features=nominal)
        named = None if regression else np.unique(y).tolist()
        numbers = np.asarray(X["size"] if kind == "words" else X[:, 0])
        refused = served(model, X, numbers if regression else y, named)
        if not refused or hasattr(model, "n_learned_"):
            taken = model.memory_bytes()
            assert taken <= BUDGET, (entry.name, of and of.name, taken)


def test_a_bound_that_is_too_small_says_what_would_do():
    X, y, _ = flood("wide")
    model = sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=50, max_bytes=200_000)
    with pytest.raises(ValueError, match=r"max_bytes to at least [\d.]+ times what it is") as refusal:
        model.partial_fit(X, y, classes=[0, 1])
    factor = float(re.search(r"at least ([\d.]+) times", str(refusal.value))[1])
    enough = int(200_000 * factor) + 1
    enough_model = sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=50, max_bytes=enough)
    assert enough_model.partial_fit(X, y, classes=[0, 1]).memory_bytes() <= enough


def test_an_incremental_tree_lets_pass_what_it_has_no_room_for():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = sb.SingleLearnerClassifier(sb.IncrementalTree(), max_bytes=400_000, random_state=1)
    with pytest.warns(UserWarning, match="limit of memory"):
        model.partial_fit(X, y)
    assert 200_000 < model.memory_bytes() <= 400_000
    one_by_one = sb.SingleLearnerClassifier(sb.IncrementalTree(), max_bytes=400_000, random_state=1)
    for first in range(0, 3000, 7):
        one_by_one.partial_fit(X[first : first + 7], y[first : first + 7])
    assert cases.state(one_by_one) == cases.state(model)
    assert (model.predict(X) == y).mean() > 0.65, "what it knows it still tells"


def test_the_usual_bound_is_no_alarm(monkeypatch):
    """Who has asked for no bound hears nothing of it; the report counts what it has cost."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    usual = {"max_bytes": replace(parameters_of(sb.HoeffdingTree)["max_bytes"], default=6_000)}
    monkeypatch.setattr(
        "streamboost.ensemble.common.parameters_of",
        lambda kind: usual if kind is sb.HoeffdingTree else parameters_of(kind),
    )
    for bound, told in ((6_000, 0), (5_900, 1)):
        tree = sb.HoeffdingTree(grace_period=20, tie_threshold=0.9, max_bytes=bound)
        model = sb.OnlineBaggingClassifier(tree, n_estimators=2, random_state=1)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.partial_fit(X, y)
        assert sum("limit of memory" in str(warning.message) for warning in said) == told
        assert model.report().lanes["idle_leaves"].sum() > 0


def test_threads_do_not_move_the_bound():
    """Lanes in more blocks are padded more often: what is refused must not hang on that."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2

    def refused(n_jobs, bytes_):
        model = sb.BayesianEnsembleClassifier(
            sb.NaiveBayes(), n_estimators=18, max_bytes=bytes_, n_jobs=n_jobs, random_state=1
        )
        try:
            model.partial_fit(X, y, classes=[0, 1])
        except ValueError:
            return True
        return False

    bounds = range(10_000, 60_000, 1_000)
    alone = [refused(1, bytes_) for bytes_ in bounds]
    assert True in alone
    assert False in alone
    assert [refused(3, bytes_) for bytes_ in bounds] == alone


def test_a_bound_that_cannot_be_kept_is_refused():
    X, y, _ = flood("numbers")
    stump = sb.DecisionStump(numeric="exact")
    with pytest.raises(ValueError, match="max_bytes=1000000 cannot be kept"):
        sb.OnlineBaggingClassifier(stump, max_bytes=BUDGET).partial_fit(X, y)
    sb.OnlineBaggingClassifier(stump, n_estimators=2, max_bytes=None).partial_fit(X, y)


@pytest.mark.parametrize(("n_classes", "budget"), [(2, 700_000), (5, 1_500_000)])
def test_rows_are_remembered_as_far_as_fits_and_forests_have_room(n_classes, budget):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6000, 8))
    y = (X[:, 0] > 0) * 1 + (X[:, 1:n_classes] > 0).sum(axis=1) if n_classes > 2 else (X[:, 0] > 0) * 1
    model = sb.ReplayBoostingClassifier(rounds=10, leaves=8, max_bytes=budget, random_state=1)
    for first in range(0, 6000, 250):
        model.partial_fit(X[first : first + 250], y[first : first + 250])
        assert model.memory_bytes() <= budget
    assert 1000 <= model.report().totals["remembered_rows"] < 6000


def test_all_trees_of_the_default_regressor_share_one_bound():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8000, 5))
    X[:, 4] = rng.integers(0, 400, 8000)
    y = np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 4] % 7
    model = sb.StreamBoostRegressor(random_state=1, max_bytes=3_000_000, categorical_features=[4])
    with pytest.warns(UserWarning, match="limit of memory"):
        model.partial_fit(X, y)
    assert model.memory_bytes() < 1.2 * 3_000_000
    free = sb.StreamBoostRegressor(random_state=1, max_bytes=None, categorical_features=[4]).partial_fit(X, y)
    assert free.memory_bytes() > 2 * model.memory_bytes()


def test_values_beyond_the_bound_are_refused_with_a_word_and_the_model_goes_on():
    model = sb.OSBoostClassifier(
        sb.NaiveBayes(), n_estimators=200, categorical_features=[0], max_bytes=2_000_000, random_state=1
    )
    codes = np.arange(100.0)[:, None]
    model.partial_fit(codes, codes[:, 0] % 2)
    before = cases.state(model)
    with pytest.raises(ValueError, match=r"need \d+ bytes .* leaves 2000000 for that: nothing was learned"):
        model.partial_fit(np.arange(5000.0)[:, None], np.arange(5000) % 2)
    assert cases.state(model) == before
    model.partial_fit(codes, codes[:, 0] % 2)
    assert model.n_learned_ == 200


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_process_stays_within_the_bound_of_its_model():
    """What the process takes, not what the model says of itself."""
    code = """
import numpy as np, os, streamboost as sb, warnings
warnings.simplefilter("ignore")
def used():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
rng = np.random.default_rng(1)
X = rng.normal(size=(12000, 6))
X[:, 5] = rng.integers(0, 2000, 12000)
y = np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 5] % 7
sb.StreamBoostRegressor(random_state=1, categorical_features=[5]).partial_fit(X[:50], y[:50])
before = used()
model = sb.StreamBoostRegressor(random_state=1, max_bytes=5_000_000, categorical_features=[5])
for first in range(0, 12000, 1000):
    model.partial_fit(X[first:first + 1000], y[first:first + 1000])
print(used() - before)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(out) < 20_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and gives back what is free")
@pytest.mark.parametrize("kind", FLOODS)
def test_processes_stay_within_the_bounds_of_their_models(kind):
    """Every model with its defaults, bags of every learner, each in a process of its own: what the system says it takes."""
    code = f"from tests.unit.test_memory_bound import print_grown; print_grown({kind!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    grown = {name: int(n) for n, name in (line.split(" ", 1) for line in done.stdout.splitlines())}
    assert len(grown) > len(BOUNDED)
    assert max(grown.values()) < 3 * PROCESS_BUDGET, {name: n for name, n in grown.items() if n > 1e7}


def print_grown(kind):
    """Bytes that the process has more after a flood of rows, for each model in a child of this process."""
    trim = ctypes.CDLL(None).malloc_trim
    bags = [entry for entry in BOUNDED if entry.class_name.startswith("OnlineBagging")]
    pairs = [(entry, None) for entry in BOUNDED]
    pairs += [(entry, of) for entry in bags for of in cases.learners_of(entry) if not of.nominal_only]

    def used():
        trim(0)
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def serve(entry, of):
        numbers = entry.task == "regression"
        options = {} if of is None else {"estimator": getattr(sb, of.class_name)()}
        n_classes = 2 if kind != "classes" or entry.max_classes is not None else 1000
        named = {} if numbers else {"classes": list(range(n_classes))}
        rng = np.random.default_rng(1)

        def lesson(first, n, width):
            X = rng.normal(size=(n, width))
            if kind == "values":
                X[:, 3:] = rng.integers(0, 4 if first < 0 else 10_000, (n, width - 3))
            if kind == "words":
                X = flood("words", n, seed=first + 50)[0]
                X["user"] = [f"u{first + row}" for row in range(n)]
            told = np.asarray(X["size"] if kind == "words" else X[:, 0])
            if numbers:
                return X, told
            return X, (np.arange(first, first + n) % n_classes if kind == "classes" else (told > 0) * 1)

        def new():
            nominal = [3, 4] if kind == "values" else None
            return getattr(sb, entry.class_name)(
                random_state=1, max_bytes=PROCESS_BUDGET, categorical_features=nominal, **options
            )

        with contextlib.suppress(ValueError):  # what Python makes once
            new().partial_fit(*lesson(-50, 50, 5), **named)
        before, model = used(), new()
        with contextlib.suppress(ValueError):
            for first in range(0, 300 if kind == "wide" else 3000, 50 if kind == "wide" else 500):
                model.partial_fit(*lesson(first, 50 if kind == "wide" else 500, FLOODS[kind]), **named)
        print(used() - before, entry.name, of and of.name, flush=True)

    warnings.simplefilter("ignore")
    for entry, of in pairs:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                serve(entry, of)
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0, (entry.name, of and of.name)


@pytest.mark.parametrize("learner", [sb.HashedLogisticRegression(), sb.NearestNeighbors()], ids=repr)
def test_a_table_beyond_all_bounds_is_refused_before_it_is_made(learner):
    """Gigabytes that no bound allows are no reason to run out of memory."""
    model = sb.OnlineBaggingClassifier(learner, max_bytes=BUDGET)
    with pytest.raises(ValueError, match=r"need more than \d+ bytes .* leaves 1000000 for that"):
        model.partial_fit(np.ones((5, 3000)), np.arange(5), classes=list(range(5_000)))


@pytest.mark.parametrize("budget", [2_000, 6_000, 20_000])
@pytest.mark.parametrize(
    "of", [one for one in cases.ALL_LEARNERS if "tree" in one.name], ids=lambda one: one.name
)
def test_a_tree_that_is_saved_goes_on_as_if_it_had_not_been_under_any_bound(of, budget):
    """Its bytes are counted anew from the file: that must be the same count."""
    rng = np.random.default_rng(budget)
    n = 900
    X = np.column_stack([rng.normal(size=(n, 3)), np.floor(rng.random(n) * np.linspace(2, 30, n))])
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.sin(3 * np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 3]) % 3
    numbers = of.task == "regression"
    y = y if numbers else (y > 1).astype(int)
    kind = sb.SingleLearnerRegressor if numbers else sb.SingleLearnerClassifier
    tree = cases.learner(of, max_bytes=budget)
    stays = kind(tree, categorical_features=[3], random_state=1)
    goes = kind(tree, categorical_features=[3], random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for first in range(0, n, 60):
            stays.partial_fit(X[first : first + 60], y[first : first + 60])
            goes = sb.load(goes.partial_fit(X[first : first + 60], y[first : first + 60]).to_bytes())
            assert cases.state(stays) == cases.state(goes), first


@pytest.mark.parametrize(
    "of", [one for one in cases.ALL_LEARNERS if not one.nominal_only], ids=lambda one: one.name
)
def test_what_a_bound_has_let_grow_can_be_saved(of):
    """A file makes room before it has numbers: that must not be more than what they were let grow to."""
    rng = np.random.default_rng(7)
    numbers = of.task == "regression"
    kind = sb.OnlineBaggingRegressor if numbers else sb.OnlineBaggingClassifier
    rows = [
        {"a": float(rng.normal()), "b": float(rng.normal()), f"c{t // 12}": "pqrs"[t % 4]} for t in range(60)
    ]
    whole = kind(cases.learner(of), n_estimators=3, random_state=1)
    for t, x in enumerate(rows):
        whole.learn_one(x, t % 2)
    for budget in np.linspace(0.3, 1.1, 60) * whole.memory_bytes():
        model = kind(cases.learner(of), n_estimators=3, random_state=1, max_bytes=int(budget))
        learned = 0
        for t, x in enumerate(rows):
            with contextlib.suppress(ValueError):
                model.learn_one(x, t % 2)
                learned += 1
            if learned and t % 10 == 9:
                assert sb.load(model.to_bytes()).n_learned_ == learned
