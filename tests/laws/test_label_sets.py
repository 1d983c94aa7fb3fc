"""Sets of labels: the boosters beside their oracles, the laws, and what indicators, frames and dicts mean."""

import copy
import io
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from oracle.draws import uniform
from oracle.label_ranking import BMR, OLMR, rank_loss

import streamboost
from streamboost import (
    AdaOLMRClassifier,
    BinaryRelevanceClassifier,
    ClassifierChain,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
    SingleLearnerClassifier,
    StreamBoostClassifier,
)
from streamboost.base.files.archive import read_archive, write_archive
from streamboost.evaluate import prequential
from streamboost.streams import DataError

SEED = 5
BOOSTERS = {
    "bmr-rank": lambda learner=None, n=4, **o: OnlineBMRClassifier(
        learner, n_estimators=n, edge=0.2, loss="rank", random_state=SEED, **o
    ),
    "bmr-hinge": lambda learner=None, n=4, **o: OnlineBMRClassifier(
        learner, n_estimators=n, random_state=SEED, **o
    ),
    "olmr-vote": lambda learner=None, n=4, **o: AdaOLMRClassifier(
        learner, n_estimators=n, random_state=SEED, **o
    ),
    "olmr-best": lambda learner=None, n=4, **o: AdaOLMRClassifier(
        learner, n_estimators=n, hedge="best", random_state=SEED, **o
    ),
    "olmr-sample": lambda learner=None, n=4, **o: AdaOLMRClassifier(
        learner, n_estimators=n, hedge="sample", random_state=SEED, **o
    ),
}


