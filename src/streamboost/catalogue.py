"""The table of models, learners and drift detectors: one entry each. Imports, files, the command line, lists in the
documentation and tests read it; so it imports nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The fields that models and learners have in common."""

    name: str
    """On the command line and in model files; never changes."""
    class_name: str
    package: str
    """Where the class is."""
    core: str = ""
    """Its name in the core, unless that is its name here with underscores."""
    page: str = ""
    """In the documentation, without its ending, unless it is the usual one; of a learner its section."""
    task: str = "classification"
    """What it predicts, as `streamboost.evaluate.tasks` names it: classification, regression or multilabel."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "core", self.core or self.name.replace("-", "_"))
        object.__setattr__(self, "page", self.page or self._usual_page)

    @property
    def _usual_page(self) -> str:
        return f"algorithms/{self.name}"

    @property
    def learner_task(self) -> str:
        """What its weak learners predict."""
        return self.task


@dataclass(frozen=True, kw_only=True)
class ModelEntry(Entry):
    """One ensemble."""

    package: str = "ensemble"
    title: str
    weight: str
    """What an example weighs for a learner, for the list of algorithms (Markdown)."""
    vote: str
    """How learners' answers become the ensemble's (Markdown)."""
    max_classes: int | None = None
    """How many classes it tells apart; None: any number."""
    declared: bool = False
    """Whether all classes must be named before the first row."""
    sized: bool = True
    """Whether it has `n_estimators`."""
    steady: bool = True
    """Whether every example is the same work; False: blocks or a batch at a time."""
    learner: bool = True
    """Whether it takes a weak learner; False: it grows its own."""
    experts: bool = False
    """Whether it takes a list of models instead of one learner: it has no file and no place on the command line."""

    regressors: bool = False
    """Whether a classifier is made of learners of regression."""

    @property
    def learner_task(self) -> str:
        """What its weak learners predict."""
        return "regression" if self.regressors or self.task == "regression" else "classification"

    @property
    def streams(self) -> bool:
        """Whether it learns row by row; batch ensembles need all rows at once."""
        return self.package == "ensemble"


@dataclass(frozen=True, kw_only=True)
class LearnerEntry(Entry):
    """One weak learner."""

    package: str = "learners"
    discovers: int | None = None
    """How many classes it can meet by surprise; more must be declared. None: any number."""
    nominal_only: bool = False
    """Whether it refuses numeric columns."""
    probabilities: bool = False
    """Whether its answers are probabilities, so that log odds can be taken of them."""
    trees: bool = False
    """Whether it grows classification trees, whose splits can be looked at."""
    collects_costs: bool = False
    """Whether its leaves can collect what each answer costs."""

    @property
    def _usual_page(self) -> str:
        return f"learners#{self.class_name.lower()}"


MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        name="streamboost",
        class_name="StreamBoostClassifier",
        core="adaptive_bagging",
        title="StreamBoost",
        weight="Poisson(6) copies; every other tree more where earlier ones failed",
        vote="log odds of being right lately, pooled with linear learners, naive Bayes, neighbors and replayed boosting",
    ),
    ModelEntry(
        name="adaptive-random-forest",
        class_name="AdaptiveRandomForestClassifier",
        core="adaptive_bagging",
        page="algorithms/adaptive",
        title="Adaptive random forest",
        weight="Poisson(6) copies",
        vote="share of right answers",
    ),
    ModelEntry(
        name="streaming-random-patches",
        class_name="StreamingRandomPatchesClassifier",
        core="adaptive_bagging",
        page="algorithms/adaptive",
        title="Streaming random patches",
        weight="Poisson(6) copies",
        vote="share of right answers",
    ),
    ModelEntry(
        name="leveraging-bagging",
        class_name="LeveragingBaggingClassifier",
        core="adaptive_bagging",
        page="algorithms/adaptive",
        title="Leveraging bagging",
        weight="Poisson(6) copies",
        vote="mean of the distributions",
    ),
    ModelEntry(
        name="adwin-bagging",
        class_name="ADWINBaggingClassifier",
        core="adaptive_bagging",
        page="algorithms/adaptive",
        title="ADWIN bagging",
        weight="Poisson(1) copies",
        vote="mean of the distributions",
    ),
    ModelEntry(
        name="adwin-boosting",
        class_name="ADWINBoostingClassifier",
        core="oza",
        page="algorithms/adaptive",
        title="ADWIN boosting",
        weight=r"Poisson($\lambda$) copies, as Oza's boosting",
        vote="log odds of each learner's error",
    ),
    ModelEntry(
        name="bagging",
        class_name="OnlineBaggingClassifier",
        title="Online bagging",
        weight="Poisson(1) copies, independent of the others",
        vote="plurality",
    ),
    ModelEntry(
        name="oza-boost",
        class_name="OnlineBoostingClassifier",
        core="oza",
        title="Oza's online boosting",
        weight=r"Poisson($\lambda$) copies; $\lambda$ grows where earlier learners failed",
        vote="log odds of each learner's error",
    ),
    ModelEntry(
        name="osboost",
        class_name="OSBoostClassifier",
        title="OSBoost",
        weight="at most 1; shrinks where earlier learners are ahead",
        vote="mean of the margins",
        max_classes=2,
    ),
    ModelEntry(
        name="ogboost",
        class_name="OGBoostClassifier",
        title="OGBoost",
        weight="slope of a loss at the margin of the earlier learners",
        vote="sum of the margins",
        max_classes=2,
    ),
    ModelEntry(
        name="online-bbm",
        class_name="OnlineBBMClassifier",
        title="Online BBM",
        weight="how much one more vote would matter for the majority",
        vote="majority",
        max_classes=2,
    ),
    ModelEntry(
        name="adaboost-ol",
        class_name="AdaBoostOLClassifier",
        title="AdaBoost.OL",
        weight="slope of the logistic loss; learned weights",
        vote="the best prefixes",
        max_classes=2,
    ),
    ModelEntry(
        name="defensive-boost",
        class_name="DefensiveBoostingClassifier",
        core="defensive",
        title="Defensive Booster",
        weight="half the error of the ensemble's own probability",
        vote="one learner, corrected so that nothing in it is left to gain",
        max_classes=2,
        sized=False,
    ),
    ModelEntry(
        name="streaming-gradient-boost",
        class_name="StreamingGradientBoostingClassifier",
        core="streaming_gradient",
        title="Streaming gradient boosted trees",
        weight="curvature of the log loss at the trees before it; slopes are targets",
        vote="sum of the trees",
        max_classes=2,
        regressors=True,
    ),
    ModelEntry(
        name="agnostic-boost",
        class_name="AgnosticBoostingClassifier",
        core="agnostic",
        title="Agnostic boosting",
        weight="1; labels are drawn, true ones where earlier learners failed",
        vote="plurality",
    ),
    ModelEntry(
        name="online-mbbm",
        class_name="OnlineMBBMClassifier",
        core="mbbm",
        title="OnlineMBBM",
        weight="what its vote can still change",
        vote="one vote each; several edges under Hedge",
        declared=True,
    ),
    ModelEntry(
        name="adaboost-olm",
        class_name="AdaBoostOLMClassifier",
        title="Adaboost.OLM",
        weight="slope of a loss at the votes before it",
        vote="weights by gradient descent, prefixes under Hedge",
        declared=True,
    ),
    ModelEntry(
        name="bayes",
        class_name="BayesianEnsembleClassifier",
        title="Bayesian ensemble",
        weight="1; learners differ by their columns",
        vote="weighted by posterior means of their losses",
        max_classes=2,
    ),
    ModelEntry(
        name="weighted-majority",
        class_name="WeightedMajorityClassifier",
        page="algorithms/experts",
        title="Weighted majority",
        weight="1; a list of any models",
        vote="weights by the mistakes of each",
        sized=False,
        experts=True,
    ),
    ModelEntry(
        name="hedge",
        class_name="HedgeClassifier",
        page="algorithms/experts",
        title="Hedge",
        weight="1; a list of any models",
        vote="weights by the mistakes of each",
        sized=False,
        experts=True,
    ),
    ModelEntry(
        name="winnow",
        class_name="WinnowClassifier",
        page="algorithms/experts",
        title="Winnow",
        weight="1; a list of any models",
        vote="weights that move by factors on mistakes",
        max_classes=2,
        sized=False,
        experts=True,
    ),
    ModelEntry(
        name="cost-boost",
        class_name="CostBoostingClassifier",
        core="cost_boosting",
        title="Cost-sensitive boosting",
        weight=r"Poisson($\lambda$) copies; $\lambda$ grows with the cost of the class",
        vote="log odds of each learner's cost or error",
        max_classes=2,
    ),
    ModelEntry(
        name="reordered-boost",
        class_name="ReorderedBoostingClassifier",
        core="reordered",
        title="ADOB and BOLE",
        weight=r"Poisson($\lambda$) copies, as Oza's boosting, the worst learner first",
        vote="log odds of each learner's error",
    ),
    ModelEntry(
        name="arc-x4",
        class_name="OnlineArcX4Classifier",
        core="arcx4",
        title="Online Arc-x4",
        weight="1 + the fourth power of the mistakes of earlier learners",
        vote="plurality",
    ),
    ModelEntry(
        name="blocked-boost",
        class_name="BlockedBoostingClassifier",
        core="blocked",
        title="Blocked boosting",
        weight="1 for one learner at a time, half of them mistakes of the others",
        vote="plurality",
        steady=False,
    ),
    ModelEntry(
        name="primed-boost",
        class_name="PrimedOnlineBoostingClassifier",
        core="primed",
        title="Primed online boosting",
        weight="AdaBoost.M1 on the first rows, then as online boosting",
        vote="log odds of each learner's error",
        steady=False,
    ),
    ModelEntry(
        name="replay-boosting",
        class_name="ReplayBoostingClassifier",
        core="replay",
        title="Replayed gradient boosting",
        weight="slope of the log loss at the trees before it, over all remembered rows",
        vote="sum of the trees",
        sized=False,
        steady=False,
        learner=False,
    ),
    ModelEntry(
        name="single",
        class_name="SingleLearnerClassifier",
        page="algorithms/index",
        title="Single learner",
        weight="1",
        vote="the learner's own answer",
        sized=False,
    ),
    ModelEntry(
        name="adaboost-m1",
        class_name="AdaBoostM1Classifier",
        core="primed",
        page="algorithms/batch",
        title="AdaBoost.M1",
        weight="all rows at once",
        vote="as online",
        package="batch",
    ),
    ModelEntry(
        name="batch-bagging",
        class_name="BaggingClassifier",
        page="algorithms/batch",
        title="Batch bagging",
        weight="all rows at once",
        vote="as online",
        package="batch",
    ),
)

LEARNERS: tuple[LearnerEntry, ...] = (
    LearnerEntry(name="perceptron", class_name="Perceptron", core="linear", discovers=2),
    LearnerEntry(name="ogd", class_name="OGD", core="linear", discovers=2),
    LearnerEntry(name="logistic", class_name="LogisticRegression", probabilities=True),
    LearnerEntry(
        name="hashed-logistic", class_name="HashedLogisticRegression", core="logistic", probabilities=True
    ),
    LearnerEntry(name="naive-bayes", class_name="NaiveBayes", probabilities=True),
    LearnerEntry(name="stump", class_name="DecisionStump"),
    LearnerEntry(
        name="hoeffding-tree", class_name="HoeffdingTree", core="hoeffding", trees=True, collects_costs=True
    ),
    LearnerEntry(name="iti", class_name="IncrementalTree", trees=True),
    LearnerEntry(name="tan", class_name="TAN", page="learners#tan-and-ban", nominal_only=True),
    LearnerEntry(name="ban", class_name="BAN", page="learners#tan-and-ban", nominal_only=True),
    LearnerEntry(name="mlp", class_name="MLP"),
    LearnerEntry(name="nearest-neighbors", class_name="NearestNeighbors"),
)

REGRESSORS: tuple[ModelEntry, ...] = (
    ModelEntry(
        name="streamboost-regressor",
        class_name="StreamBoostRegressor",
        core="bagging_regressor",
        page="regression",
        title="StreamBoost for regression",
        weight="Poisson(6) copies",
        vote="recent errors decide, pooled with linear learners and experts of the past targets",
        task="regression",
    ),
    ModelEntry(
        name="adaptive-random-forest-regressor",
        class_name="AdaptiveRandomForestRegressor",
        core="bagging_regressor",
        page="regression",
        title="Adaptive random forest of regression trees",
        weight="Poisson(6) copies",
        vote="mean, weighed by recent errors",
        task="regression",
    ),
    ModelEntry(
        name="gradient-boosting",
        class_name="OnlineGradientBoostingRegressor",
        page="regression",
        title="Online gradient boosting",
        weight="the example's own; every learner has a target of its own",
        vote="a chain of corrections",
        task="regression",
    ),
    ModelEntry(
        name="streaming-gradient-regressor",
        class_name="StreamingGradientBoostingRegressor",
        page="algorithms/streaming-gradient-boost",
        title="Streaming gradient boosted trees of numbers",
        weight="Poisson(1) copies; the residuals of the stages before are targets",
        vote="sum of bags of trees",
        task="regression",
    ),
    ModelEntry(
        name="bagging-regressor",
        class_name="OnlineBaggingRegressor",
        page="regression",
        title="Online bagging of regressors",
        weight="Poisson(1) copies, or a fraction of the examples",
        vote="mean or median of the answers",
        task="regression",
    ),
    ModelEntry(
        name="replay-boosting-regressor",
        class_name="ReplayBoostingRegressor",
        core="replay_regressor",
        page="algorithms/replay-boosting",
        title="Replayed gradient boosting of numbers",
        weight="slope of the loss at the trees before it, over all remembered rows",
        vote="sum of the trees",
        sized=False,
        steady=False,
        learner=False,
        task="regression",
    ),
    ModelEntry(
        name="single-regressor",
        class_name="SingleLearnerRegressor",
        core="bagging_regressor",
        page="regression",
        title="A single regressor",
        weight="the example's own",
        vote="none",
        sized=False,
        task="regression",
    ),
)
"""Ensembles for regression."""

MULTILABEL: tuple[ModelEntry, ...] = (
    ModelEntry(
        name="online-bmr",
        class_name="OnlineBMRClassifier",
        page="several-labels",
        title="OnlineBMR",
        weight="what its vote can still change in the ranking",
        vote="sum of the distributions",
        task="multilabel",
    ),
    ModelEntry(
        name="ada-olmr",
        class_name="AdaOLMRClassifier",
        page="several-labels",
        title="Ada.OLMR",
        weight="slope of the logistic rank loss at the votes before it",
        vote="weights by gradient descent, prefixes under Hedge",
        task="multilabel",
    ),
)
"""Ensembles for sets of labels."""

REGRESSION_LEARNERS: tuple[LearnerEntry, ...] = (
    LearnerEntry(
        name="linear-regression",
        class_name="LinearRegression",
        page="regression#linearregression",
        task="regression",
    ),
    LearnerEntry(
        name="hoeffding-tree-regressor",
        class_name="HoeffdingTreeRegressor",
        core="regression_tree",
        page="regression#hoeffdingtreeregressor",
        task="regression",
    ),
)
"""Weak learners for regression."""


@dataclass(frozen=True, kw_only=True)
class DetectorEntry:
    """One detector of drift."""

    name: str
    """For `drift=`, on the command line, in model files and in the core; never changes."""
    class_name: str
    """In ``streamboost.drift``."""
    takes: str
    """What numbers it takes."""
    notices: str
    """What it finds, for the table of the documentation (Markdown)."""
    lowest: float
    highest: float
    """The range of these numbers."""
    guard: tuple[tuple[str, object], ...] = ()
    """Parameters of a detector that a guard asks for by name, where they differ from the constructor's defaults."""


