"""Gradient boosted trees over a memory of rows, refitted in small slices while the stream goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files.manifest import Manifest
from streamboost.base.parameter import number, one_of, parameter, whole
from streamboost.base.params import BoosterPlan, LearnerPlan
from streamboost.base.session import Session
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.common import MemoryShares, StreamEnsemble
from streamboost.ensemble.options import (
    BATCH_OPTIONS,
    CATEGORICAL_FEATURES,
    N_JOBS,
    PAST,
    RANDOM_STATE,
    BatchOptions,
    PastOptions,
    RunOptions,
)
from streamboost.ensemble.output_options import OUTPUT_OPTIONS, REGRESSION_OUTPUT_OPTIONS, OutputOptions
from streamboost.ensemble.regressors import RegressionEnsemble

if TYPE_CHECKING:
    from typing_extensions import Unpack

LATE = 0.25
"""A fit takes over when this share of the examples until the next one has come."""
MAX_BYTES = 2**26

REPLAY = (
    parameter(
        "memory",
        whole("[200, 1000000]"),
        "Number of rows remembered; each fit uses the last so many. Fewer if `max_bytes` has no room for them.",
    ),
    parameter("rounds", whole("[1, inf)"), "Number of trees (boosting rounds) of one fit."),
    parameter("leaves", whole("[1, 256]"), "Largest number of leaves of a tree."),
    parameter("learning_rate", number("(0, 1]"), "Shrinkage: the factor on each tree's contribution."),
    parameter(
        "refit",
        number("(1, 2]"),
        "A new fit begins each time the past has grown by this factor; once the memory is full, as often as a full memory "
        "would have grown by it.",
    ),
    parameter(
        "bins",
        whole("[4, 255]"),
        "Number of bins of a numeric column; missing values have a bin of their own.",
    ),
    parameter(
        "max_bytes",
        whole("[1, inf)"),
        "Memory limit in bytes: four fifths are for the remembered rows and what is fitted to them.",
    ),
)


class ReplayOptions(BatchOptions, OutputOptions, total=False):
    """Options of the classifier."""


class ReplayRegressionOptions(RunOptions, PastOptions, total=False):
    """Options of the regressor."""

    target: str
    coverages: Sequence[float] | float | None
    importances: bool


class ReplayEnsemble(StreamEnsemble):
    """Trees that a fit over remembered rows grows by itself: there is no weak learner to choose."""

    estimator: ClassVar[None] = None  # type: ignore[misc]
    max_bytes: int
    monitor: ClassVar[bool] = True  # type: ignore[misc]

    def _n_lanes(self) -> int:
        return 1

    @classmethod
    def _default_learner(cls) -> Any:
        return None

    def _learner_plan(self, seed: int) -> LearnerPlan:
        return LearnerPlan(bank="", params={}, title="boosted trees", table_name=None)

    def _memory(self, *, words: bool = False) -> MemoryShares:
        rest = int(self.max_bytes) // 5
        return MemoryShares(0, int(self.max_bytes) - rest, 0, rest)

    def _core_params(self) -> dict[str, Any]:
        own = {"late": LATE, "at_once": 0, "max_bytes": self._memory().rows}
        return {**super()._core_params(), **own}

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        """All rows are there: one fit over them, at once."""
        plan = self._booster_plan()
        return replace(plan, params={**plan.params, "at_once": n_rows})

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return ()

    @classmethod
    def _rebuild(cls, manifest: Manifest, arrays: dict[str, NDArray[Any]], estimator: Any = None) -> Any:
        return cls._with_params(manifest)

    @property
    def gain_importances_(self) -> NDArray[np.float64]:
        """How much splits on each column lower the loss, over all trees of the last fit; they sum to 1."""
        return self._read(self._gains_of, fitted=False)

    def _gains_of(self, session: Session) -> NDArray[np.float64]:
        gain = np.zeros(session.schema.width)
        found = session.model.report()["importances/gain"]
        gain[: len(found)] = found
        return gain / gain.sum() if gain.sum() > 0 else gain


class ReplayBoostingClassifier(ReplayEnsemble, Ensemble):
    r"""Gradient boosted trees over the last rows of a stream, refitted in slices: batch quality without a pause.

    When to use it: instead of retraining a gradient boosting library by the clock. One such forest does not follow sudden
    drift as :class:`StreamBoostClassifier` does, which has two of them among its experts.

    Notes
    -----
    The model remembers the last `memory` rows. A fit begins at example 100 and each time the past has grown by the factor
    `refit`; it is worked off during a quarter of the examples until the next one, an equal share after each, and then its trees
    take over. Cost per example is flat, and when trees take over depends on example numbers only. ``fit``, which has all
    rows, fits them at once.

    A fit is gradient boosting of the logarithmic loss to second order: histograms of at most `bins` bins, trees grown at the
    leaf of highest gain, the curvature of 20 rows on either side of a split, :math:`\lambda = 1`. With more than two classes
    a tree serves all of them,

    .. math:: v_k = -\eta\, \frac{\sum g_k}{\sum h_k + \lambda},

    and its splits are searched on at most three, drawn in proportion to the squares of their gradients. Before the first fit
    the class shares are answered.

    References
    ----------
    J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001.
    G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NIPS 2017.
    L. Iosipoi and A. Vakhrushev, SketchBoost: fast gradient boosted decision tree for multioutput problems, NeurIPS 2022.

    Examples
    --------
    >>> from streamboost import ReplayBoostingClassifier
    >>> model = ReplayBoostingClassifier(random_state=7)
    >>> X, y = [[i % 10, i % 3] for i in range(300)], ["large" if i % 10 > 4 else "small" for i in range(300)]
    >>> model.partial_fit(X, y).predict([[8, 0], [1, 0]]).tolist()
    ['large', 'small']
    """

    _entry = model_entry("replay-boosting")
    _parameters = (
        *REPLAY,
        parameter(
            "trees",
            one_of("shared", "per-class"),
            "With more than two classes: two trees a round, each for all of them, or one tree a round for each. Shared "
            "trees cost the same for any number of classes.",
        ),
        *BATCH_OPTIONS,
        *OUTPUT_OPTIONS,
    )

    def __init__(
        self,
        *,
        memory: int = 50_000,
        rounds: int = 100,
        leaves: int = 31,
        learning_rate: float = 0.1,
        refit: float = 1.5,
        bins: int = 127,
        max_bytes: int = MAX_BYTES,
        trees: str = "shared",
        **options: Unpack[ReplayOptions],
    ) -> None:
        self.memory = memory
        self.rounds = rounds
        self.leaves = leaves
        self.learning_rate = learning_rate
        self.refit = refit
        self.bins = bins
        self.max_bytes = max_bytes
        self.trees = trees
        self._set_options(options)

    def _fit_stages(self, n_rows: int) -> dict[str, Any]:
        """Until that fit the class shares are answered, which say nothing of how sure its trees are."""
        stages = self._stages()
        return {**stages, "lessons_from": n_rows} if stages else stages


class ReplayBoostingRegressor(ReplayEnsemble, RegressionEnsemble):
    r"""Gradient boosted regression trees over the last rows of a stream, refitted in slices.

    When to use it: instead of retraining a gradient boosting library by the clock.

    Notes
    -----
    Memory, plan and trees are those of :class:`ReplayBoostingClassifier`. The squared loss begins with the mean target; a leaf's
    value is :math:`-\eta \sum g / (\sum h + \lambda)` with :math:`g = F - y` and :math:`h = 1`. The absolute loss and Huber's
    begin with the median, and a leaf's value is :math:`\eta` times the median of its residuals; Huber's adds the mean of what is
    left of them, clipped at the 90 % quantile of all residuals. Before the first fit the mean target is answered.

    References
    ----------
    J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001.
    G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NIPS 2017.

    Examples
    --------
    >>> from streamboost import ReplayBoostingRegressor
    >>> model = ReplayBoostingRegressor(random_state=7)
    >>> X = [[i % 7, i % 5] for i in range(1000)]
    >>> y = [3.0 * a - 2.0 * b + 100 for a, b in X]
    >>> round(float(model.partial_fit(X, y).predict([[3, 4]])[0]))
    101
    """

    _entry = model_entry("replay-boosting-regressor")
    _parameters = (
        *REPLAY,
        parameter(
            "loss",
            one_of("squared", "absolute", "huber"),
            "The loss that is minimised: the squared error (predicts means), the absolute error (medians), or Huber's loss "
            "between the two.",
        ),
        RANDOM_STATE,
        N_JOBS,
        CATEGORICAL_FEATURES,
        *PAST,
        *REGRESSION_OUTPUT_OPTIONS,
    )
    tie: ClassVar[str] = "lowest"  # type: ignore[misc]

    def __init__(
        self,
        *,
        memory: int = 50_000,
        rounds: int = 100,
        leaves: int = 31,
        learning_rate: float = 0.1,
        refit: float = 1.5,
        bins: int = 127,
        max_bytes: int = MAX_BYTES,
        loss: str = "squared",
        **options: Unpack[ReplayRegressionOptions],
    ) -> None:
        self.memory = memory
        self.rounds = rounds
        self.leaves = leaves
        self.learning_rate = learning_rate
        self.refit = refit
        self.bins = bins
        self.max_bytes = max_bytes
        self.loss = loss
        self._set_options(options)
