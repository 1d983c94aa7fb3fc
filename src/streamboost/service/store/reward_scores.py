"""How well a bandit does: the share of the labels it has shown that were wrong, over all, the last ones and fading ones."""

from __future__ import annotations

from collections import deque
from typing import Any

from streamboost.service.store.scores import FADING, WINDOW, Judged, Scores, plain


class RewardScores(Scores):
    """The figures of one bandit; the label of an example is the reward, 1 or 0."""

    task = "bandit"
    names = ("error",)

    def __init__(self) -> None:
        super().__init__()
        self._wrong = 0
        self._faded = [0.0, 0.0]  # wrong, all
        self._window: deque[bool] = deque(maxlen=WINDOW)

    def _count_block(self, examples: Judged) -> None:
        block = [reward != 1 for reward, _, _ in examples]
        for wrong in block:
            self._faded = [FADING * self._faded[0] + wrong, FADING * self._faded[1] + 1]
        self._wrong += sum(block)
        self._window.extend(block)
        self.history.extend(block, [at for _, _, at in examples])

    def _figures(self, window: int) -> dict[str, Any]:
        last = list(self._window)[-window:]
        return {
            "window": len(last),
            "cumulative": {"error": plain(self._wrong / self.n)},
            "windowed": {"error": plain(sum(last) / len(last))},
            "faded": {"error": plain(self._faded[0] / self._faded[1])},
        }

    def _errors(self) -> tuple[float | None, float | None]:
        return plain(self._wrong / self.n), plain(sum(self._window) / len(self._window))

    def _freeze(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        parts["wrong"], parts["faded"], parts["last"] = self._wrong, self._faded, list(map(int, self._window))

    def _thaw(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        self._wrong, self._faded = parts["wrong"], parts["faded"]
        self._window.extend(map(bool, parts["last"]))
