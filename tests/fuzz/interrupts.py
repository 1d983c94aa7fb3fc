"""Ctrl-C at a random moment of a long call: the model has learned exactly the rows that the exception names."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any

import numpy as np

from streamboost import LearningInterrupted
from tests.catalogue import state
from tests.fuzz.models import example, random_maker, random_rows

ROWS = (200, 2_000, 20_000)


class Interrupts:
    """A signal while rows are learned."""

    name = "interrupts"
    cases = 6

    def attack(self, number: int) -> str:
        """Interrupt call `number` of the endless list."""
        rng = np.random.default_rng([23, number])
        make = random_maker(rng, sizes=(5, 40))
        X, y, weight = random_rows(rng, 200)
        n_jobs = int(rng.integers(1, 3))
        times = int(rng.choice(ROWS)) // len(y)
        big = (np.tile(X, (times, 1)), np.tile(y, times))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(n_jobs)
            model.partial_fit(**example(model, X, y, weight))
            learned = self._interrupted(model, *big, after=float(rng.uniform(0, 0.4) ** 2))
            twin = make(n_jobs)
            twin.partial_fit(**example(twin, X, y, weight))
            if learned:
                twin.partial_fit(big[0][:learned], big[1][:learned])
            if state(model) != state(twin):
                raise AssertionError(f"{model} says that it has learned {learned} rows and has not")
            model.partial_fit(X, y)
            twin.partial_fit(X, y)
            if state(model) != state(twin):
                raise AssertionError(f"{model} does not go on as if nothing had been")
        return (
            "before the first row"
            if not learned
            else "too late"
            if learned == len(big[1])
            else "in the middle"
        )

    def _interrupted(self, model: Any, X: Any, y: Any, after: float) -> int:
        """Learn, and be interrupted; returns the rows that the model says it has learned of these."""
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
        learned, before = len(y), model.n_learned_
        try:
            timer.start()
            model.partial_fit(X, y)
            timer.cancel()
            timer.join()
        except LearningInterrupted as stopped:
            learned = stopped.n_rows_learned
        except KeyboardInterrupt:  # before or after the work itself: nothing is learned, or all
            learned = len(y) if model.n_learned_ > before else 0
        finally:
            timer.join()
            signal.signal(signal.SIGINT, handler)
        return learned
