"""Every ensemble x learner, product and oracle side by side."""

from dataclasses import dataclass, field
from functools import partial

from oracle import (
    count_bayes,
    hoeffding,
    iti,
    linear,
    logistic,
    mlp,
    naive_bayes,
    nearest_neighbors,
    stump,
    tan,
)
from oracle.adaboost_ol import AdaBoostOL
from oracle.agnostic import Agnostic
from oracle.arcx4 import ArcX4
from oracle.bagging import Bagging
from oracle.bayes import Bayes
from oracle.bbm import BBM
from oracle.blocked import Blocked
from oracle.cost_boosting import CostBoosting
from oracle.defensive import Defensive
from oracle.exp import EXP
from oracle.mbbm import MBBM
from oracle.ocp import OCP
from oracle.ogboost import OGBoost
from oracle.olm import OLM
from oracle.osboost import OSBoost
from oracle.oza import Oza
from oracle.primed import Primed
from oracle.reordered import Reordered
from oracle.single import Single
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.naive_bayes import GaussianNB

import streamboost as sb


@dataclass
class Learner:
    name: str
    product: object  # () -> learner
    oracle: object = None  # class in tests/oracle
    options: dict = field(default_factory=dict)
    kinds: tuple = ("numeric",)
    scale: str = "none"
    linear: bool = False
    black_box: bool = False
    subsets: bool = True  # takes feature_fraction

    def make(self):
        return lambda columns, n_classes, seed, lane: self.oracle(
            columns, n_classes, seed, lane, **self.options
        )


def linear_learner(name, product, oracle, scale="none", **options):
    return Learner(
        name,
        lambda: product(scale=scale, **options),
        oracle,
        options,
        kinds=("numeric", "numeric", "nominal", "mixed"),
        scale=scale,
        linear=True,
    )


def logistic_learner(name, scale="auto", **options):
    return Learner(
        name,
        lambda: sb.LogisticRegression(scale=scale, **options),
        logistic.Adaptive,
        options,
        kinds=("numeric", "numeric", "nominal", "mixed"),
        scale=scale,
    )


def bayes_learner(name, kinds, **options):
    return Learner(name, lambda: sb.NaiveBayes(**options), naive_bayes.NaiveBayes, options, kinds=kinds)


def counts_learner(counts, **options):
    options = {"counts": counts, **options}
    return Learner(
        f"bayes-{counts}",
        lambda: sb.NaiveBayes(**options),
        count_bayes.CountBayes,
        options,
        kinds=("counts",),
        subsets=False,  # the oracle counts columns that a learner does not look at
    )


def stump_learner(name, kinds, **options):
    return Learner(name, lambda: sb.DecisionStump(**options), stump.Stump, options, kinds=kinds)


def network(name, product, n_parents, **options):
    oracle_options = {**options, "n_parents": n_parents}
    return Learner(
        name, lambda: product(**options), tan.Network, oracle_options, kinds=("nominal",), subsets=False
    )


def mlp_learner(name, **options):
    kinds = ("numeric", "nominal", "mixed")
    return Learner(
        name, lambda: sb.MLP(**options), mlp.MLP, options, kinds=kinds, scale="unit", subsets=False
    )


def neighbors_learner(name, **options):
    return Learner(
        name,
        lambda: sb.NearestNeighbors(**options),
        nearest_neighbors.NearestNeighbors,
        options,
        kinds=("numeric", "nominal", "mixed"),
        scale="standard",
        subsets=False,
    )


