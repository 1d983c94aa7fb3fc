"""Memory that runs out: a call fails with MemoryError and leaves the model as it was, or says exactly what it has learned.

Every case runs in a process of its own, whose heap is filled up first, so that a limit to its address space is felt. A twin
with enough memory learns the rows that the exception names, and must be equal to the last bit. Trees that grow in the middle
of an example go on without what they could not have: then all rows are learned, the model says so, and its file loads.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import resource
import traceback
import warnings
from typing import Any

import numpy as np

import streamboost as sb
from tests.catalogue import state
from tests.fuzz.models import example, random_maker, random_rows

WORDS = (
    "enough memory",
    "MemoryError, unchanged",
    "MemoryError, some rows learned",
    "trees went on without",
)
FAILED = 99


class MemoryLimits:
    """Growth under a limit."""

    name = "memory-limits"
    cases = 10

    def attack(self, number: int) -> str:
        """Grow model `number` of the endless list under a limit, in a child."""
        child = os.fork()
        if child == 0:
            code = FAILED
            try:
                code = WORDS.index(_case(number))
            except BaseException:
                traceback.print_exc()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            raise AssertionError(f"killed by signal {os.WTERMSIG(status)}")
        if os.WEXITSTATUS(status) >= len(WORDS):
            raise AssertionError("failed; what happened is printed above")
        return WORDS[os.WEXITSTATUS(status)]


def _case(number: int) -> str:
    rng = np.random.default_rng([24, number])
    warnings.simplefilter("ignore")
    if rng.random() < 0.5:
        model, rows, labels = _many_categories(rng)
    else:
        model, rows, labels = _many_rows(rng)
    before = state(model)
    learned_before = model.n_learned_
    twin = copy.deepcopy(model)
    spare = sb.SingleLearnerClassifier()  # what is imported later must be there before the limit
    spare.partial_fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])
    failed = None
    with warnings.catch_warnings(record=True) as told, _limit(int(2 ** rng.uniform(12, 26))):
        warnings.simplefilter("always")
        try:
            model.partial_fit(rows, labels)
        except MemoryError as error:
            failed = error
    done = len(rows) if failed is None else getattr(failed, "n_rows_learned", 0)
    after = state(model)
    if model.n_learned_ != learned_before + done:
        raise AssertionError("the model has changed, and nobody says how far")
    if any("no memory for trees" in str(warning.message) for warning in told):
        again = pickle.loads(pickle.dumps(model))
        if state(again.partial_fit(rows, labels)) != state(model.partial_fit(rows, labels)):
            raise AssertionError("its file does not go on like the model")
        return WORDS[3]
    if done:
        twin.partial_fit(rows[:done], labels[:done])
    if after != (state(twin) if done else before):
        raise AssertionError("the model is not what its rows make of it")
    return WORDS[0] if failed is None else WORDS[2] if done else WORDS[1]


def _many_categories(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    kind = [sb.OnlineBaggingClassifier, sb.OnlineBoostingClassifier][int(rng.integers(2))]
    learner = [sb.NaiveBayes(), sb.DecisionStump(), sb.TAN()][int(rng.integers(3))]
    size = 200 if not isinstance(learner, sb.TAN) else 20
    model = kind(learner, n_estimators=size, random_state=1, categorical_features=[0, 1])
    codes = rng.integers(0, 3, (30, 2)).astype(float)
    model.partial_fit(codes, codes[:, 0] > 0)
    n = int(rng.integers(500, 3000))
    more = rng.integers(0, n, (n, 2)).astype(float)
    return model, more, more[:, 0] > n / 2


def _many_rows(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    model = random_maker(rng, sizes=(10, 60))()
    X, y, weight = random_rows(rng, 60)
    model.partial_fit(**example(model, X, y, weight))
    rows = rng.normal(size=(200, X.shape[1]))
    return model, rows, (rows[:, 0] > 0).astype(int)


class _limit:
    """So many bytes are left, from 4 kB to 64 MB, and what the allocator keeps in pieces smaller than that."""

    def __init__(self, more: int) -> None:
        self.more = more

    def __enter__(self) -> None:
        self.old = resource.getrlimit(resource.RLIMIT_AS)
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        gc.collect()
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        then = (used + self.more, self.old[1])
        resource.setrlimit(resource.RLIMIT_AS, (used, self.old[1]))
        for size in (1 << 20, 1 << 16, 1 << 12):
            while libc.malloc(ctypes.c_size_t(size)):
                pass
        resource.setrlimit(resource.RLIMIT_AS, then)

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_AS, self.old)
