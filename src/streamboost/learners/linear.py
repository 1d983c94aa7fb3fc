"""Linear learners: one weight vector, or one per class when more than two are declared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from streamboost.base.parameter import FLAG, NONE, number, numbers, one_of, parameter
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner

FIT_INTERCEPT = parameter("fit_intercept", FLAG, "Whether to add a constant term.")
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
    "Online scaling of numeric columns, by statistics that include the row itself and count every row once, whatever its "
    "weight.",
)
DTYPE = parameter(
    "dtype",
    one_of("float64", "float32"),
    'Precision of the weights. "float32" takes half the memory, and on wide rows a third to a half less time.',
)
_LINEAR = (FIT_INTERCEPT, START, SCALE, FEATURE_FRACTION, DTYPE)


class LinearLearner(Learner):
    """Base class of the linear learners: a start, a scale, and one bank in the core."""

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
    Rows are divided by :math:`\sqrt{d + 1}`, missing values count as 0, nominal columns as one-hot. As the papers have
    it: for accuracy without tuning take :class:`LogisticRegression`.

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

    When to use it: where a perceptron is too jumpy; the learner for which the theory of smooth boosting holds. As the
    papers have it: for accuracy without tuning take :class:`LogisticRegression`.

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
    r"""Logistic regression that needs no tuning: scale-free, weight-aware, for any number of classes.

    When to use it: the linear learner to begin with, alone or in any ensemble. Its answer is a probability. Units and
    offsets of the columns do not matter, outliers are pulled in, a missing value counts as the column's mean, and
    labels may be discovered as they come.

    Notes
    -----
    With t the scaled row, n the rows so far, :math:`N_j` the sum of :math:`t_j^2` over them and M the sum of all
    :math:`N_j`, each column has a rate, shared by all lanes, and each lane one number B:

    .. math:: c_j = \max\Big(\frac{1}{1 + v N_j}, \frac{\texttt{rate}\sqrt{n / M}}{\sqrt{v N_j}}\Big), \quad
              u_j = c_j t_j, \quad Q = \sum_j u_j t_j, \quad v = 0.1,

    .. math:: z = \langle W, t\rangle, \quad g = \frac{1}{1 + e^{yz}}, \quad B \leftarrow B + w g^2, \quad
              S = w\,Q\,\kappa\sqrt{v n / B}, \quad W \leftarrow W + \frac{y D}{Q}\,u,

    where D, by which the margin moves, solves :math:`D + e^{yz}(e^D - 1) = S`: the limit of infinitely many small steps,
    which never overshoots however large the weight w. A draw of k copies is one step of weight k. More than two
    classes: one W and B per class, p = softmax(z), and the step of each class against the rest.

    References
    ----------
    N. Karampatziakis, J. Langford, Online importance weight aware updates, UAI 2011.
    S. Ross, P. Mineiro, J. Langford, Normalized online learning, UAI 2013.
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods, *JMLR* 12 (2011).

    Examples
    --------
    >>> from streamboost import LogisticRegression, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(LogisticRegression())
    >>> model.fit([[-1.0, 500.0], [1.0, -500.0]] * 20, [0, 1] * 20).predict([[0.9, -100.0]])
    array([1])
    """

    _entry = learner_entry("logistic")
    _update = "logistic"
    _parameters = (
        FIT_INTERCEPT,
        START,
        parameter(
            "update",
            one_of("adaptive", "plain"),
            'How the weights move. "plain" takes the steps sqrt(2 / S) w (y - p) x, S the sum of the squared weights so far, '
            "of rows over sqrt(d + 1), with one vector per class against the rest where there are more than two (which must then "
            "be declared). `learning_rate`, `learning_rate_spread` and `clip` do not concern it.",
            to_core=False,
        ),
        parameter(
            "learning_rate",
            number("(0, inf)"),
            "Size of the steps. 0.7 to 1.5 make little difference; 2 to 4 for strongly autocorrelated streams.",
        ),
        parameter(
            "learning_rate_spread",
            number("[0, 10]"),
            "How far apart the learning rates of an ensemble's learners are: `learning_rate` times 2^(spread o) for learner i, "
            "o = 0, 1, -1, 2, -2 and so on. 1 helps AdaBoost.OL and boost-by-majority on streams that drift.",
        ),
        parameter(
            "scale",
            one_of("auto", "none", "maxabs", "standard"),
            "Online scaling of numeric columns, by statistics that include the row itself and count every row once, "
            'whatever its weight. "auto" standardises, but leaves alone columns that hold 0 and one other value, and in CSR '
            'rows divides by the largest value seen; "standard" centres the former too. With update="plain" "auto" means "none".',
        ),
        parameter(
            "clip",
            [number("(0, inf)"), NONE],
            'Values so many standard deviations from the mean are pulled in, with scale="auto" and from a column\'s 20th '
            "value on. None leaves them.",
        ),
        FEATURE_FRACTION,
        DTYPE,
    )

    def __init__(
        self,
        fit_intercept: bool = True,
        start: str | ArrayLike = "zero",
        *,
        update: str = "adaptive",
        learning_rate: float = 1.0,
        learning_rate_spread: float = 0.0,
        scale: str = "auto",
        clip: float | None = 5.0,
        feature_fraction: float | None = None,
        dtype: str = "float64",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.start = start
        self.update = update
        self.learning_rate = learning_rate
        self.learning_rate_spread = learning_rate_spread
        self.scale = scale
        self.clip = clip
        self.feature_fraction = feature_fraction
        self.dtype = dtype

    def _core_params(self) -> dict[str, Any]:
        given = super()._core_params()
        if self.update == "plain":
            for name in ("learning_rate", "learning_rate_spread", "clip"):
                del given[name]
            return {**given, "scale": "none" if self.scale == "auto" else self.scale}
        del given["kind"]
        return given

    def _plan(self) -> LearnerPlan:
        plan = super()._plan()
        if self.update == "plain":
            return replace(plan, bank="linear", discovers=2, warns_unscaled=self.scale in ("none", "auto"))
        return plan
