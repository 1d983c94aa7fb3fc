"""Agnostic boosting: for labels that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, number, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.report import Bound

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AgnosticBoostingClassifier(Ensemble):
    r"""Agnostic boosting (Brukhim et al.; Raman and Tewari), for any number of classes.

    Learners are taught labels, not weights: the true label where those before them failed, nearly noise where they were right.
    No example can take over the ensemble, so a share of wrong labels does little harm.

    When to use it: over trees, with more than two classes and labels of which many are wrong; there it was ahead of
    boosting and bagging over the same trees. With two classes :class:`OSBoostClassifier` and bagging did better.

    Notes
    -----
    For every example p starts uniform over the classes. Learner i is taught a label drawn from p, and with its answer
    :math:`h_i` of before as a one-hot vector

    .. math:: p \leftarrow \Pi\Big(p - \frac{\gamma}{\sqrt N}\Big(\frac{2 h_i - 1}{\gamma} - (2 e_y - 1)\Big)\Big),

    :math:`\Pi` the nearest point of the simplex. The vote's probability is :math:`\Pi(\sum_i h_i / (N \gamma))`.

    References
    ----------
    N. Brukhim, X. Chen, E. Hazan, S. Moran, Online agnostic boosting via regret minimization, NeurIPS 2020.
    V. Raman, A. Tewari, Online agnostic multiclass boosting, NeurIPS 2022.

    Examples
    --------
    >>> from streamboost import AgnosticBoostingClassifier, NaiveBayes
    >>> model = AgnosticBoostingClassifier(NaiveBayes(), n_estimators=30, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 50, ["low", "high", "low", "high"] * 50
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _entry = model_entry("agnostic-boost")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "gamma", number("(0, 1]"), "The advantage over random guessing required of the weak learners."
        ),
        parameter(
            "draw",
            FLAG,
            "Whether the answer is drawn from the probabilities, as in the papers; else the largest vote answers.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        gamma: float = 0.5,
        draw: bool = False,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.gamma = gamma
        self.draw = draw
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        rounds = totals["weight"] * self.n_estimators
        return (
            Bound(
                "regret of the labels taught",
                totals["label_regret"] / rounds,
                totals["label_regret_bound"] / rounds,
                statement="how much better one label for all learners would have been than the p that were drawn from, per "
                "learner and example: what boosting adds to the learners' own regret",
            ),
        )