def sets(n=150, k=4, seed=1, unknown=0.0):
    """Rows with 0 to k labels that follow the columns; of a share of the labels nobody knows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    W = rng.normal(size=(3, k))
    Y = (X @ W + 0.4 * rng.normal(size=(n, k)) > 0.4).astype(int)
    Y[3], Y[8] = 0, 1
    if unknown:
        Y = np.where(rng.random((n, k)) < unknown, np.nan, Y)
        Y[5, 1:], Y[9, 1:] = np.nan, [0, *[np.nan] * (k - 2)]
        Y[np.isnan(Y).all(axis=1), 0] = 0
    return X, Y


class Learner:
    """A naive Bayes of its own for the oracle."""

    def __init__(self, k):
        self.k, self.model = k, SingleLearnerClassifier(NaiveBayes(), calibration=None)

    def answer(self, x):
        return self.model.predict_proba(x[None])[0] if self.model.started else np.zeros(self.k)

    def learn(self, x, label, weight):
        if weight > 0:
            self.model.partial_fit(x[None], [label], classes=range(self.k), sample_weight=[weight])


@pytest.mark.parametrize("unknown", [0.0, 0.4])
@pytest.mark.parametrize("name", BOOSTERS)
def test_every_answer_is_the_oracles(name, unknown):
    X, Y = sets(unknown=unknown)
    k, n = Y.shape[1], 4
    model = BOOSTERS[name](NaiveBayes(), n)
    learners = [Learner(k) for _ in range(n)]
    constants = [3 + 7 * uniform(SEED, 0, lane, 7, 17) for lane in range(n)]
    if name.startswith("bmr"):
        oracle = BMR(learners, constants, k, model.edge, model.loss)
    else:
        oracle = OLMR(learners, constants, k, model.hedge, lambda t: uniform(SEED, t, 0, 4))
    weight = np.random.default_rng(2).choice([0.5, 1.0, 2.0], size=len(X))
    scores, proba = np.zeros((2, len(X), k))
    for t, x in enumerate(X):
        scores[t] = oracle.score(x)
        proba[t] = oracle.proba(scores[t])
        oracle.learn(x, Y[t], weight[t])
    found = model.test_then_train(X, Y, sample_weight=weight, output="score")
    assert np.allclose(found, scores, rtol=1e-7, atol=1e-9)
    again = BOOSTERS[name](NaiveBayes(), n).test_then_train(X, Y, sample_weight=weight, output="proba")
    assert np.allclose(again, proba, rtol=1e-6, atol=1e-9)
    if hasattr(oracle, "alpha"):
        assert np.allclose(model.report().lanes.get("alpha", oracle.alpha), oracle.alpha)


@pytest.mark.parametrize("name", BOOSTERS)
@pytest.mark.parametrize("learner", [None, NaiveBayes(), HoeffdingTree(grace_period=10)])
def test_the_laws(name, learner):
    X, Y = sets(260, unknown=0.2)
    weight = np.where(np.arange(260) % 7 == 0, 0.0, 1.0)
    make = lambda **o: BOOSTERS[name](learner, 20, **o)  # noqa: E731
    whole = make()
    answers = whole.test_then_train(X, Y, sample_weight=weight, output="score")
    parts, rows, threads, saved = make(), make(), make(n_jobs=3), make()
    found = [
        parts.test_then_train(X[a:b], Y[a:b], sample_weight=weight[a:b], output="score")
        for a, b in ((0, 1), (1, 130), (130, 260))
    ]
    assert np.concatenate(found)[1:].tolist() == answers[1:].tolist()
    assert np.array_equal(
        threads.test_then_train(X, Y, sample_weight=weight, output="score"), answers, equal_nan=True
    )
    for t in range(260):
        rows.partial_fit(X[t : t + 1], Y[t : t + 1], sample_weight=weight[t : t + 1])
        if t == 100:
            saved.partial_fit(X[:101], Y[:101], sample_weight=weight[:101])
            saved = streamboost.load(saved.to_bytes())
            saved = copy.deepcopy(saved)
            saved.partial_fit(X[101:], Y[101:], sample_weight=weight[101:])
    before = whole.to_bytes()
    assert parts.to_bytes() == rows.to_bytes() == saved.to_bytes() == before
    threads.n_jobs = None
    assert threads.to_bytes() == before
    first = whole.predict_proba(X)
    assert np.array_equal(first, whole.predict_proba(X))
    assert whole.to_bytes() == before
    skipped = make()
    skipped.partial_fit(X[weight > 0], Y[weight > 0])
    assert skipped.to_bytes() == before


def test_faces():
    X, Y = sets()
    plain = BOOSTERS["olmr-vote"](NaiveBayes())
    plain.partial_fit(X, Y)
    assert plain.labels_.tolist() == [0, 1, 2, 3]
    assert set(np.unique(plain.predict(X)).tolist()) <= {0, 1}
    assert np.array_equal(plain.predict(X), (plain.predict_proba(X) >= 0.5).astype(int))
    names = ["rock", "jazz", "pop", "folk"]
    frame = BOOSTERS["olmr-vote"](NaiveBayes())
    frame.partial_fit(pd.DataFrame(X, columns=list("abc")), pd.DataFrame(Y, columns=names))
    assert frame.labels_.tolist() == names  # the columns' own order
    assert np.array_equal(frame.predict_proba(pd.DataFrame(X, columns=list("abc"))), plain.predict_proba(X))
    sparse = BOOSTERS["olmr-vote"](NaiveBayes()).partial_fit(X, scipy.sparse.csr_matrix(Y), labels=names)
    assert np.array_equal(sparse.predict_proba(X), plain.predict_proba(X))
    named = BOOSTERS["olmr-vote"](NaiveBayes())
    for x, y in zip(X, Y, strict=True):
        named.learn_one(
            dict(zip("abc", x.tolist(), strict=True)), dict(zip(names, y.astype(bool).tolist(), strict=True))
        )
    one = dict(zip("abc", X[0].tolist(), strict=True))
    assert named.predict_proba_one(one) == dict(
        zip(names, plain.predict_proba(X[:1])[0].tolist(), strict=True)
    )
    assert named.predict_one(one) == {label: p >= 0.5 for label, p in named.predict_proba_one(one).items()}


def test_labels_are_discovered_in_dicts():
    model = BOOSTERS["bmr-hinge"](NaiveBayes())
    assert model.predict_one({"a": 1.0}) == {}
    rng = np.random.default_rng(3)
    for t in range(300):
        a = float(rng.normal())
        y = {"high": a > 0}
        if t > 50:
            y["far"] = abs(a) > 1
        if t > 100:
            y["low"] = a < 0
        model.learn_one({"a": a}, y)
    assert model.labels_.tolist() == ["high", "far", "low"]
    assert model.predict_one({"a": 2.0})["high"]
    assert not model.predict_one({"a": -2.0})["high"]
    assert streamboost.load(model.to_bytes()).labels_.tolist() == ["high", "far", "low"]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([[1, 2], [0, 1]], "y holds 2 in row 0, column 1"),
        ([[1, np.inf], [0, 1]], "y holds inf in row 0, column 1"),
        ([1, 0], "y has 1 axis"),
        ([[1, 0]], "inconsistent numbers of samples"),
        ([["a", "b"], ["a", "c"]], "y must be indicators"),
        ([["a"], ["a", "c"]], "of lists of labels sklearn.preprocessing.MultiLabelBinarizer makes them"),
        ([[1, 0, 1], [0, 1, 1]], "y has 3 columns, but there are 2 labels"),
    ],
)
def test_what_is_no_set_is_refused_and_nothing_is_learned(y, words):
    X, Y = sets(40, 2)
    model = BOOSTERS["olmr-vote"](NaiveBayes()).partial_fit(X, Y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X[:2], y)
    with pytest.raises(ValueError, match=r"labels=.* are not those of the first call"):
        model.partial_fit(X, Y, labels=["a", "b"])
    with pytest.raises(ValueError, match="must be True or False"):
        model.learn_one({0: 1.0}, {0: "yes"})
    with pytest.raises(ValueError, match="which is none of the 2 labels"):
        model.learn_one({0: 1.0, 1: 1.0, 2: 0.0}, {"new": True})
    assert model.to_bytes() == before


def test_a_file_of_damaged_numbers_is_refused():
    import io

    from streamboost.base.files.archive import read_archive, write_archive

    model = BOOSTERS["olmr-vote"](NaiveBayes()).partial_fit(*sets(60))
    manifest, arrays = read_archive(io.BytesIO(model.to_bytes()))
    head = {
        name: value for name, value in manifest.items() if name not in ("format", "format_version", "arrays")
    }
    for name in [name for name in arrays if "label_" in name or "alpha" in name or "expert_loss" in name]:
        wrong = {**arrays, name: arrays[name] * np.nan}
        file = io.BytesIO()
        write_archive(file, head, wrong)
        with pytest.raises(ModelFileError):
            streamboost.load(file.getvalue())


def test_the_loss_falls():
    X, Y = sets(2000, 6)
    for name in BOOSTERS:
        scores = BOOSTERS[name](None, 20).test_then_train(X, Y, output="score")
        early, late = (
            np.mean([rank_loss(s, y) for s, y in zip(scores[part], Y[part], strict=True)])
            for part in (slice(1, 200), slice(1500, 2000))
        )
        assert late < 0.75 * early, name


@pytest.mark.parametrize("kind", [streamboost.BinaryRelevanceClassifier, streamboost.ClassifierChain])
def test_a_refused_row_brings_no_labels(kind):
    model = kind(streamboost.OSBoostClassifier(n_estimators=2))
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf]], [[1, 0]])
    with pytest.raises(ValueError, match="no column"):
        model.partial_fit([[1.0]], np.zeros((1, 0)))
    model.learn_one({"x": 1.0}, {"a": True})
    with pytest.raises(ValueError, match="x"):
        model.learn_one({"x": np.inf}, {"a": True, "b": True})
    assert model.labels_.tolist() == ["a"]
    for X in (None, "a", 5):
        with pytest.raises(ValueError, match="a table has rows and columns"):
            model.predict(X)


@pytest.mark.parametrize("kind", ["OnlineBMRClassifier", "BinaryRelevanceClassifier", "ClassifierChain"])
def test_a_row_without_a_set_teaches_nothing(kind):
    trees = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    given = {"random_state": 1} if kind == "OnlineBMRClassifier" else {"estimator": trees}
    model, plain = (getattr(streamboost, kind)(**given) for _ in range(2))
    model.learn_one({"x": 0.5}, None)
    for t in range(30):
        row, truth = {"x": t % 3 - 1.0}, {"a": t % 3 > 0, "b": t % 2 > 0}
        model.learn_one(row, None)
        model.learn_one(row, truth)
        plain.learn_one(row, truth)
    assert model.to_bytes() == plain.to_bytes()
    assert model.predict_proba_one({"x": 1.0}) == plain.predict_proba_one({"x": 1.0})
    with pytest.raises(ValueError, match="infinity"):
        model.learn_one({"x": float("inf")}, None)


@pytest.mark.parametrize("kind", ["OnlineBMRClassifier", "BinaryRelevanceClassifier", "ClassifierChain"])
def test_a_row_of_which_nothing_is_known_is_one_without_a_set(kind):
    X, Y = sets(120, unknown=0.3)
    Y[::5] = np.nan
    Y[0] = [1, 0, 0, 1]
    base = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    given = {"random_state": 1} if kind == "OnlineBMRClassifier" else {"estimator": base}
    model, plain, dicts = (getattr(streamboost, kind)(**given) for _ in range(3))
    if kind == "OnlineBMRClassifier":
        model.partial_fit(X[:1], Y[:1])
        with pytest.warns(UserWarning, match="Rows without a label"):
            model.partial_fit(X[1:], Y[1:])
    else:
        model.partial_fit(X, Y)
    there = ~np.isnan(Y).all(axis=1)
    plain.partial_fit(X[there], Y[there])
    assert model.to_bytes() == plain.to_bytes()
    for x, y in zip(X[there].tolist(), Y[there].tolist(), strict=True):
        named = {label: None if value != value else bool(value) for label, value in enumerate(y)}
        dicts.learn_one(dict(enumerate(x)), named)
    x = dict(enumerate(X[7].tolist()))
    if kind == "ClassifierChain":  # of an array, the labels before are columns without names
        assert set(dicts.predict_proba_one(x)) == {0, 1, 2, 3}
        return
    assert dicts.predict_proba_one(x) == pytest.approx(plain.predict_proba_one(x), abs=1e-12)


def test_a_column_may_be_called_like_a_label():
    X, Y = sets(60)
    base = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    plain, odd, dicts = (streamboost.BinaryRelevanceClassifier(base) for _ in range(3))
    plain.partial_fit(pd.DataFrame(X), Y)
    frame = pd.DataFrame(X, columns=[f"label:{i}" for i in range(X.shape[1])])
    odd.partial_fit(frame, Y)
    for x, y in zip(frame.to_dict("records"), Y.astype(bool).tolist(), strict=True):
        dicts.learn_one(x, dict(enumerate(y)))
    expected = plain.predict_proba(pd.DataFrame(X))
    assert np.array_equal(odd.predict_proba(frame), expected)
    one = frame.to_dict("records")[7]
    assert list(odd.predict_proba_one(one).values()) == expected[7].tolist()
    assert list(dicts.predict_proba_one(one).values()) == pytest.approx(expected[7].tolist(), abs=1e-12)
    chain = streamboost.ClassifierChain(base)
    for learn in (lambda: chain.partial_fit(frame, Y), lambda: chain.learn_one(one, {0: True, 1: False})):
        with pytest.raises(ValueError, match="'label:0', which is where the chain shows a label"):
            learn()
        assert not hasattr(chain, "labels_")


def test_a_chain_of_arrays_takes_dicts_too():
    X, Y = sets(80)
    base = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    whole, one_by_one = (streamboost.ClassifierChain(base).partial_fit(X[:40], Y[:40]) for _ in range(2))
    whole.partial_fit(X[40:], Y[40:])
    for x, y in zip(X[40:].tolist(), Y[40:].astype(bool).tolist(), strict=True):
        one_by_one.learn_one(dict(enumerate(x)), dict(enumerate(y)))
    assert one_by_one.to_bytes() == whole.to_bytes()
    answers = [list(whole.predict_proba_one(dict(enumerate(x))).values()) for x in X[:9].tolist()]
    assert answers == whole.predict_proba(X[:9]).tolist()


@pytest.mark.parametrize("kind", [streamboost.BinaryRelevanceClassifier, streamboost.ClassifierChain])
def test_a_label_has_one_model(kind):
    trees = streamboost.OnlineBaggingClassifier(n_estimators=2)
    for made in (
        streamboost.ActiveClassifier(trees),
        streamboost.StackedClassifier([trees, trees]),
        streamboost.BinaryRelevanceClassifier(trees),
    ):
        model = kind(made)
        with pytest.raises(TypeError, match="is made of models itself"):
            model.partial_fit([[0.0], [1.0]], [[0, 1], [1, 0]])
        assert not hasattr(model, "labels_")


@pytest.mark.parametrize("kind", [streamboost.BinaryRelevanceClassifier, streamboost.ClassifierChain])
def test_names_of_labels_are_such(kind):
    for names, words in (
        (["a", ("b", "c")], "of type tuple"),
        ([1, "1"], "the same text"),
        (["a", None], "None"),
    ):
        model = kind(streamboost.OnlineBaggingClassifier(n_estimators=2))
        with pytest.raises((TypeError, ValueError), match=words):
            model.learn_one({"x": 1.0}, dict.fromkeys(names, True))
        assert not hasattr(model, "labels_")


@pytest.mark.parametrize("labels", [["p", "p"], ["1", 1], [None, True], [["p"], ["q"]]])
def test_a_file_whose_labels_are_none_is_refused(labels):
    model = streamboost.ClassifierChain(SingleLearnerClassifier(NaiveBayes()))
    model.learn_one({"x": 1.0}, {"p": True, "q": False})
    manifest, arrays = read_archive(io.BytesIO(model.to_bytes()))
    head = {**manifest["composite"], "state": {"labels": labels, "fixed": False}}
    write_archive(file := io.BytesIO(), {"composite": head}, dict(arrays))
    with pytest.raises(ModelFileError, match="label"):
        streamboost.load(file.getvalue())


def test_who_reads_while_labels_come_goes_through_those_of_before():
    model = streamboost.BinaryRelevanceClassifier(SingleLearnerClassifier(NaiveBayes()))
    model.learn_one({"x": 1.0}, {"first": True})
    going, said = threading.Event(), []

    def read():
        while not going.is_set():
            try:
                said.append(len(model.predict_proba_one({"x": 1.0})))
            except RuntimeError as error:
                said.append(error)
                return

    reader = threading.Thread(target=read)
    reader.start()
    for at in range(200):
        model.learn_one({"x": float(at)}, {f"label {at}": True})
    going.set()
    reader.join()
    assert all(isinstance(n, int) for n in said), said[-1]


@pytest.mark.parametrize("kind", [streamboost.BinaryRelevanceClassifier, streamboost.ClassifierChain])
@pytest.mark.parametrize("form", ["coo", "dia", "bsr"])
def test_sparse_rows_may_have_any_form(kind, form):
    X, Y = sets(40)
    base = streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=1)
    rows = scipy.sparse.csr_matrix(X)
    model = kind(base).partial_fit(rows.asformat(form), Y)
    assert model.to_bytes() == kind(base).partial_fit(rows, Y).to_bytes()
    assert np.array_equal(model.predict(rows.asformat(form)), model.predict(rows))


def test_a_model_of_each_label_learns_the_rows_it_knows():
    X, Y = sets(200, unknown=0.4)
    base = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    together = streamboost.BinaryRelevanceClassifier(base).partial_fit(X, Y).predict_proba(X)
    for label in range(Y.shape[1]):
        known = ~np.isnan(Y[:, label])
        alone = copy.deepcopy(base).partial_fit(X[known], Y[known, label] == 1, classes=[False, True])
        np.testing.assert_array_equal(together[:, label], alone.predict_proba(X)[:, 1])


def test_a_chain_shows_unknown_labels_as_missing_values():
    X, Y = sets(200, k=2, unknown=0.4)
    base = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    chain = streamboost.ClassifierChain(base).partial_fit(X, Y, labels=["a", "b"])
    known = ~np.isnan(Y[:, 1])
    second = copy.deepcopy(base).partial_fit(
        np.column_stack([X, Y[:, 0]])[known], Y[known, 1] == 1, classes=[False, True]
    )
    guessed = chain.predict_proba(X)[:, 0] >= 0.5
    np.testing.assert_array_equal(
        chain.predict_proba(X)[:, 1], second.predict_proba(np.column_stack([X, guessed]))[:, 1]
    )


def test_cells_of_a_file_may_be_empty(tmp_path):
    from streamboost.evaluate import prequential
    from streamboost.streams.label_sets import open_label_sets

    X, Y = sets(80, unknown=0.3)
    # The last one is the label of the stream: rows without it are left out.
    Y[:, -1] = np.nan_to_num(Y[:, -1])
    cell = lambda y: "" if np.isnan(y) else f"{y:g}"  # noqa: E731
    lines = [",".join([*map(repr, x), *map(cell, y)]) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    path = tmp_path / "sets.csv"
    path.write_text("\n".join(["p,q,r,label:a,label:b,label:c,label:d", *lines]))
    ours, filed = (BOOSTERS["bmr-hinge"](NaiveBayes(), 4) for _ in range(2))
    result = prequential(filed, open_label_sets(path, "label:*"))
    same = prequential(ours, (X, Y))
    assert result.error == same.error
    row = dict(zip("pqr", X[3].tolist(), strict=True))
    assert list(filed.predict_proba_one(row).values()) == ours.predict_proba(X[3:4])[0].tolist()


@pytest.mark.parametrize("kind", [OnlineBMRClassifier, AdaOLMRClassifier, BinaryRelevanceClassifier])
@pytest.mark.parametrize("delay", [3, 70])
def test_labels_may_come_late(kind, delay):
    """A row is answered when it comes and learned when its set does, however the rows are cut."""
    X = np.random.default_rng(2).normal(size=(90, 3))
    Y = (X > 0.3).astype(float)

    def fresh():
        if kind is BinaryRelevanceClassifier:
            return kind(SingleLearnerClassifier(NaiveBayes(), random_state=SEED))
        return kind(NaiveBayes(), n_estimators=3, random_state=SEED)

    model, wrong = fresh(), []
    for t in range(len(X)):
        if t > delay:
            wrong.append((model.predict(X[t : t + 1]) != Y[t : t + 1]).mean())
        if t >= delay:
            model.partial_fit(X[t - delay : t - delay + 1], Y[t - delay : t - delay + 1])
    model.partial_fit(X[-delay:], Y[-delay:])
    for size in (16, 1000):
        late = fresh()
        found = prequential(late, (X, Y), delay=delay, chunk_size=size)
        assert (found.n_rows, found.left_out) == (len(wrong), delay + 1)
        assert found.metrics["hamming"]["cumulative"].value == pytest.approx(np.mean(wrong), abs=1e-12)
        np.testing.assert_array_equal(late.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("kind", [OnlineBMRClassifier, AdaOLMRClassifier, BinaryRelevanceClassifier])
def test_no_rows_cannot_be_fitted(kind):
    with pytest.raises(ValueError, match="0 sample"):
        kind().fit(np.zeros((0, 2)), np.zeros((0, 3)))
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        kind().fit(np.zeros((2, 2)), [["calm"], ["sad"]])


def test_the_model_of_each_label_can_be_asked():
    X = np.random.default_rng(2).normal(size=(90, 3))
    model = BinaryRelevanceClassifier(SingleLearnerClassifier(NaiveBayes(), random_state=SEED))
    assert (model.models_, model.n_learned_) == ({}, 0)
    model.partial_fit(X, X > 0.3, labels=["calm", "glad", "sad"])
    assert list(model.models_) == ["calm", "glad", "sad"]
    assert (model.n_learned_, len(model.columns_.values)) == (90, 3)
    np.testing.assert_array_equal(model.models_["glad"].predict_proba(X)[:, 1], model.predict_proba(X)[:, 1])
    assert "90 examples" in str(model.models_["sad"].report())


@pytest.mark.parametrize("more", [{}, {"delay": 7}, {"limit": 60}, {"orders": 2, "seed": 3}])
@pytest.mark.parametrize("kind", [*BOOSTERS, "each", "chain"])
def test_dicts_are_evaluated_like_tables(kind, more):
    bags = OnlineBaggingClassifier(NaiveBayes(), n_estimators=3, random_state=2)
    of_each = {"each": BinaryRelevanceClassifier, "chain": ClassifierChain}
    X, Y = sets(unknown=0.1)
    Y = Y.astype(float)
    Y[2] = np.nan  # nothing is known
    names = ["rock", "jazz", "pop", "folk"]
    table, labels = pd.DataFrame(X, columns=list("abc")), pd.DataFrame(Y, columns=names)
    rows = table.to_dict("records")
    said = [
        {name: None if np.isnan(there) else bool(there) for name, there in zip(names, row, strict=True)}
        for row in Y.tolist()
    ]
    brief: list = [{name: there for name, there in one.items() if there is not False} for one in said]
    brief[0] = said[0]  # all names, in their order: the others leave out what is not in the set
    forms = [(table, labels), (rows, said), (rows, labels), list(zip(rows, said, strict=True)), (rows, brief)]
    found = []
    for data in forms:
        model = of_each[kind](bags) if kind in of_each else BOOSTERS[kind](NaiveBayes())
        with pytest.warns(UserWarning, match="1 rows without a label"):
            found.append(prequential(model, data, metrics=["precision_at:k=2"], **more))
    for one in found:
        assert (one.n_rows, one.left_out, one.labels) == (found[0].n_rows, found[0].left_out, tuple(names))
        for metric in one.metrics:
            # A dict tells no labels before the first one; a table does, and a classifier of each is then asked about them.
            off = 1.5 / one.n_rows if kind in of_each else 0.0
            assert one.metrics[metric]["cumulative"].finals == pytest.approx(
                found[0].metrics[metric]["cumulative"].finals, rel=0, abs=off
            )


def test_a_wrong_dict_of_labels_is_said_with_its_row():
    model = AdaOLMRClassifier(n_estimators=2)
    with pytest.raises(DataError, match=r"row 2: y\['a'\]=3 must be True or False"):
        prequential(model, [({"x": 1.0}, {"a": True, "b": False}), ({"x": 2.0}, {"a": 3})])
    with pytest.raises(DataError, match=r"row 1: y must be a dict \{label: bool\}, got 'a'"):
        prequential(model, [({"x": 1.0}, "a"), ({"x": 2.0}, "b")])


@pytest.mark.parametrize("kind", [*BOOSTERS, "each"])
def test_scores_of_a_dict_are_those_of_its_row(kind):
    X, Y = sets()
    model = BinaryRelevanceClassifier() if kind == "each" else BOOSTERS[kind](NaiveBayes())
    assert model.decision_function_one({"a": 1.0}) == {}
    model.partial_fit(pd.DataFrame(X, columns=list("abc")), Y)
    one = pd.DataFrame(X[:1], columns=list("abc"))
    found = model.decision_function_one(one.to_dict("records")[0])
    assert list(found.values()) == model.decision_function(one)[0].tolist()


def test_a_classifier_of_one_label_names_those_of_several():
    X, Y = sets(20, 3)
    with pytest.raises(
        ValueError, match="BinaryRelevanceClassifier and OnlineBMRClassifier learn several labels"
    ):
        StreamBoostClassifier().partial_fit(X, Y)
    with pytest.raises(
        TypeError, match="BinaryRelevanceClassifier and OnlineBMRClassifier learn several labels"
    ):
        StreamBoostClassifier().learn_one({"a": 1.0}, {"calm": True})
