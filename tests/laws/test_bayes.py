"""The Bayesian ensemble: what the paper proves of it and what follows from its formulas (P9 and its parts of P10-P13)."""

import math

import numpy as np
import pytest
from golden.scripted import ScriptedLearner, ScriptedProba
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import bayes as oracle
from scipy.stats import gamma as gamma_law

from laws.catalogue import lane_report
from laws.strategies import seeds, streams
from streamboost import (
    BayesianEnsembleClassifier,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    SingleLearnerClassifier,
)
from tests.inside.handles import state_of

quick = settings(max_examples=10)
LOSSES = ("logistic", "hinge", "zero_one", "squared")
loss_rows = hnp.arrays(float, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 5))


def scripted(margins, y, **options):
    """A model of scripted learners after all rows; row 0 finds them untrained."""
    ScriptedLearner.roll.clear()
    script = np.asarray(margins).T.tolist()
    model = BayesianEnsembleClassifier(
        ScriptedProba(script), n_estimators=len(script), random_state=0, **{"hypothesis": "real", **options}
    )
    X = np.arange(len(y), dtype=float).reshape(-1, 1)
    model.partial_fit(X, y, classes=[0, 1])
    ScriptedLearner.roll.clear()
    return model


# Sixteenths survive the way through probabilities and back.
margin_rows = hnp.arrays(
    float,
    st.tuples(st.integers(2, 12), st.integers(1, 4)),
    elements=st.integers(-16, 16).map(lambda k: k / 16),
)


# ---- the closed form


@given(g=loss_rows, alpha=st.floats(0.1, 5), beta=st.floats(0.1, 5), theta=st.floats(0.01, 2))
def test_closed_form_is_the_mean_of_the_gamma_posterior(g, alpha, beta, theta):
    n, total = len(g), g.sum(axis=0)
    closed = (alpha + n) / (beta + theta * total)
    for mean, s in zip(closed, total, strict=True):
        assert mean == pytest.approx(gamma_law(alpha + n, scale=1 / (beta + theta * s)).mean(), rel=1e-9)
    # distance to the minimiser of the cumulative loss
    star = (alpha - 1 + n) / (beta + theta * total)
    np.testing.assert_allclose(closed - star, 1 / (beta + theta * total), rtol=1e-9, atol=1e-9)


@quick
@given(m=margin_rows, data=st.data(), loss=st.sampled_from(LOSSES))
def test_product_keeps_the_closed_form(m, data, loss):
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(m), max_size=len(m)))
    model = scripted(m, y, loss=loss, prior_shape=2.0, prior_rate=3.0, theta=0.5)
    c = np.vstack([np.zeros(m.shape[1]), m[1:]])
    g = [[oracle.loss(loss, x, 1 if label else -1) for x in row] for row, label in zip(c, y, strict=True)]
    total = np.sum(g, axis=0)
    np.testing.assert_allclose(lane_report(model, "loss_sum"), total, rtol=1e-9, atol=1e-9)
    lam = lane_report(model, "lambda")
    np.testing.assert_allclose(lam, (2 + len(m)) / (3 + 0.5 * total), rtol=1e-9)
    # less loss, more weight
    order = np.argsort(lane_report(model, "loss_sum"))
    assert (np.diff(lam[order]) <= 1e-12).all()


@given(c=st.floats(-30, 30))
def test_logistic_losses_differ_by_the_answer(c):
    """So the paper's rule is the sign of the weighted sum of answers."""
    gap = oracle.loss("logistic", c, -1) - oracle.loss("logistic", c, 1)
    assert gap == pytest.approx(c, rel=1e-12, abs=1e-14)


@quick
@given(m=margin_rows, data=st.data(), loss=st.sampled_from(LOSSES), factor=st.floats(0.1, 10))
def test_scaling_prior_and_likelihood_together_changes_no_answer(m, data, loss, factor):
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(m), max_size=len(m)))
    rows = np.arange(1, len(y), dtype=float).reshape(-1, 1)
    answers = []
    for beta, theta in [(1.0, 0.1), (factor, 0.1 * factor)]:
        ScriptedLearner.roll.clear()
        model = BayesianEnsembleClassifier(
            ScriptedProba(np.asarray(m).T.tolist()),
            n_estimators=m.shape[1],
            random_state=0,
            hypothesis="real",
            loss=loss,
            prior_rate=beta,
            theta=theta,
        )
        model.partial_fit(np.arange(len(y), dtype=float).reshape(-1, 1), y, classes=[0, 1])
        answers.append(model.decision_function(rows))
    ScriptedLearner.roll.clear()
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-9, atol=1e-12)