LEARNERS = [
    linear_learner("perceptron", sb.Perceptron, linear.Perceptron),
    linear_learner("perceptron-zero", sb.Perceptron, linear.Perceptron, start="zero", fit_intercept=False),
    linear_learner("perceptron-maxabs", sb.Perceptron, linear.Perceptron, scale="maxabs"),
    linear_learner("ogd", sb.OGD, linear.OGD),
    linear_learner("ogd-standard", sb.OGD, linear.OGD, scale="standard"),
    logistic_learner("logistic"),
    logistic_learner(
        "logistic-spread", learning_rate_spread=1.0, learning_rate=2.5, clip=None, start="sphere"
    ),
    logistic_learner("logistic-standard", scale="standard", fit_intercept=False),
    linear_learner("logistic-plain", partial(sb.LogisticRegression, update="plain"), linear.Logistic),
    linear_learner(
        "logistic-plain-maxabs",
        partial(sb.LogisticRegression, update="plain"),
        linear.Logistic,
        fit_intercept=False,
        scale="maxabs",
    ),
    bayes_learner("bayes-numeric", ("numeric",)),
    bayes_learner("bayes-nominal", ("nominal",)),
    bayes_learner("bayes-mixed", ("mixed",)),
    bayes_learner("bayes-laplace", ("nominal", "mixed"), alpha=1.0, prior_alpha=0.5, var_floor=0.1),
    bayes_learner("bayes-all", ("numeric", "mixed"), divisor="all"),
    bayes_learner("bayes-raw", ("nominal", "mixed"), prior_alpha=0.0),
    bayes_learner("bayes-sparse", ("numeric", "counts", "mixed"), sparse="always"),
    counts_learner("multinomial"),
    counts_learner("complement", alpha=0.5),
    counts_learner("bernoulli", prior_alpha=0.5),
    stump_learner("stump", ("nominal", "mixed")),
    stump_learner("stump-exact", ("numeric", "mixed"), numeric="exact"),
    stump_learner("stump-bins", ("numeric", "mixed"), max_bins=4),
    mlp_learner("mlp"),
    mlp_learner("mlp-three", hidden_units=3, updates_per_example=2, learning_rate=0.7),
    neighbors_learner("neighbors", window=7),
    neighbors_learner("neighbors-one", n_neighbors=1, window=4),
    network("tan", sb.TAN, 1, relearn=3),
    network("tan-query", sb.TAN, 1, relearn="query"),
    network("tan-raw", sb.TAN, 1, smoothing=0.0, relearn="query"),
    network("ban-raw", sb.BAN, 2, smoothing=0.0, relearn="query"),
]

# Eager trees: streams of a dozen rows must make them split.
EAGER = {"growth": "vfdt", "grace_period": 3.0, "delta": 0.4, "tie_threshold": 0.6, "var_floor": 0.05}


def tree_learner(name, kinds, **options):
    options = {**EAGER, **options}
    return Learner(name, lambda: sb.HoeffdingTree(**options), hoeffding.HoeffdingTree, options, kinds=kinds)


LEARNERS += [
    tree_learner("tree", ("numeric", "nominal", "mixed")),
    tree_learner("tree-majority", ("numeric", "mixed"), leaf_prediction="majority", criterion="gini"),
    tree_learner(
        "tree-bayes", ("nominal", "mixed"), leaf_prediction="naive_bayes", nominal_split="binary", alpha=0.0
    ),
    tree_learner(
        "tree-random",
        ("numeric", "mixed"),
        grace_period=(1.0, 6.0),
        delta=(0.1, 0.9),
        tie_threshold=(0.1, 1.0),
        feature_fraction=0.6,
        count_mode="effective",
        max_depth=2,
        max_leaves=4,
    ),
    tree_learner("tree-forest", ("numeric", "nominal", "mixed"), growth="ensemble", max_features=0.6),
    tree_learner(
        "tree-narrow",
        ("numeric", "mixed"),
        growth="moa",
        nominal_split="both",
        max_features="sqrt",
        leaf_features="candidates",
        numeric_observer="histogram",
        n_bins=3,
        criterion="gain_ratio",
    ),
    tree_learner(
        "tree-second-thoughts",
        ("numeric", "mixed"),
        reevaluate=4.0,
        nominal_split="grouped",
        tie_threshold=0.9,
    ),
]


def incremental_tree(name, **options):
    kinds = ("numeric", "nominal", "mixed", "mixed")
    return Learner(
        name, lambda: sb.IncrementalTree(**options), iti.IncrementalTree, options, kinds=kinds, subsets=False
    )


LEARNERS += [
    incremental_tree("iti"),
    incremental_tree("iti-unpruned", prune=False),
    incremental_tree("iti-gain", metric="info_gain", prune=False),
    incremental_tree("iti-ks", metric="ks"),
]


