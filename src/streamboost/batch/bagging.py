"""Bagging of all rows at once: the counterpart of online bagging."""

from __future__ import annotations

from streamboost.base.params import BoosterPlan
from streamboost.batch.common import BatchEnsemble


class BaggingClassifier(BatchEnsemble):
    r"""Batch bagging (Breiman) of streamboost's learners: each is trained on a bootstrap sample.

    When to use it: to see what one pass costs, like for like: the same learners and the same vote as
    :class:`OnlineBaggingClassifier`, with all rows at hand.



    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    n_passes : int, default=1
        Passes over the rows for each learner, for learners that depend on the order (networks).
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : int or None, default=None
        Threads: None is one, -1 as many as the process may use. Answers and state are the same bits for any number.
        Taken when the model starts or is loaded; learners written in Python stay on one thread.
    tie : {"lowest", "random"}, default="lowest"
        Who wins equal votes: the class with the lowest internal code, or a keyed draw.
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
    For each learner, as many rows as there are are drawn with replacement, with probabilities in proportion to
    `sample_weight`; a row drawn k times is learned as k copies, in the order of the rows. The answer is the class
    with most votes.


    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996. N. Oza, *Online Ensemble Learning*, PhD thesis,
    University of California, Berkeley, 2001, chapter 3.


    Examples
    --------
    >>> from streamboost import BaggingClassifier, NaiveBayes
    >>> model = BaggingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "batch-bagging"

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return BoosterPlan("batch_bagging", {"n_rows": n_rows, "n_passes": int(self.n_passes)})