def test_no_loss_for_ever_stays_finite():
    y = [1] * 50
    model = scripted(np.ones((50, 2)), y, loss="zero_one", hypothesis="sign")
    # row 0 finds untrained learners, which are wrong once
    np.testing.assert_allclose(lane_report(model, "lambda"), [(1 + 50) / (1 + 0.1)] * 2)


# ---- likelihoods without a closed form


@quick
@given(g=hnp.arrays(float, st.integers(1, 40), elements=st.floats(1e-6, 40)), theta=st.floats(0.02, 1))
def test_sufficient_statistics_hold_all_there_is(g, theta):
    """One at a time or at once: the same posterior, here against a direct product of densities."""
    x = np.linspace(0.05, 20, 400)
    log_direct = sum(gamma_law(x, scale=1 / theta).logpdf(loss) for loss in g)
    summed = x * (np.log(g).sum() + len(g) * math.log(theta)) - len(g) * oracle.gammaln(x)
    shift = log_direct - summed
    np.testing.assert_allclose(shift, shift[0], rtol=1e-7, atol=1e-7)


def quadrature(likelihood, losses, theta=0.1, **options):
    """Posterior means of a model whose one learner has suffered about these (squared) losses."""
    margins = np.clip(1 - np.sqrt(np.asarray(losses, dtype=float)), -1, 1)
    m = np.concatenate([[0.0], margins])[:, None]
    model = scripted(m, [1] * len(m), loss="squared", likelihood=likelihood, theta=theta, **options)
    state = state_of(model)
    names = ("lambda", "rate", "count", "loss_sum", "log_loss_sum")
    return tuple(float(state[f"lane/{name}"][0, 0]) for name in names)


@settings(max_examples=15)
@given(g=hnp.arrays(float, st.integers(1, 60), elements=st.floats(1e-3, 4)), theta=st.floats(0.05, 1))
def test_quadrature_is_the_fine_grid(g, theta):
    lam, rate, n, total, log_total = quadrature("gamma_rate", g, theta)
    assert rate == theta
    assert lam == pytest.approx(oracle.rate_known_mean(log_total, n, theta), rel=2e-6)
    alpha, beta, n, total, log_total = quadrature("gamma", g, theta)
    expected = oracle.both_free_means(log_total, total, n)
    assert (alpha, beta) == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("n", [1e4, 1e6])
@pytest.mark.parametrize("size", [1e-6, 0.3, 50])
def test_quadrature_of_long_streams(n, size):
    """Heavy rows stand for long streams; equal losses are the sharpest case."""
    model = BayesianEnsembleClassifier(
        ScriptedProba([[0.0, 1 - math.sqrt(min(size, 4.0))]]),
        n_estimators=1,
        hypothesis="real",
        loss="squared",
        likelihood="gamma_rate",
    )
    ScriptedLearner.roll.clear()
    model.partial_fit([[0.0], [1.0]], [1, 1], classes=[0, 1], sample_weight=[1, n])
    ScriptedLearner.roll.clear()
    state = state_of(model)
    lam, log_total, count = (float(state[f"lane/{k}"][0, 0]) for k in ("lambda", "log_loss_sum", "count"))
    assert lam == pytest.approx(oracle.rate_known_mean(log_total, count, 0.1), rel=2e-6)


def test_a_larger_shape_is_a_worse_learner():
    """The trap of the Gamma likelihood: its parameter is no vote weight."""
    good, *_ = quadrature("gamma_rate", [0.1] * 40)
    bad, *_ = quadrature("gamma_rate", [3.0] * 40)
    assert bad > good


def test_both_free_prior_is_proper_for_all_data():
    rng = np.random.default_rng(0)
    for _ in range(200):
        g = np.clip(rng.exponential(rng.choice([0.01, 1, 10]), rng.integers(0, 30)), 1e-6, 50)
        r = 1 + len(g)
        assert math.exp((math.log(0.5) + np.log(g).sum()) / r) < (1 + g.sum()) / r


# ---- guarantees


