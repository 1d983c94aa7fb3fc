"""What learners say of their answers in closed form, against oracles that know nothing of the core."""

import math

import numpy as np
import pytest
from oracle.explain import along_path, chord, shapley, tree_game

import streamboost as sb
from tests.catalogue import arrays
from tests.inside.handles import tree_nodes

TREE = {"grace_period": 20, "delta": 0.2, "tie_threshold": 0.3}


def stream(n=600, d=6, k=2, seed=0, nominal=(), missing=0.05):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for j in nominal:
        X[:, j] = rng.integers(0, 4, n)
    score = X[:, 0] + X[:, 1] * X[:, 2] - (X[:, d - 1] > 1) + 0.5 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def coded(X, nominal):
    """Values of nominal columns as trees name them: by the order of their first appearance."""
    out = X.copy()
    for j in nominal:
        codes = {}
        for r, value in enumerate(X[:, j]):
            if not math.isnan(value):
                out[r, j] = codes.setdefault(value, len(codes))
    return out


def probability(label, alpha, k):
    """The answer of a leaf with these masses: of one class less the other, or of one of many."""

    def answer(mass):
        total = sum(mass[:k])
        if total == 0:
            return 0.0
        p = [(m + alpha) / (total + k * alpha) for m in mass[:k]]
        return p[label] - p[1 - label] if k == 2 else p[label]

    return answer


def vote(label, k):
    def answer(mass):
        best = max(range(k), key=lambda c: (mass[c], -c))
        return 0.0 if mass[best] == 0 else 1.0 if best == label else -1.0 if k == 2 else 0.0

    return answer


def check_sum(model, X, told, label=None):
    scores = model.decision_function(X)
    if scores.ndim == 2:
        names = model.classes_.tolist()
        scores = scores[np.arange(len(X)), [names.index(name) for name in told.labels]]
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(told.score, scores)


# ---- trees


@pytest.mark.parametrize("ballot", ["label", "distribution"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"nominal_split": "binary"}, {"nominal_split": "grouped"}, {"max_features": 0.5}, {"alpha": 0.0}],
)
def test_trees_of_masses(ballot, k, options):
    X, y = stream(k=k, nominal=(3, 5))
    learner = sb.HoeffdingTree(**TREE, leaf_prediction="majority", **options)
    model = sb.OnlineBaggingClassifier(
        learner, n_estimators=3, ballot=ballot, random_state=3, categorical_features=[3, 5]
    ).partial_fit(X, y, classes=range(k))
    trees = [tree_nodes(model, i) for i in range(3)]
    assert all(len(nodes) > 5 for nodes in trees)
    alpha = learner.alpha
    rows = X[:3]
    path, exact = model.explain(rows), model.explain(rows, exact=True)
    assert (path.method, exact.method) == ("closed form", "exact")
    for told in (path, exact):
        check_sum(model, rows, told)
    for r, x in enumerate(coded(X, (3, 5))[:3]):
        label = int(path.labels[r])
        answer = probability(label, alpha, k) if ballot == "distribution" else vote(label, k)
        walked = [along_path(nodes, x, answer) for nodes in trees]
        assert path.base[r] == pytest.approx(np.mean([w[0] for w in walked]), abs=1e-12)
        np.testing.assert_allclose(path.contributions[r], np.mean([w[1] for w in walked], axis=0), atol=1e-12)
        games = [tree_game(nodes, x, answer) for nodes in trees]
        assert exact.base[r] == pytest.approx(np.mean([game(set()) for game in games]), abs=1e-12)
        wanted = np.mean([shapley(game, 6) for game in games], axis=0)
        np.testing.assert_allclose(exact.contributions[r], wanted, atol=1e-10)


@pytest.mark.parametrize("k", [2, 3])
def test_incremental_trees(k):
    X, y = stream(n=150, k=k, nominal=(3,))
    model = sb.SingleLearnerClassifier(sb.IncrementalTree(), categorical_features=[3]).partial_fit(
        X, y, classes=range(k)
    )
    nodes = tree_nodes(model, 0)
    assert len(nodes) > 5
    rows = coded(X, (3,))
    for told, exact in ((model.explain(X[:3]), False), (model.explain(X[:3], exact=True), True)):
        check_sum(model, X[:3], told)
        for r in range(3):
            answer = probability(int(told.labels[r]), 0.0, k)
            base, wanted, _ = along_path(nodes, rows[r], answer)
            if exact:
                game = tree_game(nodes, rows[r], answer)
                base, wanted = game(set()), shapley(game, 6)
            assert told.base[r] == pytest.approx(base, abs=1e-12)
            np.testing.assert_allclose(told.contributions[r], wanted, atol=1e-10)


def test_a_stump_gives_all_to_its_test():
    X, y = stream(missing=0)
    model = sb.SingleLearnerClassifier(sb.DecisionStump()).partial_fit(X, y, classes=[0, 1])
    told = model.explain(X[:20])
    check_sum(model, X[:20], told)
    assert told.method == "closed form"
    np.testing.assert_allclose(told.base, (y.sum() - (1 - y).sum()) / len(y))
    assert ((told.contributions != 0).sum(axis=1) <= 1).all()


