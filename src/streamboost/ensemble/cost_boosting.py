"""Oza's boosting with costs and for rare classes: AdaC2, CSB2, RUSBoost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from streamboost.base.errors import ClassesNeeded
from streamboost.base.files.manifest import unflattened
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.parameter import anything, number, one_of, parameter
from streamboost.base.params import BoosterPlan
from streamboost.base.warned import warn_user
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from streamboost.base.session import Session

MOST_COST = 1e6
_SPREAD = {"adac2": 2, "csb2": 4}
"""The power of a cost, over the number of learners, that comes to the cost along the chain, as balanced costs are spread."""


class CostBoostingClassifier(Ensemble):
    r"""Online boosting with costs, for two classes of which one is rare or dear: AdaC2, CSB2 or RUSBoost (Wang and Pineau).

    When to use it: where mistakes on one class cost more, and boosting is wanted. Measured, plain class weights
    (``class_weight="balanced"``) on a strong ensemble usually do better: see the page on rare classes.

    Notes
    -----
    As in :class:`OnlineBoostingClassifier`, an example travels along the learners with a weight :math:`\lambda`; learner i gets
    Poisson(:math:`\lambda`) copies. With :math:`C_y` the cost of its class, T the sum of all weights at this learner, and R, W
    the sums of :math:`C \lambda` that it answered right and wrong before learning:

    .. math:: \text{AdaC2:}\quad \lambda \leftarrow C_y \lambda\, T / (2 R) \text{ or } C_y \lambda\, T / (2 W),
              \text{ vote } \log (R / W).

    CSB2 leaves the costs out of what is right; RUSBoost boosts without costs and draws fewer copies of the frequent class.

    References
    ----------
    B. Wang and J. Pineau, Online bagging and boosting for imbalanced data streams, *IEEE TKDE* 28 (2016).

    Examples
    --------
    >>> from streamboost import CostBoostingClassifier, NaiveBayes
    >>> model = CostBoostingClassifier(NaiveBayes(), n_estimators=10, costs={"fraud": 10, "fine": 1}, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.3]] * 25, ["fine", "fraud", "fine", "fine"] * 25
    >>> model.partial_fit(X, y, classes=["fine", "fraud"]).predict([[0.0], [1.0]]).tolist()
    ['fine', 'fraud']
    """

    _entry = model_entry("cost-boost")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "algorithm",
            one_of("adac2", "csb2", "rusboost"),
            "AdaC2 multiplies the weights of all examples by their costs, CSB2 those of misclassified examples. RUSBoost "
            "uses no costs but learns fewer copies of the frequent class.",
        ),
        parameter(
            "costs",
            anything('"balanced" or dict'),
            "For AdaC2 and CSB2, what a mistake on a class costs: ``{label: cost}``, or ``{(truth, answer): cost}``; what is not "
            "named costs 1. They are multiplied in at every learner: for N of them name ``c ** (2 / N)`` (CSB2: 4 / N). Labels "
            "in them must be declared (``classes=`` at the first call, or ``fit``). Balanced: the rare class costs 1, the "
            "frequent one as much less as it is more frequent so far.",
            to_core=False,
            from_list=unflattened,
        ),
        parameter(
            "ratio",
            number("(0, inf)"),
            "For RUSBoost: what the frequent class is to weigh for a learner, the rare one being 1.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        algorithm: str = "adac2",
        costs: str | Mapping[Any, float] = "balanced",
        ratio: float = 1.0,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.algorithm = algorithm
        self.costs = costs
        self.ratio = ratio
        self._set_options(options)

    def _validate_params(self) -> None:
        super()._validate_params()
        if isinstance(self.costs, str) and self.costs == "balanced":
            return
        if not isinstance(self.costs, Mapping):
            raise ValueError(
                f"costs={self.costs!r} must be 'balanced', a dict {{label: cost}} or {{(truth, answer): cost}}."
            )
        for key, cost in self.costs.items():
            real = isinstance(cost, int | float | np.number) and not isinstance(cost, bool)
            if not real or not math.isfinite(cost) or cost <= 0 or cost > MOST_COST:
                raise ValueError(f"costs[{key!r}]={cost!r} must be a number above 0, at most 1e6.")

    def _booster_plan(self) -> BoosterPlan:
        return replace(super()._booster_plan(), declared=isinstance(self.costs, Mapping))

    def _new_session(self, *facts: Any, **named: Any) -> Session:
        made = super()._new_session(*facts, **named)
        if "n_fit" in named:  # a first row, not a file: nobody needs to hear it again
            self._warn_of_dear_mistakes()
        return made

    def _warn_of_dear_mistakes(self) -> None:
        """Warn of costs that leave the learners at the end of the chain one class, since each multiplies them in."""
        if not isinstance(self.costs, Mapping) or not self.costs or self.algorithm == "rusboost":
            return
        prices = [*map(float, self.costs.values()), *([1.0] if len(self.costs) < 2 else [])]
        dearer = max(prices) / min(prices)
        share = min(1.0, _SPREAD[self.algorithm] / self.n_estimators)
        if math.log(dearer) > share * math.log(MOST_COST):
            warn_user(
                f"costs={self.costs!r}: each of the {self.n_estimators} learners multiplies them in, which leaves the later "
                f"ones a single class. Where a mistake costs {dearer:.4g} times the other, name {dearer**share:.4g}."
            )

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "costs": None}

    def _for_labels(self, plan: BoosterPlan, labels: ClassCodes) -> BoosterPlan:
        if not isinstance(self.costs, Mapping):
            return plan
        if not labels.declared:
            raise ClassesNeeded(f"{type(self).__name__} whose costs name labels", labels.classes.tolist())
        by_code = labels.book.values
        names = {str(label): label for label in by_code}  # on the command line labels are texts
        prices = [1.0] * len(by_code)
        for key, cost in self.costs.items():
            parts = key if isinstance(key, tuple) else (key,)
            for part in parts:
                if str(part) not in names:
                    raise ValueError(
                        f"costs name the class {part!r}, which is none of the classes {by_code}."
                    )
            if len(set(map(str, parts))) == len(parts):  # right answers cost nothing
                prices[by_code.index(names[str(parts[0])])] = float(cost)
        if len(prices) != 2:
            return plan  # one class, or too many, which is refused elsewhere
        return replace(plan, params={**plan.params, "costs": np.array(prices)})
