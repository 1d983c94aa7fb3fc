"""Online gradient boosting for two classes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class OGBoostClassifier(Ensemble):
    r"""Online GradientBoost (OGBoost) for two classes.

    Selectors descend a loss one after the other; each selector holds several candidates and answers with the one that has
    erred least. The loss decides how an example's weight falls as it becomes safe.

    When to use it: noisy labels, with ``loss="savage"`` or ``"doom"``, which let go of hopeless examples; linear learners.
    With naive Bayes it is often worse than a single learner. No guarantee is known for streams.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of selectors.
    n_candidates : int, default=1
        Learners in each selector.
    loss : {"logit", "exponential", "hinge", "doom", "savage"}, default="logit"
        The loss of the margin. Doom and savage are bounded: robust to false labels.
    shrinkage : float in (0, 1], default=1.0
        What each selector's answer is multiplied by.
    hypothesis : {"real", "sign"}, default="real"
        Whether a learner answers with its confidence in [-1, 1] or with its sign.
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : int or None, default=None
        Threads: None is one, -1 as many as the process may use. Answers and state are the same bits for any number.
        Taken when the model starts or is loaded; learners written in Python stay on one thread.
    tie : {"lowest", "random"}, default="lowest"
        Who wins equal votes: the class with the lowest internal code, or a keyed draw.
    monitor : bool, default=True
        Keep the sums for :meth:`report`: what each learner was given and how it did, and the bounds.
    categorical_features : array-like or None, default=None
        Nominal columns, as a mask, column numbers or names; in frames and dicts, text, categories and booleans are
        nominal without being named.

    Attributes
    ----------
    classes_ : array
        Labels known so far, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the first rows had names.

    Notes
    -----
    With :math:`F_0 = 0` and loss l: selector m learns with weight :math:`w_m = -l'(y F_{m-1})`; each candidate adds
    :math:`w_m` to its error if it is wrong after learning; the candidate with the least error answers
    :math:`f_m`, and :math:`F_m = F_{m-1} + \nu f_m`. The answer is the sign of :math:`F_M`; ``predict_proba`` is
    :math:`1 / (1 + e^{-F})` for the logit loss and :math:`1 / (1 + e^{-2F})` for the others.

    References
    ----------
    C. Leistner, A. Saffari, P. M. Roth and H. Bischof, On robustness of on-line boosting: a competitive study, ICCV
    workshops 2009.

    Examples
    --------
    >>> from streamboost import OGBoostClassifier, NaiveBayes
    >>> model = OGBoostClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _model_name = "ogboost"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"logit", "exponential", "hinge", "doom", "savage"})],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "hypothesis": [StrOptions({"real", "sign"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_candidates: int = 1,
        loss: str = "logit",
        shrinkage: float = 1.0,
        hypothesis: str = "real",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.loss = loss
        self.shrinkage = shrinkage
        self.hypothesis = hypothesis
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _n_lanes(self) -> int:
        return int(self.n_estimators) * int(self.n_candidates)

    def _booster_plan(self) -> BoosterPlan:
        params = {
            "loss": self.loss,
            "shrinkage": float(self.shrinkage),
            "n_candidates": int(self.n_candidates),
            "hypothesis": self.hypothesis,
        }
        return BoosterPlan("ogboost", params, max_classes=2)
