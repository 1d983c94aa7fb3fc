"""The batch ensembles: what their oracles say, what AdaBoost.M1 promises, and what online ensembles have in common with them."""

import numpy as np
import pytest
from golden.scripted import ScriptedLearner
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import draws
from oracle.batch_bagging import BatchBagging
from oracle.primed import Primed

import streamboost as sb
from laws.catalogue import LEARNERS
from laws.strategies import seeds, streams
from streamboost.streams.datasets.builtin import SyntheticStream
from tests.inside.handles import key_of, state_of

some = [a for a in LEARNERS if a.name in ("perceptron", "ogd-standard", "bayes-mixed", "bayes-raw")]
quick = settings(max_examples=15)


def draw_stream(data, learner):
    return data.draw(
        streams(
            kinds=learner.kinds,
            n_classes=(2, 3),
            declared=True,
            min_rows=2,
        )
    )


def run_oracle(kind, learner, stream, n_estimators, key, labels, **options):
    oracle = kind(
        learner.make(), n_estimators, key, width=stream.X.shape[1], nominal=stream.categorical,
        n_classes=len(labels), scale=learner.scale, **options,
    )  # fmt: skip
    for x, label, w in zip(stream.X.tolist(), stream.y.tolist(), stream.weight.tolist(), strict=True):
        oracle.learn(x, labels.index(label), w)
    return oracle


@pytest.mark.parametrize("learner", some, ids=lambda a: a.name)
@pytest.mark.parametrize(
    ("product", "options"),
    [
        (sb.AdaBoostM1Classifier, {}),
        (sb.AdaBoostM1Classifier, {"resample": True}),
        (sb.BaggingClassifier, {}),
    ],
)
@quick
@given(data=st.data(), seed=seeds)
def test_product_agrees_with_oracle(product, options, learner, data, seed):
    stream = draw_stream(data, learner)
    labels = np.unique(stream.y).tolist()
    n = int((stream.weight > 0).sum())
    if n == 0 or len(labels) < 2:
        return
    n_estimators = data.draw(st.integers(1, 5))
    nominal = {"categorical_features": stream.categorical} if stream.categorical else {}
    model = product(learner.product(), n_estimators=n_estimators, random_state=seed, **nominal, **options)
    model.fit(stream.X, stream.y, sample_weight=stream.weight)
    boosts = product is sb.AdaBoostM1Classifier
    own = {"n_prime": n, "keep_one": False} if boosts else {"n_rows": n}
    kind = Primed if boosts else BatchBagging
    oracle = run_oracle(kind, learner, stream, n_estimators, key_of(model), labels, **own, **options)
    if oracle.doubt:
        return
    if boosts:
        errors = [oracle.epsilon(i) for i in range(oracle.made)]
        np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9, atol=1e-12)
        for right, wrong in oracle.masses:
            assert (right, wrong) == pytest.approx((0.5, 0.5), rel=1e-9)
    said = model.predict(stream.X)
    proba = model.predict_proba(stream.X)
    for t, x in enumerate(stream.X.tolist()):
        answer = oracle.answer(x)
        if not answer.close:
            assert said[t] == labels[answer.label], f"row {t}"
            np.testing.assert_allclose(proba[t], answer.proba, rtol=1e-9, atol=1e-12)


