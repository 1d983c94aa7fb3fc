"""Compiles roofline.cpp for this host and turns its two kernels into entries of the same interleaved run."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.clock import Stopwatch
from benchmarks.speed.native import compile_library
from benchmarks.speed.throughput import Entry, N
from benchmarks.streams import make

KERNELS = ("plain", "blocked")
PADDING = 16  # lanes are padded to a multiple of this, as in the core


def entries(rows: int) -> dict[str, Entry]:
    stream = make("hyperplane", rows)
    n, d = stream.X.shape
    lanes = -(-N // PADDING) * PADDING
    X, y = np.ascontiguousarray(stream.X), np.where(stream.y == 1, 1.0, -1.0)
    storage = np.zeros((d + 1) * lanes + 8)
    start = (-storage.ctypes.data % 64) // 8
    w = storage[start : start + (d + 1) * lanes]
    with tempfile.TemporaryDirectory(prefix="streamboost-bench-") as folder:
        library = ctypes.CDLL(str(compile_library("roofline.cpp", Path(folder), "-O3", "-march=native")))
    pointer = ctypes.POINTER(ctypes.c_double)
    weights, data, labels = (a.ctypes.data_as(pointer) for a in (w, X, y))

    def kernel(name: str) -> Callable[[Stopwatch], float]:
        function = getattr(library, f"roofline_{name}")
        function.argtypes = [pointer, ctypes.c_int, pointer, pointer, ctypes.c_long, ctypes.c_int]
        function.restype = None

        def pass_over(watch: Stopwatch) -> float:
            w[:] = 0.0
            with watch:
                function(weights, lanes, data, labels, n, d)
            return float("nan")

        return pass_over

    return {name: Entry(f"roofline, {name}", n, kernel(name)) for name in KERNELS}
