"""Linear learners: one weight vector, or one per class when more than two are declared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from streamboost.base.parameter import FLAG, numbers, one_of, parameter
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner

FIT_INTERCEPT = parameter("fit_intercept", FLAG, "Add a constant coordinate.")
START = parameter(
    "start",
    [one_of("sphere", "zero"), numbers("array")],
    'First weights. Learners that all start at zero stay equal under smooth boosting; "sphere" gives each lane its own '
    "random direction. An array of shape (n_features + intercept,) starts every learner there, one of shape "
    "(n_estimators, n_features + intercept) each where its row says.",
    to_core=False,
)
SCALE = parameter(
    "scale",
    one_of("none", "maxabs", "standard"),
    "Running scaling of numeric columns, by statistics that include the row itself.",
)
DTYPE = parameter(
    "dtype",
    one_of("float64", "float32"),
    "Precision of the weights. Floats take half the memory, and on wide rows a third to a half less time.",
)
_LINEAR = (FIT_INTERCEPT, START, SCALE, FEATURE_FRACTION, DTYPE)


class LinearLearner(Learner):
    """What the linear learners share: a start, a scale, and one bank in the core."""

    _update: ClassVar[str]
    """How the weights move, one of the core's words."""
    start: Any
    scale: str

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "kind": self._update, "start": self._start()}

    def _plan(self) -> LearnerPlan:
        return replace(super()._plan(), warns_unscaled=self.scale == "none")

    def _start(self) -> Any:
        if isinstance(self.start, str):
            return self.start
        start = np.asarray(self.start, dtype=np.float64)
        if start.ndim not in (1, 2):
            raise ValueError(
                f"The 'start' parameter of {type(self).__name__} has shape {start.shape}; allowed are "
                "(n_features + intercept,) and (n_estimators, n_features + intercept)."
            )
        start = np.ascontiguousarray(start.ravel())
        if not np.isfinite(start).all():
            raise ValueError(f"The 'start' parameter of {type(self).__name__} must hold finite numbers.")
        return start


class Perceptron(LinearLearner):
    r"""Rosenblatt's perceptron with a real-valued answer in [-1, 1].

    When to use it: fast, strong in an ensemble on scaled numeric features; the weak learner of most papers.
    Rows are divided by :math:`\sqrt{d + 1}`, missing values count as 0, nominal columns as one-hot.

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

    _entry = learner_entry("perceptron")
    _update = "perceptron"
    _parameters = _LINEAR

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


class OGD(LinearLearner):
    r"""Online gradient descent on the linear loss inside the unit ball.

    When to use it: where a perceptron is too jumpy; the learner for which the theory of smooth boosting holds.

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

    _entry = learner_entry("ogd")
    _update = "ogd"
    _parameters = _LINEAR

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


class LogisticRegression(LinearLearner):
    r"""Logistic regression by stochastic gradient steps.

    When to use it: a linear learner whose answer is a probability.

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

    _entry = learner_entry("logistic")
    _update = "logistic"
    _parameters = _LINEAR

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
