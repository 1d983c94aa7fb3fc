"""Regressors for streams that drift: an adaptive forest, and the default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.word_columns import WordFeatures
from streamboost.base.parameter import Parameter, anything, number, parameter, with_defaults
from streamboost.base.params import BoosterPlan, LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.drift.choice import guard_of
from streamboost.ensemble.common import companion_names, limited
from streamboost.ensemble.gradient_regressor import OnlineGradientBoostingRegressor
from streamboost.ensemble.options import REGRESSION_OPTIONS, SIZE, RegressionOptions
from streamboost.ensemble.regressors import REGRESSION_LEARNER, RegressionEnsemble
from streamboost.ensemble.replay import ReplayBoostingRegressor
from streamboost.ensemble.words import WORD_OPTIONS, WordOptions, are_wide, for_columns, for_open_rows
from streamboost.learners import HoeffdingTreeRegressor, Learner, LinearRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

TREE_LEARNER = REGRESSION_LEARNER.saying(
    "The weak learner: one of streamboost's own regressors (None means a ``HoeffdingTreeRegressor`` that grows fast on "
    "60 % of the columns at each node), or any regressor with ``partial_fit`` and ``predict`` or ``learn_one`` and "
    "``predict_one``."
)
BOOSTED_TREES = 10
"""Trees of the companion that boosts."""
POISSON_RATE = parameter(
    "poisson_rate", number("(0, inf)"), "Mean number of copies of an example that a learner gets."
)


class DefaultRegressorOptions(RegressionOptions, WordOptions, total=False):
    """Options of StreamBoostRegressor."""


class AdaptiveRandomForestRegressor(RegressionEnsemble):
    r"""An adaptive random forest of regression trees.

    Every tree gets Poisson(6) copies of each example and looks at a random part of the columns at each node; a guard watches
    its errors, grows another tree in the background when they rise, and lets it take over when the rise is confirmed.

    When to use it: for targets that are not linear in the columns, on streams that may drift.

    Notes
    -----
    The answer is the mean of the trees' answers, weighed by one over the square of their recent mean absolute errors. For the
    guard a tree is wrong where its error is larger than its usual recent error.

    References
    ----------
    H. Gomes, J. Barddal, L. Boiko, A. Bifet, Adaptive random forests for data stream regression, ESANN 2018.

    Examples
    --------
    >>> from streamboost import AdaptiveRandomForestRegressor
    >>> model = AdaptiveRandomForestRegressor(n_estimators=5, random_state=7)
    >>> X = [[i % 10] for i in range(2000)]
    >>> model.fit(X, [abs(x - 5.0) for [x] in X]).predict([[1], [5], [9]]).round(1)
    array([4., 0., 4.])
    """

    _entry = model_entry("adaptive-random-forest-regressor")
    _parameters: ClassVar[tuple[Parameter, ...]] = (
        TREE_LEARNER,
        SIZE,
        POISSON_RATE,
        *with_defaults(REGRESSION_OPTIONS, drift="adwin"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 30,
        poisson_rate: float = 6.0,
        **options: Unpack[RegressionOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self._set_options(options)

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTreeRegressor(delta=0.01, ridge=100.0, max_features=0.6)

    def _core_params(self) -> dict[str, Any]:
        return {
            "sampling": "poisson",
            "fraction": 1.0,
            "poisson_rate": float(self.poisson_rate),
            "combine": "recent",
        }


class StreamBoostRegressor(AdaptiveRandomForestRegressor):
    r"""The default for regression: an adaptive forest, linear learners, and experts that know the last targets. Nothing to tune.

    When to use it: first. It follows streams that drift, whether targets are linear in the columns or not, and streams of
    numbers in time, where the last target often says more than the columns.

    Notes
    -----
    The forest is that of :class:`AdaptiveRandomForestRegressor`; a slow and a quick :class:`LinearRegression` learn beside it.
    With :math:`a_0` the forest's answer and :math:`a_1, a_2` theirs, :math:`s = a_0 + \sum_m \beta_m (a_m - a_0)`, the shares
    :math:`\beta_m \in [0, 1]` by least squares over about the last 1,000 examples; the forest alone speaks while it does better.

    Around this :math:`s` stand the last target :math:`l` and three forests of boosted trees, which are refitted in slices
    over the last 50,000 rows as in :class:`ReplayBoostingRegressor`: of the difference :math:`y - l`, of the residual
    :math:`y - s` with :math:`s` as it was answered before the row was learned, and of :math:`y` itself. Their trees see the
    columns, the last target and the last step. A combination of all answers is learned by recursive least squares over about
    the last 2,000 examples; whoever had the least absolute error over about the last 500, one of them or the combination, speaks.

    References
    ----------
    N. Cesa-Bianchi and G. Lugosi, Prediction, learning, and games, Cambridge University Press, 2006.

    Examples
    --------
    >>> from streamboost import StreamBoostRegressor
    >>> model = StreamBoostRegressor(n_estimators=5, random_state=7)
    >>> X = [[i % 7, i % 5] for i in range(1000)]
    >>> y = [3.0 * a - 2.0 * b + 100 for a, b in X]
    >>> round(float(model.fit(X, y).predict([[3, 4]])[0]))
    101
    """

    _entry = model_entry("streamboost-regressor")
    _parameters = (
        TREE_LEARNER,
        SIZE,
        POISSON_RATE,
        parameter(
            "companions",
            anything("sequence of names"),
            'Experts beside the forest: "linear" (a slow and a fast learner), "boosted" (ten boosted trees), "last" (the '
            'last target), "differences", "residuals" and "replay" (boosted trees over remembered rows that predict the '
            "change since the last target, the error of the other experts, and the target itself). Use () for none.",
            to_core=False,
        ),
        *with_defaults(REGRESSION_OPTIONS, drift="adwin"),
        *WORD_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 30,
        poisson_rate: float = 6.0,
        companions: Sequence[str] = ("linear", "last", "differences", "residuals", "replay"),
        **options: Unpack[DefaultRegressorOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self.companions = companions
        self._set_options(options)

    def _booster_plan(self) -> BoosterPlan:
        names = self._companion_names()
        share = self._bytes_per_tree()
        found = [made for name in names if name in _COMPANIONS for made in _COMPANIONS[name](share)]
        experts = [_expert(name, max(self._memory().rows, 1)) for name in _EXPERTS if name in names]
        return replace(
            super()._booster_plan(),
            companions=tuple(found),
            pool=self._pool() if found or experts else {},
            experts=tuple(experts),
            referee={"window": 2000.0, "referee_window": 500.0, "delay": int(self.delay)} if experts else {},
        )

    def _pool(self) -> dict[str, Any]:
        return {"window": 1000.0, "delay": int(self.delay)}

    def _for_columns(self, plan: BoosterPlan, columns: Schema) -> BoosterPlan:
        if not are_wide(columns, self.max_tree_columns):
            return for_open_rows(
                plan, columns, self.max_tree_columns, "hashed_regressor", self._pool(), self._memory()
            )
        share = self._bytes_per_tree(words=True)
        companions = tuple({**one, "params": limited(one["params"], share)} for one in plan.companions)
        plan = replace(plan, companions=companions)
        return for_columns(
            plan, columns, self.max_tree_columns, "hashed_regressor", self._pool(), self._memory(words=True)
        )

    def _learner_for_columns(self, plan: LearnerPlan, columns: Schema) -> LearnerPlan:
        return self._within_memory(plan, words=are_wide(columns, self.max_tree_columns))

    def _word_features(self) -> WordFeatures:
        return WordFeatures(self.text_features, self.identifier_features)

    def _remembers_rows(self) -> bool:
        return any(name in _EXPERTS and name != "last" for name in self._companion_names())

    def _companion_names(self) -> list[str]:
        return companion_names(self.companions, [*_COMPANIONS, *_EXPERTS])

    def _trees_beside(self) -> int:
        return 2 * BOOSTED_TREES if "boosted" in self._companion_names() else 0


def _linear(_: int | None) -> list[dict[str, Any]]:
    """One learner that is slow and one that is quick."""
    return [
        {
            "name": name,
            "learner": LinearRegression._entry.core,
            "params": LinearRegression(learning_rate=rate)._core_params(),
            "guard": {},
        }
        for name, rate in (("slow", 0.1), ("quick", 1.0))
    ]


def _boosted(max_bytes: int | None) -> list[dict[str, Any]]:
    """Trees that correct each other, each with a guard and within so many bytes."""
    tree = HoeffdingTreeRegressor(max_bytes=max_bytes)
    boosting = OnlineGradientBoostingRegressor(tree, n_estimators=BOOSTED_TREES)
    plan = boosting._booster_plan()
    return [
        {
            "name": "boosted",
            "learner": HoeffdingTreeRegressor._entry.core,
            "params": tree._core_params(),
            "guard": guard_of("adwin", True, "learner"),
            "booster": plan.name,
            "booster_params": plan.params,
            "size": boosting.n_estimators,
        }
    ]


_COMPANIONS: dict[str, Callable[[int | None], list[dict[str, Any]]]] = {
    "linear": _linear,
    "boosted": _boosted,
}

_EXPERTS = ("last", "differences", "residuals", "replay")
_TREES: dict[str, dict[str, Any]] = {
    "differences": {"leaves": 15, "bins": 31},
    "residuals": {"leaves": 15, "bins": 31},
    "replay": {"learning_rate": 0.2},
}
"""Of 50 rounds each: trees of what is left to say are small, those of the target itself are not."""


def _expert(name: str, max_bytes: int) -> dict[str, Any]:
    """Who knows the targets of before; all but the last target are boosted trees."""
    params = {}
    if name != "last":
        params = ReplayBoostingRegressor(**{"rounds": 50} | _TREES[name], max_bytes=max_bytes)._core_params()
    tree_params = {"booster": "", "booster_params": params, "size": 1}
    return {"name": name, "learner": "", "params": {}, "guard": {}, **tree_params}
