"""Base class of the multiclass boosters: presets, the options they fill, and trees that differ from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from streamboost.base.parameter import number, one_of, parameter
from streamboost.base.params import LearnerPlan
from streamboost.ensemble.classifier import Ensemble
from streamboost.learners import HoeffdingTree

PRESET = parameter(
    "preset",
    one_of("best", "paper", "paper_code"),
    'What "auto" stands for: our choice, the published algorithm to the letter, or the published code with its slips.',
    to_core=False,
)
COSTS = parameter(
    "costs",
    one_of("auto", "argmax", "bayes_norm", "bayes_raw", "leaf_costs"),
    "How learners use costs: not at all when answering, by the least expected cost under their class distribution (rows of "
    "costs normalised or not), or by collecting them (HoeffdingTree). Auto: argmax; paper: bayes_norm; paper_code: "
    "bayes_raw.",
)
WEIGHT_SCALE = parameter(
    "weight_scale",
    one_of("auto", "rescaled", "normalised", "paper_code"),
    "Scale of the weights: brought to the mean `weight_target` in each learner, within [0, 1] as in the theory, or with "
    "the constants of the published code. Auto: rescaled; paper: normalised; paper_code: paper_code.",
)
WEIGHT_TARGET = parameter(
    "weight_target",
    [number("(0, inf)"), one_of("auto")],
    'Mean weight of an example with ``weight_scale="rescaled"``. Auto: 5.',
)


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "best": {"costs": "argmax", "weight_scale": "rescaled", "weight_target": 5.0},
    "paper": {"costs": "bayes_norm", "weight_scale": "normalised", "weight_target": 5.0},
    "paper_code": {"costs": "bayes_raw", "weight_scale": "paper_code", "weight_target": 5.0},
}
"""What "auto" stands for in the options above."""
TREES = {"grace_period": (5.0, 20.0), "delta": (0.01, 0.9), "tie_threshold": (0.01, 0.9)}
"""What a Hoeffding tree's "auto" means here: drawn anew for each tree, the only difference between them at the start."""


def drawn_trees(model: Any) -> LearnerPlan | None:
    """Return the plan of a model's Hoeffding trees, each "auto" of theirs drawn for every tree; None if it has other learners."""
    learner = model._default_learner() if model.estimator is None else model.estimator
    return model._within_memory(learner.plan(**TREES)) if isinstance(learner, HoeffdingTree) else None


class MulticlassBooster(Ensemble):
    """A booster for declared classes whose options have a preset."""

    _presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    preset: str
    costs: str

    def _option(self, name: str) -> Any:
        """Return a parameter, or what the preset says for it."""
        value = getattr(self, name)
        return self._presets[self.preset][name] if isinstance(value, str) and value == "auto" else value

    def _core_params(self) -> dict[str, Any]:
        """Return what the core is given, each "auto" resolved."""
        return {
            p.name: p.core_value(
                self._option(p.name) if p.name in self._presets[self.preset] else getattr(self, p.name)
            )
            for p in self._parameters
            if p.to_core
        }

    def _learner_plan(self, seed: int) -> LearnerPlan:
        plan = drawn_trees(self) or super()._learner_plan(seed)
        if self._option("costs") != "leaf_costs":
            return plan
        if not plan.collects_costs:
            raise ValueError(
                f"costs='leaf_costs' needs learners that collect costs: HoeffdingTree, not {plan.title}. "
                "Choose costs='argmax', 'bayes_norm' or 'bayes_raw' for other learners."
            )
        return replace(plan, params={**plan.params, "leaf_prediction": "costs"})
