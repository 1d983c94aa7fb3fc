"""The table of models and learners: one entry each. Imports, files, the command line, lists in the documentation and tests
read it; so it imports nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelEntry:
    """One ensemble."""

    name: str
    """On the command line and in model files; never changes."""
    class_name: str
    core: str
    """The booster's name in the core."""
    page: str
    """In the documentation, without its ending."""
    weight: str
    """What an example weighs for a learner, for the list of algorithms (Markdown)."""
    vote: str
    """How learners' answers become the ensemble's (Markdown)."""
    title: str
    package: str = "ensemble"
    max_classes: int | None = None
    """How many classes it tells apart; None: any number."""
    declared: bool = False
    """Whether all classes must be named before the first row."""
    sized: bool = True
    """Whether it has `n_estimators`."""
    experts: bool = False
    """Whether it takes a list of models instead of one learner: it has no file and no place on the command line."""

    @property
    def streams(self) -> bool:
        """Whether it learns row by row; batch ensembles need all rows at once."""
        return self.package == "ensemble"


@dataclass(frozen=True)
class LearnerEntry:
    """One weak learner."""

    name: str
    """On the command line and in model files; never changes."""
    class_name: str
    core: str
    """The bank's name in the core."""
    page: str
    """Section of the page of learners."""
    package: str = "learners"
    discovers: int | None = None
    """How many classes it can meet by surprise; more must be declared. None: any number."""
    nominal_only: bool = False
    """Whether it refuses numeric columns."""
    probabilities: bool = False
    """Whether its answers are probabilities, so that log odds can be taken of them."""


MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        "bagging",
        "OnlineBaggingClassifier",
        "bagging",
        "algorithms/bagging",
        title="Online bagging",
        weight="Poisson(1) copies, independent of the others",
        vote="plurality",
    ),
    ModelEntry(
        "oza-boost",
        "OnlineBoostingClassifier",
        "oza",
        "algorithms/oza-boost",
        title="Oza's online boosting",
        weight=r"Poisson($\lambda$) copies; $\lambda$ grows where earlier learners failed",
        vote="log odds of each learner's error",
    ),
    ModelEntry(
        "osboost",
        "OSBoostClassifier",
        "osboost",
        "algorithms/osboost",
        title="OSBoost",
        weight="at most 1; shrinks where earlier learners are ahead",
        vote="mean of the margins",
        max_classes=2,
    ),
    ModelEntry(
        "ogboost",
        "OGBoostClassifier",
        "ogboost",
        "algorithms/ogboost",
        title="OGBoost",
        weight="slope of a loss at the margin of the earlier learners",
        vote="sum of the margins",
        max_classes=2,
    ),
    ModelEntry(
        "online-bbm",
        "OnlineBBMClassifier",
        "online_bbm",
        "algorithms/online-bbm",
        title="Online BBM",
        weight="how much one more vote would matter for the majority",
        vote="majority",
        max_classes=2,
    ),
    ModelEntry(
        "adaboost-ol",
        "AdaBoostOLClassifier",
        "adaboost_ol",
        "algorithms/adaboost-ol",
        title="AdaBoost.OL",
        weight="slope of the logistic loss; learned weights",
        vote="the best prefixes",
        max_classes=2,
    ),
    ModelEntry(
        "online-mbbm",
        "OnlineMBBMClassifier",
        "mbbm",
        "algorithms/online-mbbm",
        title="OnlineMBBM",
        weight="what its vote can still change",
        vote="one vote each; several edges under Hedge",
        declared=True,
    ),
    ModelEntry(
        "adaboost-olm",
        "AdaBoostOLMClassifier",
        "adaboost_olm",
        "algorithms/adaboost-olm",
        title="Adaboost.OLM",
        weight="slope of a loss at the votes before it",
        vote="weights by gradient descent, prefixes under Hedge",
        declared=True,
    ),
    ModelEntry(
        "bayes",
        "BayesianEnsembleClassifier",
        "bayes",
        "algorithms/bayes",
        title="Bayesian ensemble",
        weight="1; learners differ by their columns",
        vote="weighted by posterior means of their losses",
        max_classes=2,
    ),
    ModelEntry(
        "weighted-majority",
        "WeightedMajorityClassifier",
        "weighted_majority",
        "algorithms/experts",
        title="Weighted majority",
        weight="1; a list of any models",
        vote="weights by the mistakes of each",
        sized=False,
        experts=True,
    ),
    ModelEntry(
        "hedge",
        "HedgeClassifier",
        "hedge",
        "algorithms/experts",
        title="Hedge",
        weight="1; a list of any models",
        vote="weights by the mistakes of each",
        sized=False,
        experts=True,
    ),
    ModelEntry(
        "winnow",
        "WinnowClassifier",
        "winnow",
        "algorithms/experts",
        title="Winnow",
        weight="1; a list of any models",
        vote="weights that move by factors on mistakes",
        max_classes=2,
        sized=False,
        experts=True,
    ),
    ModelEntry(
        "arc-x4",
        "OnlineArcX4Classifier",
        "arcx4",
        "algorithms/arc-x4",
        title="Online Arc-x4",
        weight="1 + the fourth power of the mistakes of earlier learners",
        vote="plurality",
    ),
    ModelEntry(
        "blocked-boost",
        "BlockedBoostingClassifier",
        "blocked",
        "algorithms/blocked-boost",
        title="Blocked boosting",
        weight="1 for one learner at a time, half of them mistakes of the others",
        vote="plurality",
    ),
    ModelEntry(
        "primed-boost",
        "PrimedOnlineBoostingClassifier",
        "primed",
        "algorithms/primed-boost",
        title="Primed online boosting",
        weight="AdaBoost.M1 on the first rows, then as online boosting",
        vote="log odds of each learner's error",
    ),
    ModelEntry(
        "single",
        "SingleLearnerClassifier",
        "single",
        "algorithms/index",
        title="Single learner",
        weight="1",
        vote="the learner's own answer",
        sized=False,
    ),
    ModelEntry(
        "adaboost-m1",
        "AdaBoostM1Classifier",
        "primed",
        "algorithms/batch",
        title="AdaBoost.M1",
        weight="all rows at once",
        vote="as online",
        package="batch",
    ),
    ModelEntry(
        "batch-bagging",
        "BaggingClassifier",
        "batch_bagging",
        "algorithms/batch",
        title="Batch bagging",
        weight="all rows at once",
        vote="as online",
        package="batch",
    ),
)

LEARNERS: tuple[LearnerEntry, ...] = (
    LearnerEntry("perceptron", "Perceptron", "linear", "learners#perceptron", discovers=2),
    LearnerEntry("ogd", "OGD", "linear", "learners#ogd", discovers=2),
    LearnerEntry(
        "logistic",
        "LogisticRegression",
        "linear",
        "learners#logisticregression",
        discovers=2,
        probabilities=True,
    ),
    LearnerEntry("naive-bayes", "NaiveBayes", "naive_bayes", "learners#naivebayes", probabilities=True),
    LearnerEntry("stump", "DecisionStump", "stump", "learners#decisionstump"),
    LearnerEntry("hoeffding-tree", "HoeffdingTree", "hoeffding", "learners#hoeffdingtree"),
    LearnerEntry("iti", "IncrementalTree", "iti", "learners#incrementaltree"),
    LearnerEntry("tan", "TAN", "tan", "learners#tan-and-ban", nominal_only=True),
    LearnerEntry("ban", "BAN", "ban", "learners#tan-and-ban", nominal_only=True),
    LearnerEntry("mlp", "MLP", "mlp", "learners#mlp"),
)


def model_entry(name: str) -> ModelEntry:
    """Return the entry of a model by its name."""
    return next(entry for entry in MODELS if entry.name == name)


def learner_entry(name: str) -> LearnerEntry:
    """Return the entry of a learner by its name."""
    return next(entry for entry in LEARNERS if entry.name == name)
