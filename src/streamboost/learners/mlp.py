"""Neural networks with one hidden layer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import LearnerPlan
from streamboost.learners.learner import Learner


class MLP(Learner):
    r"""A neural network: one hidden layer of sigmoid units, one sigmoid output per class, squared error.

    When to use it: for data where neither counting nor a line will do; one of the base models of Oza's thesis. It depends
    on the order of the rows and on its random start; every learner of an ensemble has its own.

    Parameters
    ----------
    hidden_units : int or "auto", default="auto"
        "auto" is half the sum of columns and classes, at least 5 and at most 50. Columns are those of the first row (a
        nominal column counts once, as its values are met one by one), classes the declared ones, or 2.
    updates_per_example : int, default=1
        Steps per example; the thesis tries 1 and 10.
    learning_rate : float, default=0.2
        Size of a step.

    Notes
    -----
    Numeric columns are scaled to [0, 1] by their range so far, including the row itself; nominal ones are one-hot;
    missing values are 0.
    With activations :math:`a_h` and outputs :math:`o_c`, one step for a row of class y and weight w is

    .. math:: \delta_c = w\,\eta\,([y = c] - o_c)\,o_c (1 - o_c), \quad \delta_h = a_h (1 - a_h) \sum_c \delta_c w_{hc}, \quad
              w_{hc} \mathrel{+}= \delta_c a_h, \quad w_{jh} \mathrel{+}= \delta_h x_j .

    A draw of k copies is min(k, 100) times that.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.3.

    Examples
    --------
    >>> from streamboost import MLP, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(MLP(updates_per_example=10), random_state=3)
    >>> model.fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 100, [0, 1, 1, 1] * 100).predict([[0.1, 0.0], [0.9, 1.0]])
    array([0, 1])
    """

    _table_name = "mlp"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "hidden_units": [Interval(Integral, 1, 1000, closed="both"), StrOptions({"auto"})],
        "updates_per_example": [Interval(Integral, 1, 1000, closed="both")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, hidden_units: int | str = "auto", *, updates_per_example: int = 1, learning_rate: float = 0.2
    ) -> None:
        self.hidden_units = hidden_units
        self.updates_per_example = updates_per_example
        self.learning_rate = learning_rate

    def _plan(self) -> LearnerPlan:
        return LearnerPlan(
            bank="mlp",
            params={
                "hidden_units": 0 if self.hidden_units == "auto" else int(self.hidden_units),
                "updates_per_example": int(self.updates_per_example),
                "learning_rate": float(self.learning_rate),
            },
            title=type(self).__name__,
            table_name=self._table_name,
            version=self._version,
        )
