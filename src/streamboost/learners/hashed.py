"""Linear learners over hashed words and identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from streamboost.base.inputs.word_columns import WordFeatures
from streamboost.base.parameter import FLAG, NONE, number, numbers, one_of, parameter, whole
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import Learner
from streamboost.learners.linear import LogisticRegression

WORD_FEATURES = (
    parameter(
        "text_features",
        [numbers("array-like"), NONE],
        "Columns of free text, by name or number: messages, titles, addresses. None: in files and frames, these are "
        "detected in the first 1,000 rows (more than half of the values different, and three words or 20 characters on "
        "average; or nearly all values different).",
        to_core=False,
        default=None,
    ),
    parameter(
        "identifier_features",
        [numbers("array-like"), NONE],
        "Columns of identifiers, by name or number: users, products, IP addresses. None: in files and frames, these are "
        "detected: string columns that are not text and have more than 100 different values in the first 1,000 rows.",
        to_core=False,
        default=None,
    ),
)


class HashedLogisticRegression(Learner):
    r"""Logistic regression over hashed words, identifiers and numbers: no vocabulary, and nothing grows with the stream.

    When to use it: on messages, titles, logs and clicks, alone or in any ensemble; a row is hashed once for all learners.
    :class:`StreamBoostClassifier` has such learners among its experts, and is more accurate.

    Notes
    -----
    A row becomes a sparse row of :math:`2^b` columns, one for each place that a token may be hashed to. A number is its own
    token and counts what it is, a value of an identifier or a nominal column counts 1; the tokens of a text are counted and
    scaled to length 1. The rest is :class:`LogisticRegression`.

    References
    ----------
    K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg, Feature hashing for large scale multitask learning, ICML
    2009.

    Examples
    --------
    >>> from streamboost import HashedLogisticRegression, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(HashedLogisticRegression(text_features=["text"]))
    >>> for i in range(50):
    ...     model.learn_one({"text": "free prize" if i % 2 else "see you"}, ["ham", "spam"][i % 2])
    >>> model.predict_one({"text": "a free prize"})
    'spam'
    """

    _entry = learner_entry("hashed-logistic")
    _parameters = (
        parameter("bits", whole("[8, 24]"), "Tokens are hashed into 2^bits positions.", to_core=False),
        parameter(
            "text",
            one_of("words", "pairs", "characters"),
            "Tokens of a text: its words, its words and pairs of adjacent words, or runs of 3 to 5 characters.",
            to_core=False,
        ),
        parameter(
            "pairs",
            FLAG,
            "Whether the values of each two nominal or identifier columns are tokens, too (at most 64 pairs); only with words.",
            to_core=False,
        ),
        parameter(
            "learning_rate", number("(0, inf)"), "Size of the steps, as in LogisticRegression.", to_core=False
        ),
        *WORD_FEATURES,
    )

    def __init__(
        self,
        bits: int = 18,
        *,
        text: str = "words",
        pairs: bool = False,
        learning_rate: float = 1.0,
        text_features: Sequence[Any] | None = None,
        identifier_features: Sequence[Any] | None = None,
    ) -> None:
        self.bits = bits
        self.text = text
        self.pairs = pairs
        self.learning_rate = learning_rate
        self.text_features = text_features
        self.identifier_features = identifier_features

    @property
    def word_features(self) -> WordFeatures:
        """The columns of words, as the user says."""
        return WordFeatures(self.text_features, self.identifier_features)

    def _plan(self) -> LearnerPlan:
        if self.pairs and self.text != "words":
            raise ValueError(f"pairs=True goes with text='words', not with text={self.text!r}.")
        linear = LogisticRegression(learning_rate=self.learning_rate).plan()
        view = "crosses" if self.pairs else self.text
        return replace(super()._plan(), params=linear.params, tokens={"view": view, "bits": int(self.bits)})
