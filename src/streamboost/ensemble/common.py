"""What all ensembles share beyond the verbs: a weak learner, a report, a way back from a file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.estimator import StreamClassifier
from streamboost.base.files.archive import ModelFileError
from streamboost.base.files.manifest import Manifest, check_params
from streamboost.base.files.persist import PARAMETER
from streamboost.base.params import LearnerPlan
from streamboost.base.session import JUDGED_AFTER, Session
from streamboost.learners import LEARNERS, Learner, NaiveBayes, adapter_plan, resumed_plan
from streamboost.report import Bound, EnsembleReport, advise

SHARED_CONSTRAINTS: dict[str, Any] = {
    "estimator": "no_validation",  # judged by what it can do, with better words
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
    "tie": [StrOptions({"lowest", "random"})],
    "monitor": ["boolean"],
    "categorical_features": ["array-like", None],
}


class Ensemble(StreamClassifier):
    """A streaming classifier made of weak learners."""

    _parameter_constraints: ClassVar[dict[str, Any]]

    _trace_label: ClassVar[str] = "what is promised at most"
    estimator: Any
    n_estimators: int

    def _learner_plan(self, seed: int) -> LearnerPlan:
        if self.estimator is None:
            return NaiveBayes().plan()
        if isinstance(self.estimator, Learner):
            return self.estimator.plan()
        return adapter_plan(self.estimator, seed)

    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan:
        return resumed_plan(self.estimator, lanes)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return ()

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return advise(lanes, n_learned)

    def _look_back(self, session: Session) -> None:
        """Warn once, when enough is learned to tell that something is wrong."""
        if session.judged or not session.monitor or session.model.n_learned < JUDGED_AFTER:
            return
        session.judged = True
        lanes = {
            name: value for name, value in session.model.report().items() if isinstance(value, np.ndarray)
        }
        for line in self._advice(lanes, session.model.n_learned):
            warnings.warn(line, UserWarning, stacklevel=4)

    def report(self) -> EnsembleReport:
        """Return what each learner was given and how it did, and the algorithm's bounds against what happened."""
        session = self._fitted()
        if not session.monitor:
            raise ValueError(
                "report needs the per-learner sums: start the model with monitor=True (the default)."
            )
        raw = session.model.report()
        trace, bounded = raw.pop("trace", None), bool(raw.pop("trace_bounded", False))
        lanes = {name: np.array(value) for name, value in raw.items() if isinstance(value, np.ndarray)}
        totals = {name: float(value) for name, value in raw.items() if not isinstance(value, np.ndarray)}
        return EnsembleReport(
            model=type(self).__name__,
            learner=session.learner.title,
            n_learned=session.model.n_learned,
            lanes=lanes,
            totals=totals,
            bounds=self._bounds(lanes, totals, session.model.n_learned) if session.model.n_learned else (),
            advice=self._advice(lanes, session.model.n_learned),
            trace=trace,
            trace_bounded=bounded,
            trace_label=self._trace_label,
        )

    @classmethod
    def _rebuild(cls, manifest: Manifest, arrays: dict[str, NDArray[Any]], estimator: Any = None) -> Any:
        if manifest.model_name != cls._model_name:
            raise ModelFileError(f"the file holds a {manifest.model_name!r}, expected {cls._model_name!r}")
        if manifest.model_version != cls._model_version:
            raise ModelFileError(
                f"version {manifest.model_version} of {manifest.model_name!r} is not known; this streamboost reads "
                f"version {cls._model_version}. A newer file needs a newer streamboost."
            )
        names = [name for name in cls._get_param_names() if name != "estimator"]
        params = {**cls._added_parameters, **check_params(manifest.params, names, cls.__name__)}
        if estimator is None:
            estimator = _rebuild_learner(manifest, arrays)
        model = cls(**params, estimator=estimator)
        try:
            model._validate_params()
        except ValueError as error:
            raise ModelFileError(str(error)) from error
        return model


def _rebuild_learner(manifest: Manifest, arrays: dict[str, NDArray[Any]]) -> Learner | None:
    cls = LEARNERS.get(manifest.learner_name or "")
    if cls is None:
        raise ModelFileError(
            f"the learner {manifest.learner_name!r} is not known; known are {sorted(LEARNERS)}"
        )
    if manifest.learner_version != cls._version:
        raise ModelFileError(
            f"version {manifest.learner_version} of {manifest.learner_name!r} is not known; "
            f"this streamboost reads version {cls._version}"
        )
    given: dict[str, Any] = check_params(manifest.learner_params, cls._get_param_names(), cls.__name__)
    for name in [name for name in arrays if name.startswith(PARAMETER)]:
        parameter = name.removeprefix(PARAMETER)
        if parameter not in cls._get_param_names():
            raise ModelFileError(f"{cls.__name__} has no parameter {parameter!r}")
        given[parameter] = arrays[name]
    if manifest.learner_default:
        if cls is not NaiveBayes or given:
            raise ModelFileError("the file calls a learner the default that is not")
        return None
    learner = cls(**given)
    try:
        learner.plan()
    except (ValueError, TypeError) as error:
        raise ModelFileError(str(error)) from error
    return learner