class Majority(ClassifierMixin, BaseEstimator):
    """The plainest learner there is: no weights, no probabilities."""

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "counts_"):
            self.counts_ = {}
        for label in y:
            self.counts_[label] = self.counts_.get(label, 0) + 1
        return self

    def predict(self, X):
        best = max(self.counts_, key=lambda label: (self.counts_[label], -label))
        return [best] * len(X)


BLACK_BOXES = [
    Learner("sklearn-perceptron", lambda: SklearnPerceptron(), black_box=True),
    Learner("sklearn-gaussian-nb", lambda: GaussianNB(), black_box=True),
    Learner("majority", Majority, black_box=True),
]


@dataclass
class Ensemble:
    name: str
    product: object
    oracle: object
    options: dict = field(default_factory=dict)
    oracle_options: dict | None = None
    binary: bool = False
    alone: bool = False  # has no n_estimators
    grain: int = 1  # lanes that no cut may divide
    votes: bool = False  # the score is not the (mean) margin: an expert speaks alone
    whole: bool = False  # no cut may divide its lanes
    declared: bool = False  # needs classes=
    rel: float = 1e-9  # how closely product and oracle agree
    few: bool = False  # tried with two learners only

    def make_product(self, learner, n_estimators, seed, categorical=(), **more):
        size = {} if self.alone else {"n_estimators": n_estimators}
        nominal = {"categorical_features": list(categorical)} if len(categorical) else {}
        made = learner.product() if isinstance(learner, Learner) else learner
        return self.product(made, random_state=seed, **size, **nominal, **self.options, **more)

    def make_oracle(self, learner, n_estimators, key, **schema):
        options = self.options if self.oracle_options is None else self.oracle_options
        size = () if self.alone else (n_estimators,)
        return self.oracle(learner.make(), *size, key, scale=learner.scale, **options, **schema)


def oza(name, **options):
    return Ensemble(f"oza{name}", sb.OnlineBoostingClassifier, Oza, options)


def osboost(name, oracle, votes=False, **options):
    ours = {name: value for name, value in options.items() if name not in ("vote", "projection")}
    return Ensemble(f"osboost{name}", sb.OSBoostClassifier, oracle, options, ours, binary=True, votes=votes)


def ogboost(name, n_candidates, **options):
    options = {"n_candidates": n_candidates, **options}
    return Ensemble(f"ogboost{name}", sb.OGBoostClassifier, OGBoost, options, binary=True, grain=n_candidates)


def adaboost_ol(name, votes, **options):
    return Ensemble(
        f"adaboost-ol{name}", sb.AdaBoostOLClassifier, AdaBoostOL, options, binary=True, votes=votes
    )


def mbbm(name, **options):
    ours = {key: value for key, value in options.items() if not (key == "preset" and value != "paper_code")}
    return Ensemble(f"mbbm{name}", sb.OnlineMBBMClassifier, MBBM, options, ours, declared=True)


def olm(name, **options):
    return Ensemble(f"olm{name}", sb.AdaBoostOLMClassifier, OLM, options, declared=True)


def reordered(method, ballot):
    options = {"method": method, "ballot": ballot}
    product = {**options, "drift": None}
    return Ensemble(method, sb.ReorderedBoostingClassifier, Reordered, product, options, whole=True)


def cost_boosting(algorithm, **options):
    options = {"algorithm": algorithm, **options}
    return Ensemble(algorithm, sb.CostBoostingClassifier, CostBoosting, options, binary=True, votes=True)


FEW = ("perceptron", "bayes-mixed")


def bayes(name, rel=1e-9, few=True, **options):
    return Ensemble(
        f"bayes{name}", sb.BayesianEnsembleClassifier, Bayes, options, binary=True, rel=rel, few=few
    )


