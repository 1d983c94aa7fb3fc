"""What is compared with what. A new algorithm joins by adding a line here; nothing else changes.

A race is one stream and several contestants. The first contestant is ours; ratios are its rate over theirs.
``spec`` is passed to the peer's ``Runner`` as it stands: MOA and VW get their own command lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

N, FEW = 100, 10
Options = Mapping[str, object]
NONE: Options = {}


@dataclass(frozen=True)
class Contestant:
    peer: str
    label: str
    spec: Mapping[str, object]
    rows: int | None = None  # fewer rows than the race, for the slow; its accuracy is then not comparable
    goal: float | None = None  # ours must be at least this many times faster
    note: str = ""
    lost: float | None = None  # ours may be less accurate by this much at most


@dataclass(frozen=True)
class Race:
    group: str
    name: str
    stream: str
    rows: int
    contestants: tuple[Contestant, ...] = field(default=())
    n: int = N

    @property
    def title(self) -> str:
        return f"{self.group}: {self.name}, N = {self.n}"


def ours(model: str, learner: str, options: Options = NONE, tree: Options = NONE, n: int = N) -> Contestant:
    """Ours with default options, or with `options` of the model and `tree` of the learner, which the label names."""
    spec = {
        "model": model,
        "learner": learner,
        "n_estimators": n,
        "options": options,
        "learner_options": tree,
    }
    named = ", ".join(f"{name}={value}" for name, value in {**options, **tree}.items())
    return Contestant("streamboost", f"{model} + {learner}" + (f" ({named})" if named else ""), spec)


def vw(algorithm: str, goal: float | None = 15.0, lost: float | None = 0.003, n: int = N) -> Contestant:
    arguments = ["--boosting", str(n), "--alg", algorithm]
    return Contestant(
        "vw", f"--boosting {n} --alg {algorithm}", {"arguments": arguments}, goal=goal, lost=lost
    )


def moa(
    ensemble: str,
    learner: str,
    goal: float | None = None,
    note: str = "",
    lost: float | None = None,
    n: int = N,
    rows: int | None = None,
) -> Contestant:
    name = learner.rsplit(".", 1)[-1]
    cli = f"meta.{ensemble} -l {learner} -s {n}"
    label = f"{ensemble} + {name}"
    return Contestant("moa", label, {"cli": cli}, rows=rows, goal=goal, note=note, lost=lost)


def river(ensemble: str, learner: str, rows: int, n: int = N) -> Contestant:
    spec = {"ensemble": ensemble, "learner": learner, "n_models": n}
    return Contestant("river", f"{ensemble} + {learner}", spec, rows=rows)


CUT = "its vote stops after a few learners"
# The peer's readings of Oza's boosting, and of what the leaves below a split inherit.
AS_MOA: dict[str, Any] = {
    "options": {"normalise": "n", "ballot": "distribution", "copies_cap": None},
    "tree": {"growth": "vfdt", "pass_on": "seen"},
}
DENSE, SPARSE, BAYES, TREES = "linear, dense", "linear, sparse", "naive Bayes", "Hoeffding trees"
LATER = "after 2012"


def linear_races(group: str, stream: str, rows: int) -> tuple[Race, ...]:
    """The three boosters that VW has, too. MOA walks all columns of a sparse row: it gets fewer of them."""
    peers = [vw(name) for name in ("BBM", "logistic", "adaptive")]
    if stream in ("hyperplane", "webpage-w8a"):
        rows_of_moa = 2_000 if group == SPARSE else None
        peers.append(moa("OnlineSmoothBoost", "functions.Perceptron", rows=rows_of_moa))
    return (
        Race(
            group,
            f"smooth boosting, {stream}",
            stream,
            rows,
            (
                ours("osboost", "logistic", {"vote": "ocp"}, {"learning_rate_spread": 1.0}),
                ours("osboost", "logistic"),
                ours("osboost", "perceptron"),
                *peers,
            ),
        ),
        Race(
            group,
            f"boost by majority, {stream}",
            stream,
            rows,
            (
                ours("online-bbm", "logistic"),
                ours("online-bbm", "perceptron"),
                vw("BBM"),
            ),
        ),
        Race(
            group,
            f"adaptive boosting, {stream}",
            stream,
            rows,
            (
                ours("adaboost-ol.w", "logistic"),  # importance weights, as VW has it
                ours("adaboost-ol", "logistic"),
                ours("adaboost-ol", "perceptron"),
                vw("adaptive"),
                vw("logistic"),
            ),
        ),
    )


def bayes_race(
    ensembles: tuple[str, str], stream: str, *more: Contestant, goal: float | None = None, n: int = N
) -> Race:
    model, theirs = ensembles
    note = CUT if theirs == "OzaBoost" else ""
    peer = moa(theirs, "bayes.NaiveBayes", goal, note, n=n)
    title = {"osboost": "smooth boosting", "oza-boost": "Oza boosting"}.get(model, model)
    return Race(
        BAYES, f"{title}, {stream}", stream, 10_000, (ours(model, "naive-bayes", n=n), peer, *more), n
    )


def tree_race(stream: str, *more: Contestant, n: int = N, goal: float | None = 8.0) -> Race:
    return Race(
        TREES,
        f"Oza boosting, {stream}",
        stream,
        20_000,
        (
            ours("oza-boost", "hoeffding-tree", **AS_MOA, n=n),
            ours("oza-boost", "hoeffding-tree", n=n),
            moa("OzaBoost", "trees.HoeffdingTree", goal, lost=0.005, n=n),
            *more,
        ),
        n,
    )


def later_races(stream: str, rows: int) -> tuple[Race, ...]:
    """Boosters after 2012, in MOA with its own learners and guards."""
    tree = {"growth": "vfdt", "pass_on": "seen"}
    chain = {"grace_period": 25, "delta": 0.05, "leaf_prediction": "mean", "feature_fraction": 0.75}
    paper = {"learning_rate": 0.0125}
    gradient = ("streaming-gradient-boost", "hoeffding-tree-regressor")

    def theirs(name: str, goal: float, n: int = N) -> Contestant:
        return Contestant("moa", name, {"cli": f"meta.{name} -s {n}"}, goal=goal, lost=0.0)

    return (
        Race(
            LATER,
            f"gradient boosted trees, {stream}",
            stream,
            rows // 4,  # MOA's chain takes minutes for more
            (
                ours(*gradient, {}, chain),
                ours(*gradient, paper, chain),
                theirs("StreamingGradientBoostedTrees", 10.0),
            ),
        ),
        *(
            Race(
                LATER,
                f"{name}, {stream}",
                stream,
                rows,
                (ours("reordered-boost", "hoeffding-tree", options, tree, n=FEW), theirs(name, 8.0, FEW)),
                FEW,
            )
            for name, options in (("BOLE", {}), ("ADOB", {"method": "adob", "drift": "adwin"}))
        ),
    )


SMOOTH, OZA, BAG = ("osboost", "OnlineSmoothBoost"), ("oza-boost", "OzaBoost"), ("bagging", "OzaBag")

RACES = (
    *linear_races(DENSE, "hyperplane", 40_000),
    Race(
        DENSE,
        "Oza boosting, hyperplane",
        "hyperplane",
        40_000,
        (
            ours("oza-boost", "perceptron"),
            ours("oza-boost", "logistic"),
            moa("OzaBoost", "functions.Perceptron", 10.0, CUT),
            river("AdaBoostClassifier", "Perceptron", 1_000),
        ),
    ),
    Race(
        DENSE,
        "bagging, hyperplane",
        "hyperplane",
        40_000,
        (
            ours("bagging", "perceptron"),
            ours("bagging", "logistic"),
            moa("OzaBag", "functions.Perceptron"),
            river("BaggingClassifier", "Perceptron", 1_000),
        ),
    ),
    Race(
        DENSE,
        "boost by majority, covtype",
        "covtype",
        20_000,
        (
            ours("online-bbm", "logistic"),
            ours("osboost", "logistic"),
            ours("osboost", "perceptron"),
            vw("BBM"),
            moa("OnlineSmoothBoost", "functions.Perceptron"),
        ),
    ),
    Race(
        DENSE,
        "smooth boosting, hyperplane",
        "hyperplane",
        40_000,
        (
            ours("osboost", "logistic", n=FEW),
            ours("osboost", "perceptron", n=FEW),
            vw("BBM", None, None, n=FEW),
            moa("OnlineSmoothBoost", "functions.Perceptron", n=FEW),
        ),
        FEW,
    ),
    Race(
        DENSE,
        "Oza boosting, hyperplane",
        "hyperplane",
        40_000,
        (
            ours("oza-boost", "perceptron", n=FEW),
            moa("OzaBoost", "functions.Perceptron", None, CUT, n=FEW),
            river("AdaBoostClassifier", "Perceptron", 2_000, n=FEW),
        ),
        FEW,
    ),
    *linear_races(DENSE, "ijcnn1", 20_000),
    *linear_races(SPARSE, "a9a", 20_000),
    *linear_races(SPARSE, "webpage-w8a", 20_000),
    Race(
        SPARSE,
        "bagging, a9a",
        "a9a",
        20_000,
        (
            ours("bagging", "perceptron"),
            ours("bagging", "logistic"),
            moa("OzaBag", "functions.Perceptron", rows=2_000),
            river("BaggingClassifier", "Perceptron", 1_000),
        ),
    ),
    bayes_race(SMOOTH, "gaussians", goal=50.0),
    bayes_race(OZA, "gaussians", river("AdaBoostClassifier", "GaussianNB", 100), goal=30.0),
    bayes_race(BAG, "gaussians", river("BaggingClassifier", "GaussianNB", 100), goal=25.0),
    bayes_race(SMOOTH, "nominal", goal=30.0),
    bayes_race(OZA, "nominal"),
    bayes_race(BAG, "nominal"),
    bayes_race(BAG, "clusters", river("BaggingClassifier", "GaussianNB", 100)),
    bayes_race(SMOOTH, "gaussians", n=FEW),
    bayes_race(OZA, "clusters", river("AdaBoostClassifier", "GaussianNB", 500, n=FEW), n=FEW),
    tree_race("hyperplane", river("AdaBoostClassifier", "HoeffdingTree", 300)),
    tree_race("gaussians"),
    tree_race("nominal"),
    tree_race("clusters"),
    Race(
        TREES,
        "Oza boosting, covtype",
        "covtype",
        8_000,
        (
            ours("oza-boost", "hoeffding-tree"),
            ours("oza-boost", "hoeffding-tree", **AS_MOA),
            moa("OzaBoost", "trees.HoeffdingTree", lost=0.005),
        ),
    ),
    Race(
        TREES,
        "bagging, hyperplane",
        "hyperplane",
        20_000,
        (
            ours("bagging", "hoeffding-tree", {"ballot": "distribution"}, AS_MOA["tree"]),
            moa("OzaBag", "trees.HoeffdingTree", 8.0, lost=0.005),
            river("BaggingClassifier", "HoeffdingTree", 300),
        ),
    ),
    tree_race("hyperplane", river("AdaBoostClassifier", "HoeffdingTree", 1_000, n=FEW), n=FEW, goal=None),
    tree_race("clusters", river("AdaBoostClassifier", "HoeffdingTree", 1_000, n=FEW), n=FEW, goal=None),
    *later_races("hyperplane", 10_000),
    *later_races("gaussians", 10_000),
    *later_races("nominal", 10_000),
    *later_races("ijcnn1", 10_000),
    *later_races("covtype", 10_000),
)
