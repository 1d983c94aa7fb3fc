"""Which rows are worth their label, when only some may be labelled (Žliobaitė, Bifet, Pfahringer and Holmes 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from streamboost import _core
from streamboost.base.files.archive import ModelFileError
from streamboost.drift import ADWIN

QUERIES = ("random", "uncertainty", "variable", "randomized", "split", "disagreement")
"""The strategies by name."""

PURPOSE = 16  # of draws: queries
_CHANCE, _LABEL, _JITTER = 0, 1, 2  # what a draw of that purpose decides: part of the format
LOWEST, HIGHEST = 1e-3, 2.0  # threshold: however many rows were all learned, or let go, it comes back soon
RULES = ("quantile", "paper")
"""How a threshold moves, by name."""


def rule_of(query: str) -> str:
    """How the threshold of a strategy moves if nobody says.

    Rows that the learners disagree about most are noise as often as not: the strategy does better with those beyond the median.
    """
    return "paper" if query == "disagreement" else "quantile"


class QueryStrategy:
    r"""A budget of labels and a rule for spending it.

    The state is four numbers and, for ``"split"``, a detector of drift. :meth:`wants` only looks; :meth:`note` moves on by one
    row. Draws are keyed by the number of the row, so that a stream gets the same questions every time.

    Parameters
    ----------
    budget : float
        The share of rows whose labels may be asked for. 1: all of them.
    query : str
        The strategy: see :class:`~streamboost.ActiveClassifier`.
    threshold : float
        The confidence below which ``"uncertainty"`` asks.
    random_share : float
        The share of rows that ``"split"`` leaves to chance.
    rule : str, optional
        How a threshold moves: ``"quantile"`` or ``"paper"``, see the notes. None: ``"paper"`` for ``"disagreement"``, else
        ``"quantile"``.
    seed : int
        Key of the draws.

    Notes
    -----
    No more is ever asked for than the budget b of all rows and w more. In the paper :math:`w = 100`, and spending is
    :math:`u \leftarrow u (w - 1) / w + 1[\text{asked}]`: a label is asked for only while :math:`u / w` is below b. A moving
    threshold starts at 1; a question multiplies it by 0.99 and a row that is let go by 1.01: it settles at the median of the
    confidences, and the first row below that is asked for as soon as the budget has room, which is hardly a choice. By the
    rule ``"quantile"`` a question multiplies it by :math:`1 - 0.02 (1 - b)`, a row that is let go by :math:`1 + 0.02 b`: it
    settles where the share b of the rows lies below it; :math:`w = 1000`, and what was not spent may be spent at any time. It
    stays between 0.001 and 2, whatever is learned or let go unasked.
    """

    def __init__(
        self,
        budget: float = 0.1,
        query: str = "split",
        *,
        threshold: float = 0.9,
        random_share: float = 0.1,
        rule: str | None = None,
        seed: int = 0,
    ) -> None:
        if query not in QUERIES:
            raise ValueError(
                f"query={query!r} is not allowed: choose one of {', '.join(map(repr, QUERIES))}."
            )
        if not 0 < budget <= 1:
            raise ValueError(
                f"budget={budget!r} is not allowed: it is a share of the rows, above 0 and at most 1."
            )
        if rule is not None and rule not in RULES:
            raise ValueError(f"rule={rule!r} is not allowed: choose one of {', '.join(map(repr, RULES))}.")
        self.budget, self.query, self.seed = float(budget), query, seed
        self.rule = rule_of(query) if rule is None else rule
        self.fixed, self.random_share = float(threshold), float(random_share)
        selective = self.rule == "quantile"
        # Rows whose budget may be spent ahead; in the paper also those whose spending counts.
        self._window = 1000.0 if selective else 100.0
        self._down = 1 - (0.02 * (1 - self.budget) if selective else 0.01)
        self._up = 1 + (0.02 * self.budget if selective else 0.01)
        self.n_rows = self.n_asked = self.n_drifts = 0
        self.spent, self.threshold = 0.0, 1.0
        self._detector = ADWIN(delta=0.002)

    @property
    def needs(self) -> str:
        """What it looks at: "nothing", "proba" or "votes"."""
        return {"random": "nothing", "disagreement": "votes"}.get(self.query, "proba")

    @property
    def affordable(self) -> bool:
        """Whether the budget has room for a label now."""
        within = self.n_asked < self.budget * (self.n_rows + self._window)
        saves = self.rule == "quantile" or self.query == "random"
        return within and (saves or self.spent / self._window < self.budget)

    @property
    def by_chance(self) -> bool:
        """Whether chance alone decides about the next row: it shows the stream as it is."""
        return self.query == "random" or (
            self.query == "split" and self._uniform(_CHANCE) < self.random_share
        )

    def wants(self, confidence: float) -> bool:
        """Whether the label of the next row should be asked for; ``confidence`` is between 0 and 1. Changes nothing."""
        if self.budget >= 1:
            return True
        if not self.affordable:
            return False
        if self.by_chance:
            return self._uniform(_LABEL) < self.budget
        if self.query == "uncertainty":
            return confidence < self.fixed
        if self.query == "randomized":
            jitter = 1.0 + _core.normal(self.seed, self.n_rows, 0, PURPOSE, _JITTER)
            return confidence < self.threshold * jitter
        return confidence < self.threshold

    def note(self, asked: bool, wrong: bool | None = None) -> None:
        """Go on to the next row: whether this one got its label, and whether its answer was wrong, if that is known.

        The threshold rests while the budget has no room, and on rows of chance. Their errors, which no rule has chosen, are
        watched for drift; after one the threshold starts again at 1.
        """
        chance = self.by_chance
        if not chance and self.query != "uncertainty" and (asked or self.affordable):
            moved = self.threshold * (self._down if asked else self._up)
            self.threshold = min(max(moved, LOWEST), HIGHEST)
        if chance and asked and wrong is not None and self._detector.update(float(wrong)):
            self.threshold = 1.0
            self.n_drifts += 1
        self.spent = self.spent * (self._window - 1) / self._window + asked
        self.n_rows += 1
        self.n_asked += asked

    def _uniform(self, what: int) -> float:
        return _core.uniform(self.seed, self.n_rows, 0, PURPOSE, what)

    # Files.

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`note` moves, as numbers that JSON can hold."""
        counts = {"rows": self.n_rows, "asked": self.n_asked, "drifts": self.n_drifts}
        return {
            **counts,
            "spent": self.spent,
            "threshold": self.threshold,
            "detector": self._detector.numbers(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what :meth:`state` gave; refuses what no strategy could have given."""
        whole = [state.get(name) for name in ("rows", "asked", "drifts")]
        numbers = [state.get(name) for name in ("spent", "threshold")]
        past = state.get("detector")
        if (
            not all(type(count) is int and 0 <= count < 2**62 for count in whole)
            or not all(type(number) is float and np.isfinite(number) and number >= 0 for number in numbers)
            or numbers[0] > 2 * self._window  # type: ignore[operator]
            or not isinstance(past, list)
            or not all(type(number) is float for number in past)
        ):
            raise ModelFileError("the file holds no state of a query strategy")
        self.n_rows, self.n_asked, self.n_drifts = whole  # type: ignore[assignment]
        self.spent, self.threshold = numbers  # type: ignore[assignment]
        try:
            self._detector.restore(past)
        except ValueError as error:
            raise ModelFileError(f"the file holds no state of a query strategy: {error}") from error