ENSEMBLES = [
    Ensemble("single", sb.SingleLearnerClassifier, Single, alone=True),
    Ensemble("bagging", sb.OnlineBaggingClassifier, Bagging, {"ballot": "label"}),
    Ensemble(
        "bagging-fraction",
        sb.OnlineBaggingClassifier,
        Bagging,
        {"sampling": "fraction", "fraction": 0.6, "ballot": "label"},
    ),
    Ensemble(
        "bagging-under-over",
        sb.OnlineBaggingClassifier,
        Bagging,
        {"sampling": "under_over", "ballot": "label"},
    ),
    Ensemble("bagging-soft", sb.OnlineBaggingClassifier, Bagging, {"ballot": "distribution"}),
    oza(""),
    oza("-class0-all", untrained="class0", prefix="all"),
    oza("-random-skip", untrained="random", prefix="skip_bad", vote="linear_edge"),
    oza("-test-first", order="test_first", vote="uniform", prefix="skip_bad"),
    oza("-weight-cap", draw="weight", lambda_cap=3.0, vote="sun_literal", prefix="all"),
    oza("-n", normalise="n", lambda_cap=50.0, copies_cap=None),
    oza("-two-copies", copies_cap=2),
    oza("-soft", normalise="n", ballot="distribution", untrained="class0"),
    Ensemble("osboost", sb.OSBoostClassifier, OSBoost, {"gamma": 0.1}, binary=True),
    Ensemble(
        "osboost-sign",
        sb.OSBoostClassifier,
        OSBoost,
        {"gamma": 0.2, "hypothesis": "sign"},
        binary=True,
    ),
    osboost("-ocp", OCP, vote="ocp"),
    osboost("-ocp-pivot", OCP, vote="ocp", projection="pivot", step="1/sqrt(t)", hypothesis="sign"),
    osboost("-ocp-third", OCP, vote="ocp", gamma=0.3, step="sqrt(2/(Nt))"),
    osboost("-ocp-ball", OCP, vote="ocp", domain="l1_ball"),
    osboost("-exp", EXP, vote="exp"),
    osboost("-exp-sample", EXP, votes=True, vote="exp", hedge="sample", hedge_rate=1.0),
    osboost("-exp-best", EXP, votes=True, vote="exp", hedge="best", hypothesis="sign"),
    ogboost("", 1),
    ogboost("-three-savage", 3, loss="savage", shrinkage=0.5),
    ogboost("-two-hinge", 2, loss="hinge", hypothesis="sign"),
    ogboost("-doom", 1, loss="doom"),
    ogboost("-exponential", 1, loss="exponential"),
    Ensemble("online-bbm", sb.OnlineBBMClassifier, BBM, {"edge": 0.2}, binary=True),
    Ensemble("online-bbm-sampling", sb.OnlineBBMClassifier, BBM, {"weighting": "sampling"}, binary=True),
    adaboost_ol("", False),
    adaboost_ol("-importance-best", True, weighting="importance", hedge="best"),
    adaboost_ol("-sample", True, hedge="sample", hypothesis="sign"),
    adaboost_ol("-full", False, weighting="importance", hedge="full"),
    Ensemble("defensive", sb.DefensiveBoostingClassifier, Defensive, binary=True, alone=True),
    Ensemble(
        "defensive-adaptive",
        sb.DefensiveBoostingClassifier,
        Defensive,
        {"adaptive": True},
        binary=True,
        alone=True,
    ),
    Ensemble("agnostic", sb.AgnosticBoostingClassifier, Agnostic, {"gamma": 0.3}),
    Ensemble(
        "agnostic-draw", sb.AgnosticBoostingClassifier, Agnostic, {"draw": True, "gamma": 0.1}, votes=True
    ),
    cost_boosting("adac2"),
    cost_boosting("csb2"),
    cost_boosting("rusboost", ratio=0.7),
    reordered("bole", "distribution"),
    reordered("adob", "label"),
    mbbm("", edge=(0.3, 0.05)),
    mbbm("-exact", edge=0.2, potential="exact", weight_scale="normalised"),
    mbbm("-patient", edge=(0.1, 0.0, 0.5), early_exit=False, hedge="sample", costs="bayes_norm"),
    mbbm("-recursion", edge=0.1, potential="recursion", costs="bayes_norm", weight_scale="normalised"),
    mbbm(
        "-code",
        preset="paper_code",
        edge=0.1,
        potential="exact",
        costs="bayes_raw",
        weight_scale="paper_code",
    ),
    olm(""),
    olm("-paper", costs="bayes_norm", weight_scale="normalised", hedge="sample"),
    olm("-code", gradient="paper_code", costs="bayes_raw", weight_scale="paper_code", hedge="best"),
    olm("-exponential", loss="exponential", weight_scale="normalised"),
    olm("-exponential-code", loss="exponential", gradient="paper_code", weight_scale="paper_code"),
    olm("-hinge", loss="squared_hinge", step="binary"),
    bayes("", few=False, hypothesis="sign"),
    bayes("-odds", hypothesis="log_odds", forgetting=0.9, theta=0.3),
    bayes("-hinge", hypothesis="real", loss="hinge", feature_fraction=None, prior_shape=2.0, prior_rate=0.5),
    bayes("-sgd", hypothesis="real", vote="sgd", loss="squared", learning_rate=3.0),
    bayes("-static", hypothesis="sign", loss="zero_one", learners="static", n_pretrain=4),
    bayes("-voting", hypothesis="log_odds", vote="uniform", feature_fraction=0.7),
    bayes("-gamma-rate", rel=2e-6, hypothesis="log_odds", likelihood="gamma_rate"),
    bayes("-gamma", rel=2e-6, hypothesis="real", likelihood="gamma", forgetting=0.95),
    Ensemble("arc-x4", sb.OnlineArcX4Classifier, ArcX4),
    Ensemble("blocked", sb.BlockedBoostingClassifier, Blocked, {"block_size": 3}),
    Ensemble("blocked-literal", sb.BlockedBoostingClassifier, Blocked, {"block_size": 2, "literal": True}),
    Ensemble("primed", sb.PrimedOnlineBoostingClassifier, Primed, {"n_prime": 5}),
    Ensemble("primed-resample", sb.PrimedOnlineBoostingClassifier, Primed, {"n_prime": 5, "resample": True}),
    Ensemble("primed-late", sb.PrimedOnlineBoostingClassifier, Primed, {"n_prime": 9}),
]

