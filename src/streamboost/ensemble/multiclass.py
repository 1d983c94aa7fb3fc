"""What the two multiclass boosters share: presets, the options they fill, what they ask of their learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import LearnerPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble

MULTICLASS_CONSTRAINTS: dict[str, Any] = {
    **SHARED_CONSTRAINTS,
    "preset": [StrOptions({"best", "paper", "paper_code"})],
    "costs": [StrOptions({"auto", "argmax", "bayes_norm", "bayes_raw", "leaf_costs"})],
    "weights": [StrOptions({"auto", "rescaled", "normalised", "paper_code"})],
    "weight_target": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "hedge": [StrOptions({"vote", "sample", "best"})],
}

TREES = {"grace_period": (5.0, 20.0), "delta": (0.01, 0.9), "tie_threshold": (0.01, 0.9)}
"""What a Hoeffding tree's "auto" means here: drawn anew for each tree, the only difference between them at the start."""


class MulticlassBooster(Ensemble):
    """A booster for declared classes whose options have a preset."""

    _presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    preset: str
    costs: str

    def _option(self, name: str) -> Any:
        """Return a parameter, or what the preset says for it."""
        value = getattr(self, name)
        return self._presets[self.preset][name] if isinstance(value, str) and value == "auto" else value

    def _learner_plan(self, seed: int) -> LearnerPlan:
        plan = self._tree_plan() or super()._learner_plan(seed)
        if self._option("costs") != "leaf_costs":
            return plan
        if plan.bank != "hoeffding":
            raise ValueError(
                f"costs='leaf_costs' needs learners that collect costs: HoeffdingTree, not {plan.title}. "
                "Choose costs='argmax', 'bayes_norm' or 'bayes_raw' for other learners."
            )
        return replace(plan, params={**plan.params, "leaf_prediction": "costs"})

    def _tree_plan(self) -> LearnerPlan | None:
        if getattr(self.estimator, "_table_name", None) != "hoeffding-tree":
            return None
        plan: LearnerPlan = self.estimator.plan(**TREES)
        return plan
