"""The laws as one check: however a stream is served, the answers and the model are the same to the last bit.

Chunks of any size, threads, files, pickles, snapshots, questions and refused rows in between; and rows of weight 0 left out.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from tests.catalogue import Rows, answers, state
from tests.options import Choose

CHUNKS = (1, 2, 5, 17, 64)


def interludes(model: Any) -> list[str]:
    """What may happen between two chunks."""
    return ["pickle", "ask", "snapshot", "refused"] + ["file"] * (not hasattr(model, "estimators"))


def interlude(what: str, model: Any, stream: Rows) -> Any:
    """Let it happen; returns the model to go on with."""
    if what == "file":
        return sb.load(model.to_bytes())
    if what == "pickle":
        return pickle.loads(pickle.dumps(model))
    if what == "snapshot":
        assert state(model.snapshot()) == state(model), "a snapshot is not its model"
        return model
    before = state(model)
    if what == "ask":
        if is_regressor(model) or len(model.classes_):
            answers(model, stream.X)
            model.predict(stream.X)
        model.memory_bytes()
    else:
        try:
            model.partial_fit(np.full((2, stream.X.shape[1]), np.inf), stream.y[:2])
        except ValueError:
            pass
        else:
            raise AssertionError("infinity was learned")
    assert state(model) == before, f"{what} has changed the model"
    return model


def check_laws(make: Any, stream: Rows, choose: Choose) -> list[str]:
    """Serve the stream in one call, in pieces with interludes, and without its rows of weight 0; returns the interludes."""
    whole = make()
    said = whole.test_then_train(**stream.lesson()).tolist()
    expected = state(whole)
    kinds = interludes(whole)

    pieces = make().set_params(n_jobs=choose([None, 2, 3]))
    got: list[Any] = []
    happened: list[str] = []
    done = 0
    while done < len(stream):
        part = slice(done, min(len(stream), done + choose(CHUNKS)))
        done = part.stop
        if choose([True, True, False]):
            got += pieces.test_then_train(**stream.lesson(part)).tolist()
        else:
            pieces.partial_fit(**stream.lesson(part))
            got += said[part]
        if choose([True, False, False]):
            happened.append(choose(kinds))
            pieces = interlude(happened[-1], pieces, stream)
    assert repr(got) == repr(said), f"{whole} answers otherwise in pieces, after {happened}"
    assert state(pieces) == expected, f"{whole} is another model after {happened}"

    some = make()
    some.partial_fit(**stream.lesson(stream.weight > 0))
    assert state(some) == expected, f"{whole} has learned from rows of weight 0"
    assert answers(some, stream.X) == answers(whole, stream.X)
    return happened
