"""What a snapshot of the default writes and costs, its remembered rows apart or not: `python -m benchmarks.serve.snapshots`.

The service's own function writes the files. Three in turn after every 5,000 rows: the default as the service writes it, the
same as one whole file, and the model without replay, which remembers no rows.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.service.store import snapshots
from streamboost.streams import make_generator

STREAMS = {
    "rule of three columns (sea)": "sea",
    "gaussians (rbf)": "rbf",
    "loan rules, codes and numbers (agrawal)": "agrawal",
    "hyperplane that turns": "hyperplane",
}
EVERY = 5000
WITHOUT = ("linear", "naive-bayes", "neighbors")


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def written(folder: Path, write: Callable[[], Any]) -> tuple[float, float]:
    """CPU milliseconds and megabytes of what one call writes."""
    before, began = megabytes(folder), time.process_time()
    write()
    return 1e3 * (time.process_time() - began), megabytes(folder) - before


def measure(stream: str, rows: int) -> dict[str, list[tuple[float, float]]]:
    """Of each way, every snapshot's milliseconds and megabytes."""
    full = sb.StreamBoostClassifier(random_state=1)
    bare = sb.StreamBoostClassifier(random_state=1, companions=WITHOUT)
    found: dict[str, list[tuple[float, float]]] = {"apart": [], "whole": [], "without": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / snapshots.FOLDER).mkdir()
        for chunk in make_generator(stream, limit=rows, seed=1).chunks(EVERY):
            full.partial_fit(chunk.X, chunk.y)
            bare.partial_fit(chunk.X, chunk.y)
            seq = len(found["apart"])
            apart, without = (
                snapshots.Snapshot(candidate, seq, model, b"") for candidate, model in ((1, full), (2, bare))
            )
            found["apart"].append(written(folder, lambda s=apart: snapshots.write_file(folder, s)))  # type: ignore[misc]
            found["whole"].append(written(folder, lambda i=seq: full.save(folder / f"whole-{i}.sboost")))  # type: ignore[misc]
            found["without"].append(written(folder, lambda s=without: snapshots.write_file(folder, s)))  # type: ignore[misc]
    return found


def main() -> None:
    made = parser("serve.snapshots", __doc__)
    made.add_argument("--rows", type=int, default=80_000)
    options = made.parse_args()
    page = Page("snapshots", "Snapshots of the service", options)
    rows = 20_000 if options.quick else options.rows
    page.preface.append(
        f"- `python -m benchmarks.serve.snapshots`: the default model over {rows:,} rows, a snapshot every {EVERY:,}, the disk"
        " flushed; means of the second half of them. CPU time of one thread, three ways in turn."
        " Apart: remembered rows in files of their own, only new ones written (the service). Whole: all in one file. Without:"
        " the model without replay, which remembers no rows."
    )
    table = Table(
        "One snapshot",
        [
            "stream", "MB apart", "MB whole", "MB without", "apart / without",
            "ms apart", "ms whole", "ms without", "ms apart / without",
        ],
    )  # fmt: skip
    for title, stream in STREAMS.items():
        found = measure(stream, rows)
        half = {way: np.mean(values[len(values) // 2 :], axis=0) for way, values in found.items()}
        ms, mb = ([float(half[way][i]) for way in ("apart", "whole", "without")] for i in (0, 1))
        table.add(title, *mb, f"{mb[0] / mb[2]:.2f}", *ms, f"{ms[0] / ms[2]:.2f}")
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