@pytest.mark.parametrize("p", [1.1, 2, 5, 50])
@given(c=hnp.arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 5)), elements=st.floats(-1, 1)))
def test_error_bound_on_a_sample(p, c):
    """The errors of the weighted vote, with lambda = 1 / mean loss, ties as errors; y = +1 without loss of generality."""
    good = np.log1p(np.exp(-c))
    bad = np.log1p(np.exp(c))
    lam = 1 / good.mean(axis=0)
    errors = (lam * (bad - good)).sum(axis=1) <= 0
    b = (lam * bad).sum(axis=1)
    limit = c.shape[1] ** (1 / p) * np.mean(b ** (-1 / (p - 1))) ** ((p - 1) / p)
    assert errors.mean() <= limit * (1 + 1e-9)


@pytest.mark.parametrize("vote", ["bayes", "sgd", "uniform"])
@quick
@given(m=margin_rows, data=st.data(), loss=st.sampled_from(LOSSES))
def test_error_bound_along_the_stream(vote, m, data, loss):
    """The form that report() shows: whatever the weights were in each round."""
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(m), max_size=len(m)))
    model = scripted(m, y, loss=loss, vote=vote)
    found = {bound.name: bound for bound in model.report().bounds}
    assert found["errors of the weighted vote"].holds
    assert ("distance to the minimiser" in found) == (vote == "bayes")
    errors = found["errors of the weighted vote"].lhs
    ensemble = oracle.Bayes(
        lambda *_: None,
        m.shape[1],
        0,
        width=1,
        n_classes=2,
        vote=vote,
        loss=loss,
        feature_fraction=None,
    )
    mistakes = 0
    for row, label in zip(np.vstack([np.zeros(m.shape[1]), m[1:]]), y, strict=True):
        sign = 1 if label else -1
        gap = sum(
            lam * (oracle.loss(loss, c, -sign) - oracle.loss(loss, c, sign))
            for lam, c in zip(ensemble.lam(), row, strict=True)
        )
        if abs(gap) < 1e-9 and row.any():
            return  # a rounding decides
        mistakes += gap <= 0
        ensemble.n += 1
        for i, c in enumerate(row):
            g = oracle.loss(loss, c, sign)
            ensemble.S[i] += g
            step = 1 / ensemble.n * (ensemble.theta * g - 1 / ensemble.sgd[i])
            ensemble.sgd[i] = min(max(ensemble.sgd[i] - step, 1e-3), 1e6)
    assert errors == mistakes


