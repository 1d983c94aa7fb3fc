"""Rare frauds that change their ways: our setups beside River's forest and LightGBM on a window, in one run.

    python -m benchmarks.accuracy.fraud

The payments and the models are those of ``examples/fraud.py``. Test, then train; a library that is not installed is a line
"not run".
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Any

from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.evaluate import ExpectedCost, prequential
from streamboost.evaluate.score_metrics import AveragePrecision

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "fraud.py"
PEERS = {"river": "River", "lightgbm": "LightGBM"}


def load_example() -> Any:
    """The example as a module, wherever this is run from."""
    spec = importlib.util.spec_from_file_location("fraud", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    args = parser("accuracy.fraud", __doc__).parse_args()
    example = load_example()
    here = [name for name in PEERS if importlib.util.find_spec(name)]
    page = Page("fraud", "Frauds that change their ways", args, packages=["streamboost", "numpy", *here])
    n = 2_000 if args.quick else 6_000
    X, y = example.payments(n)
    table = Table(
        f"{n:,} payments, {(y == 'fraud').mean():.1%} fraud, three kinds of it one after the other",
        ["model", "average precision", "cost per payment", "CPU s"],
        note="Average precision of the probabilities that were answered before each row was learned; a missed fraud costs 50, a"
        " false alarm 1. LightGBM is refitted on the last 2,000 rows after every 500.",
    )
    for name, model in example.setups():
        begun = time.process_time()
        metrics = [AveragePrecision("fraud"), ExpectedCost(example.COSTS)]
        result = prequential(model, (X, y), classes=["fine", "fraud"], metrics=metrics)
        found = [result.metrics[m]["cumulative"].value for m in ("average_precision", "cost")]
        table.add(name, *found, f"{time.process_time() - begun:.1f}")
    for name in sorted(set(PEERS) - set(here)):
        table.add(PEERS[name], "not run", "not installed", "-")
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
