"""What is compared with what. A new algorithm joins by adding a line here; nothing else changes.

A race is one stream and several contestants. The first contestant is ours; ratios are its rate over theirs.
``spec`` is passed to the peer's ``Runner`` as it stands: MOA and VW get their own command lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

N = 100
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
    name: str
    stream: str
    rows: int
    contestants: tuple[Contestant, ...] = field(default=())


def ours(model: str, learner: str, options: Options = NONE, tree: Options = NONE) -> Contestant:
    """Ours with default options, or with `options` of the model and `tree` of the learner, which the label names."""
    spec = {
        "model": model,
        "learner": learner,
        "n_estimators": N,
        "options": options,
        "learner_options": tree,
    }
    named = ", ".join(f"{name}={value}" for name, value in {**options, **tree}.items())
    return Contestant("streamboost", f"{model} + {learner}" + (f" ({named})" if named else ""), spec)


def vw(algorithm: str, goal: float | None = None) -> Contestant:
    arguments = ["--boosting", str(N), "--alg", algorithm]
    return Contestant("vw", f"--boosting {N} --alg {algorithm}", {"arguments": arguments}, goal=goal)


def moa(
    ensemble: str, learner: str, goal: float | None = None, note: str = "", lost: float | None = None
) -> Contestant:
    name = learner.rsplit(".", 1)[-1]
    cli = f"meta.{ensemble} -l {learner} -s {N}"
    return Contestant("moa", f"{ensemble} + {name}", {"cli": cli}, goal=goal, note=note, lost=lost)


def river(ensemble: str, learner: str, rows: int) -> Contestant:
    spec = {"ensemble": ensemble, "learner": learner, "n_models": N}
    return Contestant("river", f"{ensemble} + {learner}", spec, rows=rows)


CUT = "its vote stops after a few learners"
# The peer's readings of Oza's boosting, and of what the leaves below a split inherit.
AS_MOA: dict[str, Options] = {
    "options": {"normalise": "n", "ballot": "distribution", "copies_cap": None},
    "tree": {"pass_on": "seen"},
}


def tree_race(stream: str, rows: int, *more: Contestant) -> Race:
    return Race(
        f"Hoeffding trees, Oza boosting, {stream}",
        stream,
        rows,
        (
            ours("oza-boost", "hoeffding-tree", **AS_MOA),
            ours("oza-boost", "hoeffding-tree"),
            moa("OzaBoost", "trees.HoeffdingTree", goal=5, lost=0.005),
            *more,
        ),
    )


RACES = (
    Race(
        "linear, smooth boosting",
        "hyperplane",
        40_000,
        (
            ours("osboost", "perceptron"),
            ours("osboost", "logistic"),
            vw("BBM", goal=20),
            vw("logistic", goal=20),
            vw("adaptive", goal=20),
            moa("OnlineSmoothBoost", "functions.Perceptron"),
        ),
    ),
    Race(
        "linear, boost by majority",
        "hyperplane",
        40_000,
        (ours("online-bbm", "logistic"), ours("online-bbm", "perceptron"), vw("BBM", goal=20)),
    ),
    Race(
        "linear, adaptive boosting",
        "hyperplane",
        40_000,
        (
            ours("adaboost-ol.w", "logistic"),  # importance weights, as VW has it
            ours("adaboost-ol", "logistic"),
            ours("adaboost-ol", "perceptron"),
            vw("adaptive", goal=20),
            vw("logistic"),
        ),
    ),
    Race(
        "linear, Oza boosting",
        "hyperplane",
        40_000,
        (
            ours("oza-boost", "perceptron"),
            ours("oza-boost", "logistic"),
            moa("OzaBoost", "functions.Perceptron", goal=8, note=CUT),
            river("AdaBoostClassifier", "Perceptron", 1_000),
        ),
    ),
    Race(
        "linear, bagging",
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
        "Gaussian naive Bayes, smooth boosting",
        "gaussians",
        20_000,
        (ours("osboost", "naive-bayes"), moa("OnlineSmoothBoost", "bayes.NaiveBayes", goal=25)),
    ),
    Race(
        "Gaussian naive Bayes, Oza boosting",
        "gaussians",
        20_000,
        (
            ours("oza-boost", "naive-bayes"),
            moa("OzaBoost", "bayes.NaiveBayes", goal=25, note=CUT),
            river("AdaBoostClassifier", "GaussianNB", 100),
        ),
    ),
    Race(
        "Gaussian naive Bayes, bagging",
        "gaussians",
        20_000,
        (
            ours("bagging", "naive-bayes"),
            moa("OzaBag", "bayes.NaiveBayes", goal=25),
            river("BaggingClassifier", "GaussianNB", 100),
        ),
    ),
    Race(
        "nominal naive Bayes, smooth boosting",
        "nominal",
        20_000,
        (ours("osboost", "naive-bayes"), moa("OnlineSmoothBoost", "bayes.NaiveBayes")),
    ),
    Race(
        "nominal naive Bayes, Oza boosting",
        "nominal",
        20_000,
        (ours("oza-boost", "naive-bayes"), moa("OzaBoost", "bayes.NaiveBayes", note=CUT)),
    ),
    Race(
        "nominal naive Bayes, bagging",
        "nominal",
        20_000,
        (ours("bagging", "naive-bayes"), moa("OzaBag", "bayes.NaiveBayes")),
    ),
    tree_race("hyperplane", 20_000, river("AdaBoostClassifier", "HoeffdingTree", 500)),
    tree_race("gaussians", 20_000),
    tree_race("nominal", 20_000),
    tree_race("clusters", 20_000),
    Race(
        "Hoeffding trees, bagging",
        "hyperplane",
        20_000,
        (
            ours("bagging", "hoeffding-tree", {"ballot": "distribution"}, {"pass_on": "seen"}),
            moa("OzaBag", "trees.HoeffdingTree", goal=5, lost=0.005),
            river("BaggingClassifier", "HoeffdingTree", 500),
        ),
    ),
)
