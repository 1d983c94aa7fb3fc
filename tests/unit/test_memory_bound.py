"""`max_bytes` binds everything in an ensemble: trees give up growth, other learners refuse rows that would need more."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import streamboost as sb
from tests import catalogue as cases

BUDGET = 1_000_000
SMALL = 1_200_000  # what an ensemble has beside its learners: sums, guards, scales of columns, the least rows to replay
REPLAYED = 4_000_000  # trees over remembered rows, and the least rows: not bound by max_bytes, which covers the rows beyond
UNBOUNDED = {"iti"}  # it keeps every example, by definition
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


@pytest.mark.parametrize("kind", ["numbers", "values", "wide", "classes"])
@pytest.mark.parametrize("entry", BOUNDED, ids=lambda entry: entry.name)
def test_a_model_stays_within_its_bytes_or_refuses(entry, kind):
    regression = entry.task == "regression"
    X, y, nominal = flood(kind)
    if kind == "classes" and (regression or entry.max_classes is not None):
        return
    for of in [None, *cases.learners_of(entry)]:
        if of is not None and (of.name in UNBOUNDED or (of.nominal_only and nominal is None)):
            continue
        learner = None if of is None else cases.learner(of)
        model = cases.model(entry, learner, max_bytes=BUDGET, categorical_features=nominal)
        named = None if regression else np.unique(y).tolist()
        refused = served(model, X, X[:, 0] if regression else y, named)
        if not refused or hasattr(model, "n_learned_"):
            taken = model.memory_bytes()
            more = REPLAYED if "streamboost" in entry.name else 0
            assert taken <= 2 * BUDGET + SMALL + more, (entry.name, of and of.name, taken)


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
    with pytest.raises(ValueError, match=r"need \d+ bytes .* max_bytes=2000000: nothing was learned"):
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
