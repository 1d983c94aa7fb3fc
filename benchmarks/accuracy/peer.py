"""Models of other libraries, row by row: what is the same for classes and for numbers."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Floats = np.ndarray[Any, Any]


class Peer(ABC):
    """A model of another library.

    ``seconds`` is the CPU time of answering and learning by ``clock``, without making the rows in the library's own form. In the
    calling thread, Java's compiler and garbage collector are left out, in the peers' favour; those of the process count them, as
    a user who pays for them does, and JPype's thread that lets go of what Python has dropped.
    """

    seconds = 0.0
    clock = staticmethod(time.thread_time)

    @abstractmethod
    def rows(self, X: Floats) -> Iterator[Any]:
        """The rows in the library's own form."""

    @abstractmethod
    def ask(self, row: Any) -> Any:
        """What the library answers."""

    @abstractmethod
    def learn(self, row: Any, truth: Any) -> None:
        """Teach one row."""

    def said(self, X: Floats, y: Floats, weight: Floats | None = None) -> Iterator[Any]:
        """The answer to each row; then it is learned, unless its weight is 0."""
        for t, (row, truth) in enumerate(zip(self.rows(X), y.tolist(), strict=True)):
            start = self.clock()
            answer = self.ask(row)
            if weight is None or weight[t] > 0:
                self.learn(row, truth)
            self.seconds += self.clock() - start
            yield answer

    def partial_fit(self, X: Any, y: Any) -> None:
        """Learn rows."""
        for row, truth in zip(self.rows(X), y.tolist(), strict=True):
            start = self.clock()
            self.learn(row, truth)
            self.seconds += self.clock() - start


class MoaRows:
    """Rows as MOA takes them. ``values``: how many a nominal column has, None for a numeric one; ``target`` likewise."""

    def __init__(self, values: Sequence[int | None], target: int | None) -> None:
        from benchmarks.peers import run_moa as moa

        attributes = moa.ArrayList()
        for j, n in enumerate((*values, target)):
            attributes.add(moa.attribute(f"x{j}", n))
        self.header = moa.InstancesHeader(moa.Instances("stream", attributes, 0))
        self.header.setClassIndex(len(values))
        self._moa = moa

    def of(self, X: Floats) -> Iterator[Any]:
        """One instance each, without its class."""
        for row in X:
            instance = self._moa.DenseInstance(1.0, self._moa.JArray(self._moa.JDouble)([*row, 0.0]))
            instance.setDataset(self.header)
            yield instance
