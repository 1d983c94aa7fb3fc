"""Vowpal Wabbit's own C++ driver over its binary cache: no Python per example.

The wheel holds no ``vw`` program; ``Workspace`` with ``-d`` runs the same driver loop on construction. The
cache is written beforehand, so text parsing is not timed. VW reads in a second thread; the learner runs in the
calling one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import vowpalwabbit

from benchmarks.clock import Stopwatch
from benchmarks.streams import Stream, rows_of


class Runner:
    model_bytes: float | None = None

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="streamboost-bench-")
        text, cache = Path(self._folder.name) / "rows.vw", Path(self._folder.name) / "rows.cache"
        with text.open("w") as file:
            for cells, label in zip(rows_of(stream.X), stream.y.tolist(), strict=True):
                file.write(f"{2 * label - 1} | " + " ".join(f"{j}:{x:.9g}" for j, x in cells) + "\n")
        self._data = ["--quiet", "-d", str(text), "--cache_file", str(cache)]
        vowpalwabbit.Workspace(arg_list=[*self._data, "--noop"]).finish()
        # --binary: the progressive loss counts mistakes, so no prediction has to leave the driver.
        self._arguments = [*self._data, "--binary", *spec["arguments"]]

    def run(self, watch: Stopwatch, seed: int) -> float:
        with watch:
            workspace = vowpalwabbit.Workspace(arg_list=self._arguments)
        mistakes, seen = workspace.get_sum_loss(), workspace.get_weighted_examples()
        workspace.finish()
        return 1.0 - float(mistakes / seen)
