"""Boosting for sets of labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from streamboost.base.multilabel import MultilabelClassifier
from streamboost.base.parameter import number, one_of, parameter
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.common import StreamEnsemble
from streamboost.ensemble.multiclass import drawn_trees
from streamboost.ensemble.options import LEARNER, SET_OPTIONS, SIZE, SetOptions
from streamboost.learners import HoeffdingTree, Learner

if TYPE_CHECKING:
    from typing_extensions import Unpack

SET_LEARNER = LEARNER.saying(
    "The weak learner: one of streamboost's own classifiers. None means Hoeffding trees, each on some of the columns (the square "
    "root of their number); a tree's automatic parameters are drawn for each, as with the multiclass boosters."
)


class LabelRanking(StreamEnsemble, MultilabelClassifier):
    """An ensemble that ranks the labels of a row."""

    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("labels_", "array", "Names of the labels, in the order of the columns."),
        ("n_features_in_", "int", "Number of columns."),
    )

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTree(max_features="sqrt")

    def _learner_plan(self, seed: int) -> LearnerPlan:
        return drawn_trees(self) or super()._learner_plan(seed)

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return ()


class OnlineBMRClassifier(LabelRanking):
    r"""Boost-by-majority for label sets (OnlineBMR; Jung and Tewari): learners of a known edge rank the labels together.

    When to use it: a row may have several labels at once, and their order of likelihood matters. With learners of unknown
    quality :class:`AdaOLMRClassifier` needs no `edge`.

    Notes
    -----
    Learner i answers a distribution :math:`h^i` over the labels; :math:`s^i = s^{i-1} + h^i`. With :math:`\phi_n^Y(s)` the loss
    expected of the set Y after n more votes of learners with the edge :math:`\gamma`, the costs of learner i are
    :math:`c^i_l = \phi^Y_{N-i}(s^{i-1} + e_l)`; it is taught each :math:`l \in Y` with a weight in proportion to
    :math:`\max c^i - c^i_l`. Sets without any label, or with all of them, rank nothing and teach nothing.

    ``decision_function`` gives :math:`s^N`; probabilities are a logistic function of it for each label, fitted as rows come.

    References
    ----------
    Y. H. Jung and A. Tewari, Online boosting algorithms for multi-label ranking, AISTATS 2018.

    Examples
    --------
    >>> from streamboost import OnlineBMRClassifier, NaiveBayes
    >>> model = OnlineBMRClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.5], [0.9]] * 40, [[1, 0, 0], [1, 1, 0], [0, 1, 1]] * 40
    >>> model.partial_fit(X, y, labels=["cold", "mild", "warm"]).predict([[0.1], [0.9]]).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """

    _entry = model_entry("online-bmr")
    _parameters = (
        SET_LEARNER,
        SIZE,
        parameter("edge", number("(0, 1)"), "How much better than guessing the learners are assumed to be."),
        parameter(
            "loss",
            one_of("rank", "hinge"),
            "The loss of a pair of labels: 1 if it is ranked wrongly, or the hinge loss, which is never below that.",
        ),
        *SET_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        edge: float = 0.01,
        loss: str = "hinge",
        **options: Unpack[SetOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.edge = edge
        self.loss = loss
        self._set_options(options)


class AdaOLMRClassifier(LabelRanking):
    r"""Adaptive boosting for label sets (Ada.OLMR; Jung and Tewari): learners weighted by gradient descent, prefixes by Hedge.

    When to use it: a row may have several labels at once, and nothing is known about the quality of the learners.

    Notes
    -----
    Learner i answers a distribution :math:`h^i` over the labels; :math:`s^i = s^{i-1} + \alpha_i h^i`. With the logistic
    rank loss
    :math:`L^Y(s) = w_Y \sum_{l \in Y, r \notin Y} \ln(1 + e^{s_r - s_l})`, :math:`w_Y = 1 / (|Y| (k - |Y|))`,

    .. math:: c^i = \nabla L^Y(s^{i-1}), \qquad
              \alpha_i \leftarrow \mathrm{clip}\big(\alpha_i - t^{-1/2}\,\nabla L^Y(s^i) \cdot h^i, -2, 2\big);

    the learner is taught each :math:`l \in Y` with a weight in proportion to :math:`\max c^i - c^i_l`. Expert i ranks by
    :math:`s^i`; a rank loss multiplies its weight by :math:`e^{-\text{loss}}`.

    References
    ----------
    Y. H. Jung and A. Tewari, Online boosting algorithms for multi-label ranking, AISTATS 2018.

    Examples
    --------
    >>> from streamboost import AdaOLMRClassifier, NaiveBayes
    >>> model = AdaOLMRClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.5], [0.9]] * 40, [[1, 0, 0], [1, 1, 0], [0, 1, 1]] * 40
    >>> model.partial_fit(X, y, labels=["cold", "mild", "warm"]).predict([[0.1], [0.9]]).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """

    _entry = model_entry("ada-olmr")
    _parameters = (
        SET_LEARNER,
        SIZE,
        parameter(
            "hedge",
            one_of("vote", "sample", "best"),
            "Whose scores rank: the mean of the experts by their weights, those of one drawn (the paper's), or of the best.",
        ),
        *SET_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        hedge: str = "vote",
        **options: Unpack[SetOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.hedge = hedge
        self._set_options(options)
