"""report() as a bound monitor: every guarantee of every binary booster, checked on streams that try to break it."""

import json
import math
import warnings

import numpy as np
import pytest

import streamboost as sb
from streamboost.report import Bound, advise

BOOSTERS = {
    "uniform": (sb.OSBoostClassifier, {}),
    "uniform-sign": (sb.OSBoostClassifier, {"hypothesis": "sign", "gamma": 0.3}),
    "ocp": (sb.OSBoostClassifier, {"vote": "ocp"}),
    "ocp-pivot": (sb.OSBoostClassifier, {"vote": "ocp", "projection": "pivot", "step": "1/sqrt(t)"}),
    "ocp-third": (sb.OSBoostClassifier, {"vote": "ocp", "step": "sqrt(2/(Nt))", "gamma": 0.4}),
    "ocp-ball": (sb.OSBoostClassifier, {"vote": "ocp", "domain": "l1_ball"}),
    "exp": (sb.OSBoostClassifier, {"vote": "exp"}),
    "exp-sample": (sb.OSBoostClassifier, {"vote": "exp", "hedge": "sample", "hedge_rate": 1.0}),
    "exp-best": (
        sb.OSBoostClassifier,
        {"vote": "exp", "hedge": "best", "hedge_rate": "horizon", "horizon": 300},
    ),
    "bbm": (sb.OnlineBBMClassifier, {}),
    "bbm-sampling": (sb.OnlineBBMClassifier, {"edge": 0.4, "weighting": "sampling"}),
    "ol": (sb.AdaBoostOLClassifier, {}),
    "ol-w": (sb.AdaBoostOLClassifier, {"weighting": "importance", "hedge": "sample"}),
    "ol-full": (sb.AdaBoostOLClassifier, {"hedge": "full", "hypothesis": "sign"}),
    "bayes": (sb.BayesianEnsembleClassifier, {}),
    "bayes-real": (
        sb.BayesianEnsembleClassifier,
        {"hypothesis": "real", "loss": "hinge", "forgetting": 0.99},
    ),
    "bayes-sgd": (
        sb.BayesianEnsembleClassifier,
        {"vote": "sgd", "loss": "squared", "hypothesis": "log_odds"},
    ),
    "bayes-zero-one": (sb.BayesianEnsembleClassifier, {"loss": "zero_one", "vote": "uniform"}),
    "ogboost": (sb.OGBoostClassifier, {"n_candidates": 2, "loss": "savage"}),
}
SMOOTH = {
    "low margins of a prefix",
    "low margins of the uniform vote",
    "advantage budget",
    "number of learners",
}
EXPECTED = {
    "uniform": SMOOTH,
    "ocp": SMOOTH | {"regret of the vote", "errors by hinge loss", "error rate of the vote"},
    "exp": SMOOTH | {"regret of the experts", "expected error rate", "majority of the experts"},
    "bbm": {"errors accounted for", "errors with the excess measured", "errors with strong learners"},
    "ol": {"sum of squared edges", "mistakes of the best prefix", "expected mistakes"},
    "ogboost": set(),
    "bayes": {
        "distance to the minimiser",
        "change of the weights, in standard deviations",
        "errors of the weighted vote",
    },
    "bayes-real": {"distance to the minimiser", "errors of the weighted vote"},
    "bayes-sgd": {"errors of the weighted vote"},
}


def make(name, learner=None, n=15, **more):
    cls, options = BOOSTERS[name]
    return cls(learner or sb.Perceptron(), n_estimators=n, random_state=3, **options, **more)


def stream(kind, n=300, d=4):
    rng = np.random.default_rng(len(kind))
    X = rng.uniform(-1, 1, (n, d))
    y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
    if kind == "noise":
        y = rng.integers(0, 2, n)
    if kind == "drifting":
        y[n // 2 :] = 1 - y[n // 2 :]
    if kind == "one sided":
        y[:] = 1
    weight = rng.choice([0.0, 0.2, 1.0, 3.5], n) if kind == "weighted" else np.ones(n)
    return X, y, weight


@pytest.mark.parametrize("name", BOOSTERS)
@pytest.mark.parametrize(
    "learner", [sb.Perceptron(), sb.OGD(), sb.NaiveBayes()], ids=lambda k: type(k).__name__
)
@pytest.mark.parametrize("kind", ["plain", "noise", "drifting", "one sided", "weighted"])
def test_no_guarantee_is_broken(name, learner, kind):
    X, y, weight = stream(kind)
    model = make(name, learner)
    for rows in np.array_split(np.arange(len(X)), 7):
        model.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=weight[rows])
        report = model.report()
        assert report.broken() == ()
        assert all(bound.holds for bound in report.bounds if bound.assumption_free)
    if name in EXPECTED:
        assert {bound.name for bound in report.bounds} == EXPECTED[name]


