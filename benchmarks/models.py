"""streamboost models by their command-line names, for the streams of the benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.streams import Stream
from streamboost import models
from streamboost.catalogue import learner_entry, model_entry

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "osboost, ocp": ("osboost", {"vote": "ocp"}),
    "osboost, exp": ("osboost", {"vote": "exp"}),
    "adaboost-ol.w": ("adaboost-ol", {"weighting": "importance"}),
}


def build(
    model: str,
    learner: str | None,
    stream: Stream,
    *,
    n_estimators: int = 100,
    learner_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """An untrained model for this stream; every option not named here is left at its default."""
    model, extra = VARIANTS.get(model, (model, {}))
    options = {**extra, **options}
    seed = options.pop("random_state", 7)
    # One that takes regressors gets its own.
    own = learner is None or learner_entry(learner).task != model_entry(model).learner_task
    if model_entry(model).sized:
        options["n_estimators"] = n_estimators
    if stream.n_values is not None:
        options["categorical_features"] = list(range(stream.X.shape[1]))
    return models.build(model, None if own else learner, options, learner_options, seed=seed)
