"""What this machine can do at all, by kernels compiled for it: reading, updating, multiplying, and each bank bare."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import Stopwatch
from benchmarks.speed.native import compile_library
from benchmarks.streams import Stream

LANES = 112  # 100 learners, padded to a multiple of 16 as in the core
FLAGS = ("-O3", "-march=native", "-ffast-math")
Pointer = ctypes.POINTER(ctypes.c_double)
Kernel = Callable[[], float]  # one pass over the rows; CPU seconds


def aligned(cells: int, value: float = 0.0) -> NDArray[np.float64]:
    """Doubles that start at a cache line."""
    storage = np.full(cells + 8, value)
    start = (-storage.ctypes.data % 64) // 8
    return storage[start : start + cells]


def pointer(array: NDArray[np.float64]) -> ctypes._Pointer[ctypes.c_double]:
    return array.ctypes.data_as(Pointer)


class Limits:
    """The compiled kernels."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="streamboost-bench-") as folder:
            self._linear = ctypes.CDLL(str(compile_library("roofline.cpp", Path(folder), *FLAGS[:2])))
            library = compile_library("roofline_banks.cpp", Path(folder), *FLAGS)
            self._banks = ctypes.CDLL(str(library))
        self._banks.roofline_read.restype = ctypes.c_double
        self._banks.roofline_multiply.restype = ctypes.c_double
        self._kept: list[NDArray[np.float64] | NDArray[np.int32]] = []  # the kernels hold bare pointers

    def read_speed(self, bytes_: int) -> float:
        """Bytes per second, reading so many again and again."""
        return self._speed("roofline_read", bytes_, 1)

    def update_speed(self, bytes_: int) -> float:
        """Bytes per second, each counted once for reading and once for writing."""
        return self._speed("roofline_update", bytes_, 2)

    def _speed(self, name: str, bytes_: int, times: int) -> float:
        array = aligned(max(64, bytes_ // 8))
        n = len(array) // 64 * 64
        passes = max(1, (1 << 22) // n)  # milliseconds: many short measurements find a quiet moment
        best = float("inf")
        for _ in range(25):
            more = [ctypes.c_double(1e-9)] if times == 2 else []
            with Stopwatch() as watch:
                getattr(self._banks, name)(pointer(array), ctypes.c_long(n), ctypes.c_long(passes), *more)
            best = min(best, watch.thread)
        return 8.0 * n * passes * times / best

    def multiply_speed(self) -> float:
        """Double multiply-adds per second, two operations each."""
        passes, out, best = 400_000, aligned(8), float("inf")
        for _ in range(25):
            with Stopwatch() as watch:
                self._banks.roofline_multiply(ctypes.c_long(passes), ctypes.c_double(0.999), pointer(out))
            best = min(best, watch.thread)
        return 2.0 * 12 * 8 * passes / best

    def _bank(self, name: str, *arguments: object, stream: Stream, linear: bool = False) -> Kernel:
        X, y = np.ascontiguousarray(stream.X), np.where(stream.y == 1, 1.0, -1.0)
        rows, d = X.shape
        self._kept += [X, y]
        function = getattr(self._linear if linear else self._banks, f"roofline_{name}")
        rest = (pointer(X), pointer(y), ctypes.c_long(rows), ctypes.c_int(d))

        def run() -> float:
            with Stopwatch() as watch:
                function(*arguments, *rest)
            return watch.thread

        return run

    def _state(self, cells: int, value: float = 0.0) -> ctypes._Pointer[ctypes.c_double]:
        made = aligned(cells, value)
        self._kept.append(made)
        return pointer(made)

    def linear(self, stream: Stream, kernel: str) -> Kernel:
        state = self._state((stream.X.shape[1] + 1) * LANES)
        return self._bank(kernel, state, ctypes.c_int(LANES), stream=stream, linear=True)

    def boosted(self, stream: Stream, kernel: str) -> Kernel:
        """Perceptrons under a booster ("smooth", "oza", "drawn"), or its weight's way through the lanes ("chain")."""
        state = [] if kernel == "chain" else [self._state((stream.X.shape[1] + 1) * LANES)]
        sums = self._state(2 * LANES, 1.0)
        return self._bank(kernel, *state, sums, ctypes.c_int(LANES), stream=stream)

    def gaussian(self, stream: Stream) -> Kernel:
        cells = stream.X.shape[1] * 2 * LANES
        state, mass = self._state(3 * cells, 0.5), self._state(2 * LANES, 1.0)
        return self._bank("gaussian", state, mass, ctypes.c_int(LANES), stream=stream)

    def nominal(self, stream: Stream) -> Kernel:
        values = stream.n_values or 1
        count = self._state(stream.X.shape[1] * values * 2 * LANES, 1.0)
        return self._bank("nominal", count, ctypes.c_int(values), ctypes.c_int(LANES), stream=stream)

    def stump(self, stream: Stream) -> Kernel:
        values, d = stream.n_values or 1, stream.X.shape[1]
        cells = d * values * LANES
        # Counts, their terms, leaves.
        arrays = (
            self._state(2 * cells, 1.0),
            self._state(2 * cells),
            self._state(cells),
        )
        more = (self._state(d * LANES), self._state(LANES), ctypes.c_int(values), ctypes.c_int(LANES))
        return self._bank("stump", *arrays, *more, stream=stream)

    def tree(self, stream: Stream, trees: int, depth: int) -> Kernel:
        rng, d = np.random.default_rng(0), stream.X.shape[1]
        nodes, leaves = (1 << depth) - 1, 1 << depth
        column = rng.integers(0, d, max(1, trees * nodes)).astype(np.int32)
        threshold = aligned(max(1, trees * nodes))
        self._kept += [column, threshold]
        state, mass = self._state(trees * leaves * 6 * d, 0.5), self._state(trees * leaves * 2, 1.0)
        where = column.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        shape = (ctypes.c_int(trees), ctypes.c_int(depth))
        return self._bank("tree", state, mass, where, pointer(threshold), *shape, stream=stream)