ELSEWHERE = {
    "test_adaptive.py": {
        "streamboost",
        "adaptive-random-forest",
        "streaming-random-patches",
        "leveraging-bagging",
        "adwin-bagging",
        "adwin-boosting",
    },
    "test_batch.py": {"adaboost-m1", "batch-bagging"},
    "test_experts.py": {"weighted-majority", "hedge", "winnow"},
    "test_regression.py": {
        "streamboost-regressor",
        "adaptive-random-forest-regressor",
        "gradient-boosting",
        "bagging-regressor",
        "single-regressor",
        "linear-regression",
        "hoeffding-tree-regressor",
    },
    "test_replay.py": {"replay-boosting", "replay-boosting-regressor"},
    "test_streaming_gradient.py": {"streaming-gradient-boost", "streaming-gradient-regressor"},
    "test_words.py": {"hashed-logistic"},
}
"""Models and learners that other files here hold against their oracles."""

MAIN_ENSEMBLES = [
    e
    for e in ENSEMBLES
    if e.name in ("single", "bagging", "bagging-fraction", "oza", "osboost", "mbbm", "olm", "bayes")
]


def lane_report(model, name):
    return model.report().lanes[name]


def pairs(ensembles, learners):
    """For pytest.mark.parametrize: (ensemble, learner) with readable ids."""
    import pytest

    return [
        pytest.param(e, a, id=f"{e.name}:{a.name}")
        for e in ensembles
        for a in learners
        if not e.few or a.name in FEW
        if a.subsets or e.oracle is not Bayes  # which cuts the columns of all learners, the oracle's too
    ]


def every_nth(some, n, first=0):
    """One in n of these pairs, each ensemble and each learner with its share: for laws that seldom hang on both."""
    ensembles = list(dict.fromkeys(p.values[0].name for p in some))
    learners = list(dict.fromkeys(p.values[1].name for p in some))
    place = {name: i for names in (ensembles, learners) for i, name in enumerate(names)}
    return [p for p in some if (place[p.values[0].name] + place[p.values[1].name]) % n == first]


def needs_declared(ensemble, learner):
    """Classes up front: where the algorithm wants it, and for learners with a unit per class under blocked boosting, whose
    oracle trains on a block when it is whole. The product does so as its rows come in, which is another thing for a class
    met inside a block."""
    return ensemble.declared or (
        ensemble.oracle is Blocked and learner.oracle in (mlp.MLP, logistic.Adaptive)
    )
