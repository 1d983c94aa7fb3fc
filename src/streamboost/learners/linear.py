"""Linear learners: one weight vector, or one per class when more than two are declared."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from streamboost.base.params import LearnerPlan
from streamboost.learners.learner import FRACTION, Learner

_SCALES = ("none", "maxabs", "standard")
_CONSTRAINTS: dict[str, Any] = {
    "fit_intercept": ["boolean"],
    "start": [StrOptions({"sphere", "zero"}), "array-like"],
    "scale": [StrOptions(set(_SCALES))],
    "feature_fraction": FRACTION,
    "dtype": [StrOptions({"float64", "float32"})],
}


def _linear_plan(learner: Any, kind: str) -> LearnerPlan:
    start: Any = learner.start
    if not isinstance(start, str):
        start = np.asarray(start, dtype=np.float64)
        if start.ndim not in (1, 2):
            raise ValueError(
                f"The 'start' parameter of {type(learner).__name__} has shape {start.shape}; allowed are "
                "(n_features + intercept,) and (n_estimators, n_features + intercept)."
            )
        start = np.ascontiguousarray(start.ravel())
        if not np.isfinite(start).all():
            raise ValueError(f"The 'start' parameter of {type(learner).__name__} must hold finite numbers.")
    return LearnerPlan(
        bank="linear",
        params={
            "kind": kind,
            "fit_intercept": bool(learner.fit_intercept),
            "start": start,
            "scale": learner.scale,
            "feature_fraction": None if learner.feature_fraction is None else float(learner.feature_fraction),
            "dtype": learner.dtype,
        },
        title=type(learner).__name__,
        table_name=learner._table_name,
        version=learner._version,
        discovers=2,
        warns_unscaled=learner.scale == "none",
    )


class Perceptron(Learner):
    r"""Rosenblatt's perceptron with a real-valued answer in [-1, 1].

    When to use it: fast, strong in an ensemble on scaled numeric features; the weak learner of most papers.
    Rows are divided by :math:`\sqrt{d + 1}`, missing values count as 0, nominal columns as one-hot.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant coordinate.
    start : {"sphere", "zero"} or array, default="sphere"
        First weights. Learners that all start at zero stay equal under smooth boosting; "sphere" gives each lane
        its own random direction. An array of shape (n_features + intercept,) starts every learner there, one of shape
        (n_estimators, n_features + intercept) each where its row says.
    scale : {"none", "maxabs", "standard"}, default="none"
        Running scaling of numeric columns, by statistics that include the row itself.
    feature_fraction : float or None, default=None
        If given, each learner of the ensemble sees its own random subset of this share of the columns.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the weights. Floats take half the memory, and on wide rows a third to a half less time.

    Notes
    -----
    .. math:: h(x) = \mathrm{clip}(\langle v, x\rangle / \max(1, \lVert v\rVert), -1, 1), \qquad
              v \leftarrow v + w\,y\,x \text{ if } y\langle v, x\rangle \le 0.

    References
    ----------
    F. Rosenblatt, The perceptron, *Psychological Review* 65 (1958).

    Examples
    --------
    >>> from streamboost import OSBoostClassifier, Perceptron
    >>> model = OSBoostClassifier(Perceptron(), n_estimators=10, random_state=7)
    >>> model.fit([[-1.0, 0.5], [1.0, -0.5]] * 20, [0, 1] * 20).predict([[-0.9, 0.4], [0.8, -0.2]])
    array([0, 1])
    """

    _table_name = "perceptron"
    _parameter_constraints: ClassVar[dict[str, Any]] = _CONSTRAINTS

    def __init__(
        self,
        fit_intercept: bool = True,
        start: str | ArrayLike = "sphere",
        *,
        scale: str = "none",
        feature_fraction: float | None = None,
        dtype: str = "float64",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.start = start
        self.scale = scale
        self.feature_fraction = feature_fraction
        self.dtype = dtype

    def _plan(self) -> LearnerPlan:
        return _linear_plan(self, "perceptron")


class OGD(Learner):
    r"""Online gradient descent on the linear loss inside the unit ball.

    When to use it: where a perceptron is too jumpy; the learner for which the theory of smooth boosting holds.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant coordinate.
    start : {"zero", "sphere"} or array, default="zero"
        First weights, as in :class:`Perceptron`.
    scale : {"none", "maxabs", "standard"}, default="none"
        Running scaling of numeric columns, by statistics that include the row itself.
    feature_fraction : float or None, default=None
        If given, each learner of the ensemble sees its own random subset of this share of the columns.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the weights. Floats take half the memory, and on wide rows a third to a half less time.

    Notes
    -----
    .. math:: S \leftarrow S + w^2, \qquad v \leftarrow \Pi\big(v + \sqrt{2 / S}\; w\,y\,x\big), \qquad
              h(x) = \mathrm{clip}(\langle v, x\rangle, -1, 1),

    with :math:`\Pi` the projection to the unit ball. A draw of k copies is one step of weight k.

    References
    ----------
    M. Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, ICML 2003.

    Examples
    --------
    >>> from streamboost import OGD, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(OGD())
    >>> model.fit([[-1.0, 0.5], [1.0, -0.5]] * 20, ["no", "yes"] * 20).predict_one({0: 0.9, 1: -0.1})
    'yes'
    """

    _table_name = "ogd"
    _parameter_constraints: ClassVar[dict[str, Any]] = _CONSTRAINTS

    def __init__(
        self,
        fit_intercept: bool = True,
        start: str | ArrayLike = "zero",
        *,
        scale: str = "none",
        feature_fraction: float | None = None,
        dtype: str = "float64",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.start = start
        self.scale = scale
        self.feature_fraction = feature_fraction
        self.dtype = dtype

    def _plan(self) -> LearnerPlan:
        return _linear_plan(self, "ogd")


class LogisticRegression(Learner):
    r"""Logistic regression by stochastic gradient steps.

    When to use it: a linear learner whose answer is a probability.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant coordinate.
    start : {"zero", "sphere"} or array, default="zero"
        First weights, as in :class:`Perceptron`.
    scale : {"none", "maxabs", "standard"}, default="none"
        Running scaling of numeric columns, by statistics that include the row itself.
    feature_fraction : float or None, default=None
        If given, each learner of the ensemble sees its own random subset of this share of the columns.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the weights. Floats take half the memory, and on wide rows a third to a half less time.

    Notes
    -----
    .. math:: p = 1 / (1 + e^{-\langle v, x\rangle}), \qquad S \leftarrow S + w^2, \qquad
              v \leftarrow v + \sqrt{2 / S}\; w\,(y - p)\,x, \qquad h = 2p - 1.

    A draw of k copies is at most 100 steps in a row.

    Examples
    --------
    >>> from streamboost import LogisticRegression, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(LogisticRegression())
    >>> model.fit([[-1.0, 0.5], [1.0, -0.5]] * 20, [0, 1] * 20).predict([[0.9, -0.1]])
    array([1])
    """

    _table_name = "logistic"
    _parameter_constraints: ClassVar[dict[str, Any]] = _CONSTRAINTS

    def __init__(
        self,
        fit_intercept: bool = True,
        start: str | ArrayLike = "zero",
        *,
        scale: str = "none",
        feature_fraction: float | None = None,
        dtype: str = "float64",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.start = start
        self.scale = scale
        self.feature_fraction = feature_fraction
        self.dtype = dtype

    def _plan(self) -> LearnerPlan:
        return _linear_plan(self, "logistic")
