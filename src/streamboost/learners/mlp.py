"""Neural networks with one hidden layer."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import number, one_of, parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import Learner


class MLP(Learner):
    r"""A neural network: one hidden layer of sigmoid units, one sigmoid output per class, squared error.

    When to use it: for data where neither counting nor a line will do; one of the base models of Oza's thesis. It depends
    on the order of the rows and on its random start; every learner of an ensemble has its own.

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

    _entry = learner_entry("mlp")
    _parameters = (
        parameter(
            "hidden_units",
            [whole("[1, 1000]"), one_of("auto")],
            '"auto" is half the sum of columns and classes, at least 5 and at most 50. Columns are those of '
            "the first row (a nominal column counts once, as its values are met one by one), classes the "
            "declared ones, or 2.",
            to_core=False,
        ),
        parameter(
            "updates_per_example",
            whole("[1, 1000]"),
            "Steps per example; the thesis tries 1 and 10.",
        ),
        parameter(
            "learning_rate",
            number("(0, inf)"),
            "Size of a step.",
        ),
    )

    def __init__(
        self, hidden_units: int | str = "auto", *, updates_per_example: int = 1, learning_rate: float = 0.2
    ) -> None:
        self.hidden_units = hidden_units
        self.updates_per_example = updates_per_example
        self.learning_rate = learning_rate

    def _core_params(self) -> dict[str, Any]:
        return {
            **super()._core_params(),
            "hidden_units": 0 if self.hidden_units == "auto" else int(self.hidden_units),
        }