@pytest.mark.parametrize("name", BOOSTERS)
def test_the_monitor_never_changes_learning(name):
    X, y, weight = stream("weighted")
    watched, bare = make(name), make(name, monitor=False)
    one, two = (
        m.test_then_train(X, y, classes=[0, 1], sample_weight=weight, output="proba") for m in (watched, bare)
    )
    assert one.tobytes() == two.tobytes()
    assert watched.predict_proba(X).tobytes() == bare.predict_proba(X).tobytes()
    assert bare.memory_bytes() < watched.memory_bytes()
    with pytest.raises(ValueError, match="monitor=True"):
        bare.report()


@pytest.mark.parametrize("name", BOOSTERS)
def test_the_history_is_bounded_and_ends_where_the_stream_is(name):
    X, y, _ = stream("plain", n=3000, d=2)
    model = make(name, n=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(X, y, classes=[0, 1])
    report = model.report()
    examples, weight, reality, bound = report.trace.T
    assert 128 <= len(examples) <= 256
    assert np.all(np.diff(examples) == examples[1] - examples[0])
    assert 3000 - examples[-1] < examples[1] - examples[0]
    assert np.array_equal(weight, examples)
    assert np.all(np.diff(reality) >= -1e-9)
    if report.trace_bounded and "if" not in report.trace_label:  # a promise without a premise
        slack = 1e-6 * examples
        assert np.all(reality <= bound + slack)


def test_a_failing_bound_is_found():
    good = Bound("good", 1.0, 2.0)
    bad = Bound("bad", 3.0, 2.0)
    excused = Bound("excused", 3.0, 2.0, "every edge >= 1", False)
    promised = Bound("promised", 3.0, 2.0, "every edge >= 1", True)
    same = Bound("same", 5.0, 5.0 + 1e-9, identity=True)
    other = Bound("other", 4.0, 5.0, identity=True)
    report = sb.report.EnsembleReport("M", "L", 1, {}, {}, (good, bad, excused, promised, same, other))
    assert report.broken() == (bad, promised, other)
    assert bad.assumption_free
    assert not excused.assumption_free
    assert Bound("vacuous", 0.1, 1.0, trivial=1.0).vacuous
    assert not good.vacuous
    assert "VIOLATED" in str(bad)
    assert "did not hold" in str(excused)
    assert not Bound("nan", math.nan, 2.0).holds


def test_lemma_two_as_printed_is_off_by_one():
    """gamma = 0.1, two learners with m = +1, -1 on all rounds: the printed form would put the error of both below 0.96."""

    gamma = 0.1
    theta = gamma / (2 + gamma)
    second = (1 - gamma) ** ((1 - theta) / 2)
    assert second == pytest.approx(0.9511, abs=1e-4)
    # The mean margin of both, on every round: low margins are bounded by W_3 = T, not by W_2.
    assert theta >= (1 - 1) / 2
    z = (1 - theta) + (-1 - theta)
    assert min(1.0, (1 - gamma) ** (z / 2)) == 1.0


def test_expected_loss_and_shares_are_there():
    X, y, _ = stream("plain")
    report = make("exp").fit(X, y).report()
    assert 0 < report.totals["expected_loss"] < len(X)
    shares = np.exp(report.lanes["hedge_log_weight"])
    assert shares.max() == 1.0
    assert len(shares) == 15
    alpha = make("ocp").fit(X, y).report().lanes["alpha"]
    assert alpha.min() >= 0
    assert alpha.sum() == pytest.approx(1, abs=1e-12)
    alpha = make("ol").fit(X, y).report().lanes["alpha"]
    assert np.abs(alpha).max() <= 2


def test_report_as_json_and_picture(tmp_path):
    X, y, _ = stream("plain")
    report = make("ocp").fit(X, y).report()
    figures = json.loads(json.dumps(report.to_dict()))
    assert {"lhs", "rhs", "holds", "vacuous", "assumption_free", "premise", "premise_holds"} <= set(
        figures["bounds"][0]
    )
    report.plot(tmp_path / "report.png")
    for model, title in (
        (sb.OnlineBaggingClassifier(n_estimators=3), "edge of each learner over the weights it was offered"),
        (sb.OnlineBaggingRegressor(n_estimators=3), "mean absolute error of each learner"),
        (sb.ReplayBoostingClassifier(), "no figures are kept of single learners"),
    ):
        (panel,) = model.fit(X, y).report().plot(tmp_path / "other.svg").axes
        assert panel.get_title("left") == title
        assert len(panel.lines[1].get_xdata()) == (0 if "no figures" in title else 3)
        assert (
            list(panel.lines[1].get_xdata()) == [0, 1, 2][: len(panel.lines[1].get_xdata())]
        )  # as in the table
    assert (tmp_path / "report.png").stat().st_size > 10_000
    assert "Guarantees against what happened" in str(report)


def test_ten_thousand_learners():
    """Beyond 64-bit binomials: weights, the identity and the potential stay exact."""
    X, y, _ = stream("plain", n=20)
    model = sb.OnlineBBMClassifier(sb.Perceptron(), n_estimators=10_000, edge=0.1, random_state=0).fit(X, y)
    report = model.report()
    assert report.broken() == ()
    assert np.isfinite(report.lanes["weight_sum"]).all()
    assert report.lanes["weight_sum"].max() > 0
    assert 0 <= report.totals["potential"] < 1e-20


def test_drawing_an_expert_changes_nothing():
    X, y, _ = stream("noise")
    models = [make("exp-sample"), make("exp", hedge_rate=1.0)]
    for model in models:
        model.fit(X, y)
    answers = models[0].predict(X)
    assert answers.tolist() == models[0].predict(X).tolist()
    assert (
        models[0].report().lanes["expert_loss"].tolist() == models[1].report().lanes["expert_loss"].tolist()
    )


# ---- warnings


def test_warns_when_boosting_is_off():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.01, 0.01, (1200, 4))  # tiny features: tiny margins
    y = (X[:, 0] > 0).astype(int)
    model = sb.OSBoostClassifier(sb.Perceptron(fit_intercept=False), n_estimators=5, random_state=0)
    model.partial_fit(X[:900], y[:900], classes=[0, 1])
    with pytest.warns(UserWarning, match="Boosting is all but off.*scale="):
        model.partial_fit(X[900:], y[900:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X, y)  # once is enough
    assert any("all but off" in line for line in model.report().advice)


def test_rows_learned_one_at_a_time_warn_too():
    X, y, _ = stream("plain", n=1001)
    model = sb.OSBoostClassifier(sb.Perceptron(start="zero"), n_estimators=4, random_state=0)
    learn = [
        lambda x=x, label=label: model.learn_one(dict(enumerate(x)), label)
        for x, label in zip(X, y, strict=True)
    ]
    with pytest.warns(UserWarning, match="All 4 learners are identical") as caught:
        [one() for one in learn]
    assert len(caught) == len(model.report().advice)  # each once


def test_warns_of_identical_learners():
    X, y, _ = stream("plain", n=1100)
    model = sb.OSBoostClassifier(sb.Perceptron(start="zero"), n_estimators=4, random_state=0)
    with pytest.warns(UserWarning, match="All 4 learners are identical.*start='sphere'"):
        model.partial_fit(X, y, classes=[0, 1])


def test_warns_of_starving_learners():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 2)) + np.repeat([[4.0], [-4.0]], 550, axis=0)
    y = np.repeat([1, 0], 550)
    order = rng.permutation(1100)
    model = sb.OGBoostClassifier(n_estimators=40, random_state=0)
    with pytest.warns(UserWarning, match="learners are starving.*n_estimators"):
        model.partial_fit(X[order], y[order], classes=[0, 1])


def test_no_warning_before_a_thousand_examples():
    lanes = {"weight_sum": np.ones(3), "mean_margin": np.full(3, 0.8), "error_rate": np.full(3, 0.1)}
    assert advise(lanes, 999) == ()
    assert len(advise(lanes, 1000)) == 1