def test_right_and_wrong_rows_weigh_the_same():
    """What learner m + 1 is taught: the rows m got wrong hold half of the weight."""
    rng = np.random.default_rng(3)
    n, y = 40, rng.integers(0, 2, 40)
    right = rng.random((4, n)) < 0.7
    script = np.where(right == (y == 1), 1, -1).tolist()
    ScriptedLearner.roll.clear()
    weight = rng.uniform(0.5, 2, n)
    model = sb.AdaBoostM1Classifier(ScriptedLearner(script), n_estimators=4)
    model.fit(np.arange(float(n))[:, None], y, sample_weight=weight)
    lanes = [dict(learner.received_) for learner in ScriptedLearner.roll]
    ScriptedLearner.roll.clear()
    assert len(lanes) >= 2
    for m, lesson in enumerate(lanes[1:]):
        total = sum(lesson.values())
        assert total == pytest.approx(weight.sum(), rel=1e-12)
        assert sum(lesson[t] for t in range(n) if not right[m][t]) == pytest.approx(total / 2, rel=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
def test_training_error_bound(seed):
    """The training error is at most the product of 2 sqrt(e (1 - e)), two classes or more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1 if seed % 2 else 0)
    model = sb.AdaBoostM1Classifier(sb.NaiveBayes(), n_estimators=20).fit(X, y)
    errors = model.estimator_errors_
    assert (errors < 0.5).all()
    assert (errors[:-1] > 0).all()  # a perfect learner is the last
    wrong = float(np.mean(model.predict(X) != y))
    assert wrong <= np.prod(2 * np.sqrt(errors * (1 - errors))) + 1e-12


@pytest.mark.parametrize(
    ("script", "errors", "answers"),
    [
        (
            [[-1, 1, -1, -1], [-1] * 4, [-1] * 4],
            [],
            [0] * 4,
        ),  # 1/2: dropped; nobody left, the most frequent class
        ([[-1, -1, -1, 1], [-1] * 4, [-1] * 4], [0], [0, 0, 0, 1]),  # 0: kept, and the last
        ([[-1, -1, -1, -1], [1, 1, 1, 1], [-1] * 4], [1 / 4], [0] * 4),  # weights 1/6 and 1/2: a coin again
    ],
)
def test_a_coin_is_dropped_and_a_perfect_learner_is_the_last(script, errors, answers):
    ScriptedLearner.roll.clear()
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    model = sb.AdaBoostM1Classifier(ScriptedLearner(script), n_estimators=3).fit(X, y)
    ScriptedLearner.roll.clear()
    assert model.estimator_errors_.tolist() == pytest.approx(errors)
    assert model.predict(X).tolist() == answers


def copies_of(kind, lane, n, key):
    if kind is sb.OnlineBaggingClassifier:
        return np.array([draws.poisson(key, t, lane, 1.0) for t in range(n)])
    drawn = [int(draws.uniform(key, j, lane, draws.POISSON) * n) for j in range(n)]
    return np.bincount(drawn, minlength=n).astype(float)


@pytest.mark.parametrize("kind", [sb.OnlineBaggingClassifier, sb.BaggingClassifier])
def test_equal_counts_give_equal_learners(kind):
    """Naive Bayes is lossless: copies in a bootstrap, copies on a stream and weights make the same learner, bit for bit."""
    rng = np.random.default_rng(5)
    n, key = 50, 9
    X, y = rng.normal(size=(n, 4)), rng.integers(0, 3, n)
    state = state_of(kind(n_estimators=20, random_state=key).fit(X, y))
    for lane in range(20):
        counts = copies_of(kind, lane, n, key)
        if kind is sb.BaggingClassifier:
            assert counts.sum() == n
        alone = sb.SingleLearnerClassifier().partial_fit(X, y, classes=[0, 1, 2], sample_weight=counts)
        for name in ("class_weight", "mean", "spread", "precision"):
            field = f"bank/{name}"
            assert state[field][:, lane].tolist() == state_of(alone)[field][:, 0].tolist(), (name, lane)


@pytest.mark.parametrize("kind", [sb.OnlineBaggingClassifier, sb.BaggingClassifier])
def test_nominal_counts_are_the_copies(kind):
    rng = np.random.default_rng(6)
    n, key = 40, 4
    X, y = rng.integers(0, 3, (n, 2)).astype(float), rng.integers(0, 2, n)
    count = state_of(kind(n_estimators=5, random_state=key, categorical_features=[0, 1]).fit(X, y))[
        "bank/count"
    ]
    for lane in range(5):
        copies = copies_of(kind, lane, n, key)
        expected = [
            copies[(X[:, j] == value) & (y == c)].sum()
            for j in range(2)
            for value in dict.fromkeys(X[:, j])  # in order of first appearance
            for c in range(2)
        ]
        assert count[:, lane].tolist() == expected


def distance_from_adaboost(n, seeds):
    """Mean |error online - error batch| of the first three learners, and how often the ensembles agree."""
    raw = {"n_estimators": 3, "categorical_features": list(range(20))}
    gaps, agree = [], []
    for seed in seeds:
        X, y = SyntheticStream(2, seed=seed, n_rows=None).rows(0, n + 10000)
        online = sb.OnlineBoostingClassifier(sb.NaiveBayes(prior_alpha=0), random_state=seed, **raw)
        online.fit(X[:n], y[:n])
        batch = sb.AdaBoostM1Classifier(sb.NaiveBayes(prior_alpha=0), **raw).fit(X[:n], y[:n])
        lanes = online.report().lanes
        error = lanes["sum_wrong"] / (lanes["sum_wrong"] + lanes["sum_correct"])
        gaps.append(np.abs(error - batch.estimator_errors_))
        agree.append(np.mean(online.predict(X[n:]) == batch.predict(X[n:])))
    return np.mean(gaps, axis=0), np.mean(agree)


def test_online_boosting_tends_to_adaboost():
    """Theorem 4 of the thesis in numbers, first learners only: errors and ensembles come close as the stream grows."""
    few, _ = distance_from_adaboost(4000, (1, 2, 3))
    many, agreement = distance_from_adaboost(256_000, (1, 2))
    assert (many < few).all()
    assert (many < (0.005, 0.005, 0.01)).all()
    assert agreement > 0.99


@pytest.mark.parametrize("kind", [sb.AdaBoostM1Classifier, sb.BaggingClassifier])
def test_batch_models_have_files_and_no_verbs_of_a_stream(kind, tmp_path):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(80, 3)), rng.choice(["a", "b", "c"], 80)
    model = kind(n_estimators=20, random_state=1).fit(X, y)
    model.save(tmp_path / "model.sboost")
    again = sb.load(tmp_path / "model.sboost")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    for verb in ("partial_fit", "test_then_train", "learn_one", "report"):
        assert not hasattr(model, verb)
    with pytest.raises(AttributeError, match="use fit"):
        model.partial_fit(X, y)
    assert not [name for name, array in state_of(model).items() if name.startswith("rows/") and array.size]


def test_fit_primes_with_a_fifth():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(203, 2)), rng.integers(0, 2, 203)
    model = sb.PrimedOnlineBoostingClassifier(n_estimators=3, random_state=1).fit(X, y)
    assert model.report().totals["n_prime"] == 40
    model.partial_fit(X[:1], y[:1])  # and goes on
    streamed = sb.PrimedOnlineBoostingClassifier(n_estimators=3, n_prime=40, random_state=1)
    streamed.partial_fit(X, y, classes=[0, 1]).partial_fit(X[:1], y[:1])
    assert streamed.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def test_a_primed_ensemble_with_importances_is_given_advice():
    X = np.random.default_rng(1).normal(size=(1200, 3))
    model = sb.PrimedOnlineBoostingClassifier(n_estimators=7, n_prime=20, importances=True, random_state=1)
    assert model.partial_fit(X, X[:, 0] > 0).report().advice is not None
