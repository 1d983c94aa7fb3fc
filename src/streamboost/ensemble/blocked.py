"""Blocked boosting after Breiman: one learner per small block of the stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, parameter, whole
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, SIZE, UNGUARDED_OPTIONS, UnguardedOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BlockedBoostingClassifier(Ensemble):
    r"""Blocked boosting (Breiman): each learner is made of one small block, half of it what the others get wrong.

    The stream passes once. The learner whose block is not full yet takes every example that the finished learners get
    wrong, and of the others as many as make the halves even; a finished learner never learns again.

    When to use it: on long streams without drift, where learners are costly: each sees `block_size` examples. Once
    all learners are finished, nothing more is learned.

    Notes
    -----
    With :math:`e / t` the share of tried examples that the finished learners got wrong, an example that they get
    right is accepted with probability :math:`\min(1, r / (1 - r))`, where :math:`r_2 = e / t` and
    :math:`r_m = 0.75\, r_{m-1} + 0.25\, e / t` after that. The answer is the class with most votes; a learner whose
    block is not full votes once it has met two classes.


    References
    ----------
    L. Breiman, Pasting small votes for classification in large databases and on-line, Machine Learning 36, 1999.
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.4.


    Examples
    --------
    >>> from streamboost import BlockedBoostingClassifier, NaiveBayes
    >>> model = BlockedBoostingClassifier(NaiveBayes(), n_estimators=10, block_size=8, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("blocked-boost")
    _parameters = (
        LEARNER,
        SIZE.saying("Largest number of learners."),
        parameter(
            "block_size",
            whole("[1, inf)"),
            "Number of examples each learner is trained on.",
        ),
        parameter(
            "literal",
            FLAG,
            "Whether the smoothing of the error begins as printed, with 1 for the first learner, which makes "
            "the second learner accept every example.",
        ),
        *UNGUARDED_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        block_size: int = 100,
        literal: bool = False,
        **options: Unpack[UnguardedOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.block_size = block_size
        self.literal = literal
        self._set_options(options)

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return ()  # learners that wait for their block are no sign of trouble
