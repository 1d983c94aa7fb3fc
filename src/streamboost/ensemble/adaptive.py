"""Ensembles for streams that drift: learners are watched, replaced, and heard by how well they did lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamboost.base.parameter import NONE, number, one_of, parameter, with_defaults
from streamboost.catalogue import model_entry
from streamboost.drift.choice import guard_of
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import (
    DRIFT,
    LEARNER,
    MAX_BYTES,
    OPTIONS,
    SHARED,
    SIZE,
    UNLABELED,
    EnsembleOptions,
    UnguardedOptions,
)
from streamboost.ensemble.output_options import OUTPUT_OPTIONS
from streamboost.ensemble.oza import OnlineBoostingClassifier
from streamboost.learners import HoeffdingTree, Learner

if TYPE_CHECKING:
    from typing_extensions import Unpack


POISSON_RATE = parameter(
    "poisson_rate",
    number("(0, inf)"),
    "Mean number of copies of an example that a learner gets (Poisson); more than 1 makes learners adapt faster and "
    "differ more.",
)
TREES = LEARNER.saying(
    "The weak learner. None: Hoeffding trees that split early and consider a random subset of the columns at each "
    "node. Any other learner may be used instead."
)
MAX_FEATURES = parameter(
    "max_features",
    [number("(0, 1]"), one_of("sqrt"), NONE],
    "Share of the columns that each node of the default trees may split on; None: all of them.",
    to_core=False,
)
LEVERAGING_OPTIONS = (*SHARED, DRIFT[0], MAX_BYTES, UNLABELED, *OUTPUT_OPTIONS)


class LeveragingOptions(UnguardedOptions, total=False):
    """Options of ensembles that restart their worst learner."""

    drift: Any


class AdaptiveEnsemble(Ensemble):
    """Leveraged bagging with a guard for every learner."""

    _growth: ClassVar[dict[str, Any]] = {"growth": "ensemble"}
    _error: ClassVar[str] = "before"
    _spare_amount: ClassVar[str] = "lane"
    _vote: ClassVar[str | None] = None
    """Of a published ensemble, whose arrangement is fixed."""
    drift: Any
    max_features: float | str | None = None

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTree(**cls._growth)

    def _own_learner(self) -> Learner:
        return HoeffdingTree(**self._growth, max_features=self.max_features)

    def _core_params(self) -> dict[str, Any]:
        params = super()._core_params()
        if self._vote is not None:
            params |= {"vote": self._vote, "chain": False, "window": 1000.0}
        return params

    def _guard(self) -> dict[str, Any]:
        if self.drift is None:
            return {}
        return guard_of(self.drift, self.background, self.on_drift, self._error, self._spare_amount)


class AdaptiveRandomForestClassifier(AdaptiveEnsemble):
    r"""Adaptive random forest (ARF): leveraged bagging of trees with random columns at each node, watched by ADWIN.

    When to use it: to compare with the published algorithm. :class:`StreamBoostClassifier` is more accurate.

    Notes
    -----
    As in MOA: Poisson(6) copies, 60 % of the columns at each node, grace 50, delta 0.01, tie 0.05; a warning at 0.01 starts a
    tree in the background, which learns each example once, and a drift at 0.001 puts it in place; both are judged by the answer
    after learning. Votes are class distributions times the share of right answers since the tree was born.

    References
    ----------
    H. M. Gomes et al., Adaptive random forests for evolving data stream classification, Machine Learning 106, 2017.

    Examples
    --------
    >>> from streamboost import AdaptiveRandomForestClassifier
    >>> model = AdaptiveRandomForestClassifier(n_estimators=5, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("adaptive-random-forest")
    _growth = {"growth": "moa", "leaf_features": "candidates"}  # noqa: RUF012
    _vote = "accuracy"
    _error = "after"
    _spare_amount = "one"
    _parameters = (
        TREES,
        SIZE.saying("Number of trees."),
        POISSON_RATE,
        MAX_FEATURES,
        *with_defaults(OPTIONS, drift="adwin"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        poisson_rate: float = 6.0,
        max_features: float | str | None = 0.6,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self.max_features = max_features
        self._set_options(options)


class StreamingRandomPatchesClassifier(AdaptiveEnsemble):
    r"""Streaming random patches (SRP): leveraged bagging of trees that each see a random part of the columns.

    When to use it: to compare with the published algorithm. :class:`StreamBoostClassifier` is more accurate.

    Notes
    -----
    As in MOA: Poisson(6) copies, 60 % of the columns for each tree, drawn anew when it is replaced; warning 1e-4, drift 1e-5,
    judged by the answer after learning; background trees learn what their tree learns. MOA's background trees go on learning
    beside the tree they have become; that is not copied here.

    References
    ----------
    H. M. Gomes, J. Read and A. Bifet, Streaming random patches for evolving data stream classification, ICDM 2019.

    Examples
    --------
    >>> from streamboost import StreamingRandomPatchesClassifier
    >>> model = StreamingRandomPatchesClassifier(n_estimators=5, random_state=7)
    >>> X, y = [[0.1, 1], [0.9, 0], [0.2, 1], [0.8, 0]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y).predict([[0.0, 1], [1.0, 0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("streaming-random-patches")
    _growth = {"growth": "moa"}  # noqa: RUF012
    _vote = "accuracy"
    _error = "after"
    _parameters = (
        TREES.saying(
            "The weak learner. None: Hoeffding trees, each with its own random subset of the columns."
        ),
        SIZE.saying("Number of trees."),
        POISSON_RATE,
        parameter(
            "feature_fraction",
            number("(0, 1]"),
            "Share of the columns that each of the default trees uses.",
            to_core=False,
        ),
        *with_defaults(OPTIONS, drift="adwin(delta=1e-5, warning=1e-4)"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        poisson_rate: float = 6.0,
        feature_fraction: float = 0.6,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self.feature_fraction = feature_fraction
        self._set_options(options)

    def _own_learner(self) -> Learner:
        return HoeffdingTree(**self._growth, feature_fraction=self.feature_fraction)


class LeveragingBaggingClassifier(AdaptiveEnsemble):
    r"""Leveraging bagging: Poisson(6) copies, and the worst learner starts again when any of them notices drift.

    When to use it: to compare with the published algorithm, or to guard any learner without background copies.

    Notes
    -----
    ADWIN at 0.002 watches every learner, judged by its answer after learning; when one alarms, the learner with the highest error
    in its window starts again. That decision needs all learners, so `n_jobs` does not help.

    References
    ----------
    A. Bifet, G. Holmes and B. Pfahringer, Leveraging bagging for evolving data streams, ECML PKDD 2010.

    Examples
    --------
    >>> from streamboost import LeveragingBaggingClassifier
    >>> model = LeveragingBaggingClassifier(n_estimators=5, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("leveraging-bagging")
    _growth = {"growth": "vfdt"}  # noqa: RUF012
    _vote = "uniform"
    _error = "after"
    background = False
    on_drift = "worst"
    _parameters = (
        TREES.saying("The weak learner. None: Hoeffding trees as first published."),
        SIZE,
        POISSON_RATE,
        *with_defaults(LEVERAGING_OPTIONS, drift="adwin(delta=0.002)"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        poisson_rate: float = 6.0,
        **options: Unpack[LeveragingOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self._set_options(options)


class ADWINBaggingClassifier(AdaptiveEnsemble):
    r"""Online bagging in which the worst learner starts again when any of them notices drift.

    When to use it: to compare with the published algorithm: :class:`LeveragingBaggingClassifier` with Poisson(1) copies.

    References
    ----------
    A. Bifet et al., New ensemble methods for evolving data streams, KDD 2009.

    Examples
    --------
    >>> from streamboost import ADWINBaggingClassifier
    >>> model = ADWINBaggingClassifier(n_estimators=5, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("adwin-bagging")
    _growth = {"growth": "vfdt"}  # noqa: RUF012
    _vote = "uniform"
    _error = "after"
    background = False
    on_drift = "worst"
    _parameters = LeveragingBaggingClassifier._parameters

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        poisson_rate: float = 1.0,
        **options: Unpack[LeveragingOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self._set_options(options)


class ADWINBoostingClassifier(Ensemble):
    r"""Oza's online boosting with a guard for every learner.

    When to use it: boosting on a stream that changes, for any number of classes. ``OnlineBoostingClassifier(drift=...)`` is the
    same with all options.

    References
    ----------
    N. Oza, Online ensemble learning, PhD thesis, UC Berkeley 2001.
    A. Bifet and R. Gavaldà, Learning from time-changing data with adaptive windowing, SDM 2007.

    Examples
    --------
    >>> from streamboost import ADWINBoostingClassifier, NaiveBayes
    >>> model = ADWINBoostingClassifier(NaiveBayes(), n_estimators=5, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("adwin-boosting")
    _parameters = (
        LEARNER,
        SIZE,
        *with_defaults(OPTIONS, drift="adwin(delta=0.002, warning=None)", background=False),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self._set_options(options)

    def _core_params(self) -> dict[str, Any]:
        return OnlineBoostingClassifier()._core_params()
