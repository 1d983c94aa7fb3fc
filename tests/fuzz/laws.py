"""The laws with everything at once: chunks, single rows, threads, files, snapshots and questions in between, at random.

However a stream is served, the file of the model is the same to the last bit.
"""

from __future__ import annotations

import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from tests.fuzz.models import example, random_maker, random_rows, state


class Laws:
    """One stream, served twice in different ways."""

    name = "laws"
    cases = 60

    def attack(self, number: int) -> str:
        """Serve stream `number` of the endless list in one call, and in pieces with interludes."""
        rng = np.random.default_rng([22, number])
        make = random_maker(rng)
        X, y, weight = random_rows(rng, int(rng.integers(5, 120)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = make()
            whole.partial_fit(**example(whole, X, y, weight))
            pieces, interludes = self._in_pieces(make(n_jobs=int(rng.integers(1, 3))), X, y, weight, rng)
            # The number of threads is a parameter, not a part of what is learned.
            if state(whole.set_params(n_jobs=None)) != state(pieces.set_params(n_jobs=None)):
                raise AssertionError(f"{whole} is another model after {interludes}")
        return (
            f"same through {len(interludes)} interludes" if len(interludes) < 3 else "same through 3 or more"
        )

    def _in_pieces(
        self, model: Any, X: Any, y: Any, weight: Any, rng: np.random.Generator
    ) -> tuple[Any, list[str]]:
        done, interludes = 0, []
        while done < len(y):
            end = min(len(y), done + int(rng.choice([1, 2, 5, 17, 64])))
            part = slice(done, end)
            verb = model.test_then_train if rng.random() < 0.5 else model.partial_fit
            verb(**example(model, X[part], y[part], weight[part]))
            done = end
            if rng.random() < 0.3:
                interludes.append(str(rng.choice(["file", "pickle", "ask", "snapshot", "refused"])))
                model = self._interlude(interludes[-1], model, X, y)
        return model, interludes

    def _interlude(self, what: str, model: Any, X: Any, y: Any) -> Any:
        if what == "file":
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder) / "model")
                return sb.load(Path(folder) / "model")
        if what == "pickle":
            return pickle.loads(pickle.dumps(model))
        if what == "ask":
            (model.predict if is_regressor(model) else model.predict_proba)(X)
        elif what == "snapshot":
            taken = model.snapshot()
            if state(taken) != state(model):
                raise AssertionError("a snapshot is not its model")
        else:
            try:
                model.partial_fit(np.full((2, X.shape[1]), np.inf), y[:2])
            except ValueError:
                return model
            raise AssertionError("infinity was learned")
        return model