@pytest.mark.parametrize("drift", [False, True])
def test_weights_of_two_halves_agree_unless_the_stream_changes(drift):
    """The change of the weights as report() shows it, on static learners."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 6))
    y = (X @ [1, 1, 0.5, 0.5, 0, 0] + rng.normal(size=3000) > 0).astype(int)
    if drift:
        y[2048:] = 1 - y[2048:]
    model = BayesianEnsembleClassifier(n_estimators=20, learners="static", n_pretrain=200, random_state=0)
    model.partial_fit(X, y, classes=[0, 1])
    bound = next(b for b in model.report().bounds if b.name.startswith("change of the weights"))
    assert bound.premise_holds
    assert bound.holds != drift


def test_posterior_mean_converges_as_fast_as_promised():
    """The spread behind it: T Var(lambda_T) against Var(g) / (theta^2 E[g]^4), for i.i.d. losses 0 and 1."""
    rng = np.random.default_rng(7)
    runs, length, share, theta = 400, 4000, 0.3, 0.1
    g = rng.random((runs, length)) < share
    lam = (1 + length) / (1 + theta * g.sum(axis=1))
    variance = share * (1 - share) / (theta**2 * share**4)
    assert length * lam.var() == pytest.approx(variance, rel=0.25)
    # gradient steps with twice the best step size: variance times 4/3, from a sane start
    rate = 2 / (theta * share) ** 2
    weights = np.full(runs, 0.5 / (theta * share))
    for t in range(1, length + 1):
        weights = np.clip(weights - rate / (t + 2000) * (theta * g[:, t - 1] - 1 / weights), 1e-3, 1e6)
    assert weights.mean() == pytest.approx(1 / (theta * share), rel=0.05)


# ---- learners


@quick
@given(stream=streams(min_rows=3, declared=True), seed=seeds)
def test_one_learner_is_itself(stream, seed):
    for learner in (Perceptron(), NaiveBayes()):
        alone = SingleLearnerClassifier(learner, random_state=seed)
        ensemble = BayesianEnsembleClassifier(
            learner, n_estimators=1, feature_fraction=None, random_state=seed, hypothesis="real"
        )
        a = alone.test_then_train(**stream.everything, classes=stream.classes, output="score")
        b = ensemble.test_then_train(**stream.everything, classes=stream.classes, output="score")
        gap, mine = a[:, 1] - a[:, 0], b[:, 1] - b[:, 0]
        trained = np.abs(mine) > 1e-9  # an untrained single learner falls back on class frequencies
        assert (np.sign(gap[trained]) == np.sign(mine[trained])).all()


@quick
@given(stream=streams(min_rows=3, declared=True), seed=seeds)
def test_learners_without_diversity_are_one_learner(stream, seed):
    """Zero-started learners on all columns stay equal, and so do their weights: subsets are what makes an ensemble."""
    learner = LogisticRegression(start="zero")
    many, one = (
        BayesianEnsembleClassifier(learner, n_estimators=n, feature_fraction=None, random_state=seed)
        for n in (7, 1)
    )
    for model in (many, one):
        model.partial_fit(**stream.everything, classes=stream.classes)
    if stream.weight.any():
        assert len(set(lane_report(many, "lambda").tolist())) == 1
    np.testing.assert_allclose(
        many.decision_function(stream.X), one.decision_function(stream.X), rtol=1e-9, atol=1e-12
    )


def test_subsets_by_default_and_the_learners_own_share_wins():
    X = np.random.default_rng(0).normal(size=(50, 10))
    y = (X[:, 0] > 0).astype(int)

    def used(**options):
        learner = Perceptron(feature_fraction=options.pop("own", None))
        model = BayesianEnsembleClassifier(learner, n_estimators=20, random_state=1, **options).fit(X, y)
        return (state_of(model)["bank/weights"][1:] != 0).sum(axis=0).tolist()

    assert used() == [5] * 20
    assert used(own=0.3) == [3] * 20
    assert used(own=1.0) == [10] * 20
    assert used(feature_fraction=None) == [10] * 20


@quick
@given(seed=seeds, data=st.data())
def test_static_learners_forget_the_order(seed, data):
    """After the freeze the weights are sums: the order of the rest does not matter."""
    rng = np.random.default_rng(data.draw(seeds))
    X = rng.normal(size=(40, 4))
    y = (X @ [1, -1, 0.5, 0] > 0).astype(int)
    order = np.concatenate([np.arange(10), 10 + rng.permutation(30)])
    states = []
    for rows in (np.arange(40), order):
        model = BayesianEnsembleClassifier(
            NaiveBayes(), n_estimators=5, learners="static", n_pretrain=10, random_state=seed
        )
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        states.append(state_of(model))
    for name in states[0]:
        if name.startswith("bank/") and name != "bank/n_met":
            assert states[0][name].tobytes() == states[1][name].tobytes(), name
    np.testing.assert_allclose(states[0]["lane/lambda"], states[1]["lane/lambda"], rtol=1e-9)
    assert (states[0]["lane/count"] == 30).all()


def test_one_class_only_gives_numbers():
    X = np.random.default_rng(0).normal(size=(30, 3))
    for likelihood in ("exponential", "gamma_rate", "gamma"):
        model = BayesianEnsembleClassifier(n_estimators=4, likelihood=likelihood, random_state=0)
        proba = model.test_then_train(X, [1] * 30, classes=[0, 1], output="proba")
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        assert model.predict(X).tolist() == [1] * 30


def test_forgetting_follows_a_change_of_worth():
    """Learner 0 is right for 200 rows, learner 1 for the next 60."""
    m = np.vstack([np.tile([1.0, -1.0], (200, 1)), np.tile([-1.0, 1.0], (60, 1))])
    slow, fast = (scripted(m, [1] * 260, forgetting=r) for r in (1.0, 0.95))
    assert lane_report(slow, "lambda")[0] > lane_report(slow, "lambda")[1]
    assert lane_report(fast, "lambda")[0] < lane_report(fast, "lambda")[1]


def test_a_third_class_is_refused_in_words():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        BayesianEnsembleClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_log_odds_beat_a_plain_vote_when_columns_differ_in_worth():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 12))
    X[:, 0] += 1.5 * (2 * y - 1)
    errors = {}
    for name, options in {
        "bayes": {"theta": 1.0},
        "uniform": {"vote": "uniform"},
    }.items():
        model = BayesianEnsembleClassifier(
            NaiveBayes(), n_estimators=40, random_state=0, hypothesis="sign", feature_fraction=0.2, **options
        )
        errors[name] = float((model.test_then_train(X, y, classes=[0, 1]) != y)[300:].mean())
    assert errors["bayes"] < errors["uniform"]