# ---- learners that add up on the scale of log odds


def odds(model, x):
    """Log odds of class 1, of one learner whose score is the difference of two probabilities."""
    return 2 * math.atanh(model.decision_function(np.asarray(x)[None])[0])


def by_leaving_out(model, x):
    """Log odds without any column, and what each adds: a sum, whatever the others are."""
    nothing = np.full(len(x), np.nan)
    alone = []
    for j in range(len(x)):
        only = nothing.copy()
        only[j] = x[j]
        alone.append(odds(model, only) - odds(model, nothing))
    return odds(model, nothing), alone


ADDITIVE = {
    "naive Bayes": lambda: sb.NaiveBayes(),
    "smoothed": lambda: sb.NaiveBayes(alpha=1.0, prior_alpha=1.0),
    "logistic": lambda: sb.LogisticRegression(),
    "plain logistic": lambda: sb.LogisticRegression(update="plain", scale="standard"),
    "leaf": lambda: sb.HoeffdingTree(grace_period=1e6, leaf_prediction="naive_bayes"),
}


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize("label", [0, 1])
def test_columns_share_by_their_log_odds(learner, label):
    X, y = stream(n=250, nominal=(3,))
    model = sb.SingleLearnerClassifier(ADDITIVE[learner](), categorical_features=[3])
    model.partial_fit(X, y, classes=[0, 1])
    told = model.explain(X[:15], label)
    assert told.method == "closed form"
    sign = 1 if label == 1 else -1
    for r, x in enumerate(X[:15]):
        start, terms = by_leaving_out(model, x)
        base, wanted = chord(start, terms, lambda z: sign * math.tanh(z / 2))
        assert told.base[r] == pytest.approx(base, abs=1e-9)
        np.testing.assert_allclose(told.contributions[r], wanted, rtol=1e-7, atol=1e-9)
        assert (told.contributions[r][np.isnan(x)] == 0).all()


@pytest.mark.parametrize("learner", ["naive Bayes", "logistic"])
def test_more_classes_move_one_after_the_other(learner):
    """Differences to the class's own score move in the order of codes, each along its chord."""
    X, y = stream(n=400, k=3)
    model = sb.SingleLearnerClassifier(ADDITIVE[learner](), calibration=None).partial_fit(
        X, y, classes=[0, 1, 2]
    )

    def logs(x):
        return np.log(model.predict_proba(np.asarray(x)[None])[0])

    nothing = np.full(6, np.nan)
    for told, wanted_label in ((model.explain(X[:8]), None), (model.explain(X[:8], 2), 2)):
        assert told.method == "closed form"
        check_sum(model, X[:8], told)
        for r, x in enumerate(X[:8]):
            label = int(told.labels[r])
            assert wanted_label in (None, label)
            # Up to a constant that all classes share, which differences do not see.
            terms = np.array([logs(np.where(np.arange(6) == j, x, np.nan)) - logs(nothing) for j in range(6)])
            apart = logs(nothing) - logs(nothing)[label]
            moves = terms - terms[:, [label]]
            answer, wanted = 1 / np.exp(apart).sum(), np.zeros(6)
            assert told.base[r] == pytest.approx(answer, abs=1e-9)
            for c in range(3):
                if c == label:
                    continue
                apart[c] += moves[:, c].sum()
                now = 1 / np.exp(apart).sum()
                wanted += moves[:, c] * (now - answer) / moves[:, c].sum()
                answer = now
            np.testing.assert_allclose(told.contributions[r], wanted, rtol=1e-6, atol=1e-8)


def test_a_perceptron_is_a_sum_until_it_is_clipped():
    X, y = stream(n=300, missing=0)
    X /= 6
    model = sb.OSBoostClassifier(sb.Perceptron(start="zero"), n_estimators=1).partial_fit(
        X, y, classes=[0, 1]
    )
    told = model.explain(X[:10])
    for r in range(10):
        without = [
            model.decision_function(np.where(np.arange(6) == j, np.nan, X[r])[None])[0] for j in range(6)
        ]
        np.testing.assert_allclose(told.contributions[r], told.score[r] - np.array(without), atol=1e-9)


# ---- ensembles add what their learners say, with the weights of the vote


def gaussian_parts(state, x, k=2):
    """Priors and terms [class][lane] of naive Bayes, from the arrays of its file."""
    weight = state["bank/class_weight"].reshape(k, -1)
    mean, precision = (state[f"bank/{name}"].reshape(len(x), k, -1) for name in ("mean", "precision"))
    terms = 0.5 * (np.log(precision) - (x[:, None, None] - mean) ** 2 * precision)
    return np.log(weight + 0.01), terms


def oza_weights(state):
    right, wrong = state["lane/sum_correct"], state["lane/sum_wrong"]
    error = np.clip(wrong / (right + wrong), 1e-10, 1 - 1e-10)
    return np.log((1 - error) / error).ravel()