_FAR = 1e300  # numbers of any size: sums of a few of them are still numbers
DETECTORS: tuple[DetectorEntry, ...] = (
    DetectorEntry(
        name="adwin",
        class_name="ADWIN",
        takes="numbers from 0 to 1",
        notices="a rise of the mean over a window that grows while nothing changes; the rate of false alarms is set by `delta`",
        lowest=0.0,
        highest=1.0,
        guard=(("warning", 0.01),),
    ),
    DetectorEntry(
        name="ddm",
        class_name="DDM",
        takes="errors, 0 or 1",
        notices="an error rate several standard deviations above its lowest point; quick for sudden changes",
        lowest=0.0,
        highest=1.0,
    ),
    DetectorEntry(
        name="hddm-a",
        class_name="HDDM_A",
        takes="numbers from 0 to 1",
        notices="a mean above its lowest point by more than Hoeffding's bound; for sudden changes",
        lowest=0.0,
        highest=1.0,
    ),
    DetectorEntry(
        name="hddm-w",
        class_name="HDDM_W",
        takes="numbers from 0 to 1",
        notices="the same for a mean that weighs recent numbers more; for gradual changes",
        lowest=0.0,
        highest=1.0,
    ),
    DetectorEntry(
        name="kswin",
        class_name="KSWIN",
        takes="any numbers",
        notices="a change of the distribution, not of the mean alone",
        lowest=-_FAR,
        highest=_FAR,
        guard=(("mode", "up"),),
    ),
    DetectorEntry(
        name="page-hinkley",
        class_name="PageHinkley",
        takes="any numbers",
        notices="a sum of deviations from the mean that leaves its extreme",
        lowest=-_FAR,
        highest=_FAR,
        guard=(("mode", "up"),),
    ),
)
"""Detectors of drift, for `drift=` and to stand alone."""

ENTRIES: tuple[Entry, ...] = (*MODELS, *LEARNERS, *REGRESSORS, *REGRESSION_LEARNERS, *MULTILABEL)


def model_entry(name: str) -> ModelEntry:
    """Return the entry of a model by its name."""
    return next(entry for entry in (*MODELS, *REGRESSORS, *MULTILABEL) if entry.name == name)


def learner_entry(name: str) -> LearnerEntry:
    """Return the entry of a learner by its name."""
    return next(entry for entry in (*LEARNERS, *REGRESSION_LEARNERS) if entry.name == name)


def detector_entry(name: str) -> DetectorEntry:
    """Return the entry of a drift detector by its name."""
    return next(entry for entry in DETECTORS if entry.name == name)
