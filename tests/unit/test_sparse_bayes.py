"""Naive Bayes on sparse rows: the answers of the dense way, the laws over many renewals of the kept score, forms for counts."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import streamboost as sb
from tests.inside.handles import lanes_cut, state_of

FORMS = [{"sparse": "always"}, {"counts": "multinomial"}, {"counts": "complement"}, {"counts": "bernoulli"}]


def words(n, d, seed=0, n_classes=2):
    """Rows of words by Zipf's law, some of them told by the class: a CSR matrix of counts, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    share = 1 / np.arange(1, d + 1)
    X = sp.lil_matrix((n, d))
    for i in range(n):
        found = rng.choice(d, 12, p=share / share.sum())
        moved = (found + 3 * y[i] * (rng.random(12) < 0.4)) % d
        for j in moved:
            X[i, j] += 1
    return sp.csr_matrix(X), y


def single(**options):
    return sb.SingleLearnerClassifier(sb.NaiveBayes(**options), calibration=None, random_state=1)


def odd_columns(X, seed=1, offset=1e6):
    """The same with columns that are nearly always there: far from 0 and of little spread, and two of them by turns."""
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    far = offset + rng.normal(size=n)
    half = np.where(rng.random(n) < 0.5, rng.normal(3, 1, n), 0.0)
    late = np.where(np.arange(n) > n // 2, rng.normal(-2, 0.1, n), 0.0)
    return sp.csr_matrix(sp.hstack([X, sp.csr_matrix(np.column_stack([far, half, late]))]))


@pytest.mark.parametrize("options", [{}, {"var_floor": 1e-5}, {"feature_fraction": 0.5}])
@pytest.mark.parametrize(
    "make",
    [
        lambda learner: sb.SingleLearnerClassifier(learner, random_state=1),
        lambda learner: sb.OnlineBaggingClassifier(
            learner, n_estimators=9, ballot="distribution", random_state=1
        ),
        lambda learner: sb.OSBoostClassifier(learner, n_estimators=9, random_state=1),
    ],
    ids=["single", "bagging", "osboost"],
)
def test_sparse_is_dense(make, options):
    X, y = words(700, 60)
    X = odd_columns(X)
    weight = np.random.default_rng(2).choice([0.0, 0.3, 1.0, 5.0], size=len(y))
    weight[0] = 1.0
    args = {"classes": [0, 1], "sample_weight": weight, "output": "proba"}
    dense = make(sb.NaiveBayes(sparse="never", **options)).test_then_train(X.toarray(), y, **args)
    sparse = make(sb.NaiveBayes(sparse="always", **options)).test_then_train(X, y, **args)
    np.testing.assert_allclose(sparse, dense, atol=1e-9, rtol=0)


def test_values_far_from_zero_keep_their_digits():
    X, y = words(400, 30)
    X = odd_columns(X, offset=1e9)
    dense = single(sparse="never").test_then_train(X.toarray(), y, classes=[0, 1], output="proba")
    sparse = single(sparse="always").test_then_train(X, y, classes=[0, 1], output="proba")
    np.testing.assert_allclose(sparse, dense, atol=1e-6)  # a mean of 1e9 is known to 1e-7


def test_rows_of_a_wide_sparse_matrix_choose_the_sparse_form():
    X, y = words(60, 1000)
    auto, never, always = single(), single(sparse="never"), single(sparse="always")
    answers = [model.test_then_train(X, y, classes=[0, 1], output="proba") for model in (auto, never, always)]
    assert answers[0].tobytes() == answers[2].tobytes()
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-9)
    assert state_of(auto)["bank/zero_score"].size > 0
    assert copy.deepcopy(auto).predict_proba(X).tobytes() == auto.predict_proba(X).tobytes()
    narrow = single()
    narrow.partial_fit(X[:, :999], y)
    assert state_of(narrow)["bank/zero_score"].size == 0


def test_a_gap_ends_it_for_a_column():
    X, y = words(300, 30)
    X = X.toarray()
    X[::50, 3] = np.nan
    X[100, :] = np.nan
    dense = single(sparse="never").test_then_train(X, y, classes=[0, 1], output="proba")
    sparse = single(sparse="always").test_then_train(X, y, classes=[0, 1], output="proba")
    np.testing.assert_allclose(sparse, dense, atol=1e-9)


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_laws_over_many_renewals(options):
    """Row by row = chunks = lanes cut anywhere = stopped and resumed, bit for bit; CSR = the same with explicit zeros."""
    X, y = words(400, 40)

    def model():
        return sb.OnlineBaggingClassifier(
            sb.NaiveBayes(**options), n_estimators=11, ballot="distribution", random_state=3
        )

    whole, rows, resumed = model(), model(), model()
    whole.partial_fit(X, y, classes=[0, 1])
    for first in range(0, 400, 7):
        rows.partial_fit(X[first : first + 7], y[first : first + 7], classes=[0, 1])
    with lanes_cut([1, 6, 9]):
        cut = model()
        cut.partial_fit(X.toarray(), y, classes=[0, 1])
    for first in range(0, 400, 80):
        resumed.partial_fit(X[first : first + 80], y[first : first + 80], classes=[0, 1])
        resumed = copy.deepcopy(resumed)
    expected = state_of(whole)
    for other in (rows, cut, resumed):
        got = state_of(other)
        assert [name for name in expected if got[name].tobytes() != expected[name].tobytes()] == []
        assert other.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()


PEERS = {
    "multinomial": MultinomialNB(alpha=0.7),
    "bernoulli": BernoulliNB(alpha=0.7),
    "complement": ComplementNB(alpha=0.7),
}


@pytest.mark.parametrize("counts", PEERS)
def test_counts_are_those_of_scikit_learn(counts):
    X, y = words(300, 50, n_classes=3)
    ours = single(counts=counts, alpha=0.7, prior_alpha=0).partial_fit(X, y, classes=[0, 1, 2])
    theirs = PEERS[counts].fit(X, y)
    expected = theirs.predict_joint_log_proba(X)
    if counts == "complement":  # where scikit-learn leaves the prior of the classes out
        expected = expected + np.log(np.bincount(y) / len(y))
    expected = np.exp(expected - expected.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        ours.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12
    )


@pytest.mark.parametrize("counts", PEERS)
def test_what_is_no_count_is_refused(counts):
    X, y = words(40, 10)
    model = single(counts=counts).partial_fit(X, y)
    before = model.predict_proba(X)
    wrong = X.toarray()
    wrong[5, 3] = -2
    for rows in (wrong, sp.csr_matrix(wrong)):
        with pytest.raises(ValueError, match=r"-2 in .*3.*NaiveBayes takes counts"):
            model.partial_fit(rows, y)
        with pytest.raises(ValueError, match="takes counts"):
            model.predict(rows)
    with pytest.raises(ValueError, match="takes counts"):
        model.learn_one({3: -2.0}, 1)
    assert model.predict_proba(X).tobytes() == before.tobytes()
    with pytest.raises(ValueError, match="is nominal"):
        sb.SingleLearnerClassifier(sb.NaiveBayes(counts=counts), categorical_features=[1]).partial_fit(
            X.toarray(), y
        )


def test_what_contradicts_is_refused():
    X, y = words(10, 5)
    for options in ({"sparse": "always"}, {"counts": "bernoulli"}):
        with pytest.raises(ValueError, match="'divisor' parameter of NaiveBayes is 'all'"):
            single(divisor="all", **options).partial_fit(X, y)