CASES = {
    "bagging": (
        lambda b: sb.OnlineBaggingClassifier(b, n_estimators=7, ballot="distribution", random_state=1),
        None,
        False,
    ),
    "bagging of labels": (
        lambda b: sb.OnlineBaggingClassifier(b, n_estimators=7, ballot="label", random_state=1),
        None,
        True,
    ),
    "oza": (
        lambda b: sb.OnlineBoostingClassifier(b, n_estimators=7, ballot="distribution", random_state=1),
        oza_weights,
        False,
    ),
    "oza of labels": (
        lambda b: sb.OnlineBoostingClassifier(b, n_estimators=7, ballot="label", random_state=1),
        oza_weights,
        True,
    ),
    "osboost": (lambda b: sb.OSBoostClassifier(b, n_estimators=7, random_state=1), None, False),
    "ocp": (
        lambda b: sb.OSBoostClassifier(b, n_estimators=7, vote="ocp", random_state=1),
        lambda s: s["combiner/alpha"],
        False,
    ),
    "bbm": (lambda b: sb.OnlineBBMClassifier(b, n_estimators=7, random_state=1), None, True),
}


@pytest.mark.parametrize("case", CASES)
def test_ensembles_weigh_their_learners(case):
    make, weights, hard = CASES[case]
    X, y = stream(n=400, missing=0)
    model = make(sb.NaiveBayes()).partial_fit(X, y, classes=[0, 1])
    state = arrays(model)
    voices = np.ones(7) if weights is None else np.asarray(weights(state), float)
    told = model.explain(X[:10])
    assert told.method == "closed form"
    check_sum(model, X[:10], told)
    for r, x in enumerate(X[:10]):
        prior, terms = gaussian_parts(state, x)
        start, steps = prior[1] - prior[0], terms[:, 1] - terms[:, 0]
        said, base, parts = [], [], []
        for i in range(7):
            answer = (lambda z: 1.0 if z > 0 else -1.0) if hard else (lambda z: math.tanh(z / 2))
            one_base, one = chord(start[i], steps[:, i].tolist(), answer)
            base.append(one_base)
            parts.append(one)
            said.append(one_base + sum(one))
        if case.startswith("oza"):  # over the size of the votes for both classes
            for_one = np.array([(1 + s) / 2 for s in said])
            whole = abs(voices @ for_one) + abs(voices @ (1 - for_one))
        else:
            whole = voices.sum()
        np.testing.assert_allclose(told.base[r], voices @ np.array(base) / whole, atol=1e-9)
        np.testing.assert_allclose(
            told.contributions[r], voices @ np.array(parts) / whole, rtol=1e-7, atol=1e-9
        )


@pytest.mark.parametrize(
    "learner", ["tree", "bayes tree", "groups", "naive Bayes", "logistic", "stump", "perceptron"]
)
@pytest.mark.parametrize(
    "make",
    [
        lambda b: sb.OnlineBaggingClassifier(b, n_estimators=5, random_state=2),
        lambda b: sb.OnlineBoostingClassifier(b, n_estimators=5, random_state=2),
        lambda b: sb.OnlineArcX4Classifier(b, n_estimators=5, random_state=2),
        lambda b: sb.OSBoostClassifier(b, n_estimators=5, hypothesis="sign", random_state=2),
        lambda b: sb.OGBoostClassifier(b, n_estimators=5, random_state=2),
        lambda b: sb.OnlineBBMClassifier(b, n_estimators=5, random_state=2),
        lambda b: sb.BlockedBoostingClassifier(b, n_estimators=5, block_size=40, random_state=2),
        lambda b: sb.PrimedOnlineBoostingClassifier(b, n_estimators=5, n_prime=100, random_state=2),
        lambda b: sb.LeveragingBaggingClassifier(b, n_estimators=5, random_state=2),
    ],
)
def test_sums_everywhere(make, learner):
    X, y = stream(n=500, nominal=(4,))
    learners = {
        "tree": sb.HoeffdingTree(**TREE, leaf_prediction="majority"),
        "bayes tree": sb.HoeffdingTree(**TREE),
        "groups": sb.HoeffdingTree(**TREE, nominal_split="grouped", reevaluate=100),
        "naive Bayes": sb.NaiveBayes(),
        "logistic": sb.LogisticRegression(),
        "stump": sb.DecisionStump(),
        "perceptron": sb.Perceptron(scale="standard"),
    }
    model = make(learners[learner]).set_params(categorical_features=[4], calibration="platt")
    model.partial_fit(X, y, classes=[0, 1])
    told = model.explain(X[:20])
    assert told.method == "closed form"
    check_sum(model, X[:20], told)
    other = model.explain(X[:20], 0)
    np.testing.assert_allclose(other.contributions, -told.contributions, atol=1e-9)


def test_what_has_no_closed_form_says_so():
    X, y = stream(n=200)
    for model in (
        sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=3, vote="exp"),
        sb.OnlineBaggingClassifier(sb.MLP(), n_estimators=2),
        sb.StreamBoostClassifier(n_estimators=3),
    ):
        model.partial_fit(X, y, classes=[0, 1])
        assert model.explain(X[:3]).method == "sampled"
        assert model.explain(X[:3], exact=True).method == "exact"
        assert model.explain_one(dict(enumerate(X[0].tolist()))).method == "sampled"
