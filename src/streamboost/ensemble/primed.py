"""Primed online boosting after Oza: a batch start, then the stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, NONE, parameter, whole
from streamboost.base.params import BoosterPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, SIZE, UNGUARDED_OPTIONS, UnguardedOptions
from streamboost.ensemble.oza import DEFAULT_COPIES_CAP, OnlineBoostingClassifier
from streamboost.report import advise

if TYPE_CHECKING:
    from typing_extensions import Unpack

LARGEST_PRIME = 10_000
"""The thesis primes with a fifth of the rows, and never with more than these."""


class PrimedOnlineBoostingClassifier(Ensemble):
    r"""Primed online boosting: AdaBoost.M1 on the first rows, Oza's online boosting from there on.

    The first `n_prime` rows are kept until the last of them has come; then AdaBoost.M1 makes learners of them, often
    far fewer than `n_estimators`, and only these go on learning online. Until then the answer is the most frequent
    class.

    When to use it: where the start of a stream may be stored, and few examples follow: online boosting sets the
    weights of early examples by learners that know nothing yet, and never corrects them.

    Notes
    -----
    The batch phase trains learner m on weights :math:`n_0 D_m`, stops before the first learner with
    :math:`\epsilon_m \ge 1/2` (a first one is kept all the same) and after the first with :math:`\epsilon_m = 0`, and
    hands over :math:`s^c_m = n_0 (1 - \epsilon_m)`, :math:`s^w_m = n_0 \epsilon_m`. The rest is
    :class:`OnlineBoostingClassifier` with its default options.


    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 4.6.


    Examples
    --------
    >>> from streamboost import NaiveBayes, PrimedOnlineBoostingClassifier
    >>> model = PrimedOnlineBoostingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("primed-boost")
    _parameters = (
        LEARNER,
        SIZE.saying("Largest number of learners."),
        parameter(
            "n_prime",
            whole("[1, inf)"),
            "Rows of the batch phase. :meth:`fit`, which knows how many rows there are, uses 20 % of them, at "
            "most 10,000, as the thesis does.",
            to_core=False,
        ),
        parameter(
            "n_passes",
            whole("[1, inf)"),
            "Passes over the rows for each learner of the batch phase, for learners that depend on the order "
            "(networks).",
        ),
        parameter(
            "resample",
            FLAG,
            "Train each learner of the batch phase on as many rows, drawn with replacement by the weights, "
            "instead of on the weights: for learners that take a weight for a longer step (networks).",
        ),
        parameter(
            "copies_cap",
            [whole("[1, inf)"), NONE],
            "Most copies of an example that a learner is taught at once online, as in "
            ":class:`OnlineBoostingClassifier`.",
        ),
        *UNGUARDED_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_prime: int = 2000,
        n_passes: int = 1,
        resample: bool = False,
        copies_cap: int | None = DEFAULT_COPIES_CAP,
        **options: Unpack[UnguardedOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_prime = n_prime
        self.n_passes = n_passes
        self.resample = resample
        self.copies_cap = copies_cap
        self._set_options(options)

    def _booster_plan(self) -> BoosterPlan:
        return self._plan_for(int(self.n_prime))

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return self._plan_for(min(max(n_rows // 5, 1), LARGEST_PRIME))

    def _plan_for(self, n_prime: int) -> BoosterPlan:
        plan = super()._booster_plan()
        online = OnlineBoostingClassifier()._core_params()
        return replace(plan, params={**online, **plan.params, "n_prime": n_prime, "keep_one": True})

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        made = lanes["sum_correct"] + lanes["sum_wrong"] > 0  # the others were never meant to learn
        own = {name: values[made] for name, values in lanes.items() if len(values) == len(made)}
        return advise(own, n_learned)
