"""Sets that adapt beside sets of a fixed quantile: how often they hold the true label, and how large they are.

    python -m benchmarks.accuracy.conformal

Test, then train, in the order of the stream. Both kinds of sets come from the same probabilities. The fixed quantile is split
conformal prediction as it is usually done: how strange the labels of the first 1,000 rows were, and never again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import streams

MODELS: dict[str, Any] = {
    "bagging of naive Bayes": lambda **o: sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=10, **o),
    "random forest": lambda **o: sb.AdaptiveRandomForestClassifier(n_estimators=5, **o),
}
STREAMS = (
    "sea", "sea:drift=abrupt,at=4000", "hyperplane", "agrawal", "agrawal:drift=gradual,at=3000+6000,width=500",
    "rbf", "led", "led:drift=abrupt,every=2000,label_noise=0.05", "waveform", "waveform:drift=abrupt,at=4000",
)  # fmt: skip
CALIBRATED, WINDOW, COVERAGE = 1_000, 500, 0.9


def fixed_sets(proba: Any, codes: Any, coverage: float) -> Any:
    """Sets of the rows after the first ones, whose (n + 1) coverage / n quantile of strangeness decides."""
    first = 1 - proba[np.arange(CALIBRATED), codes[:CALIBRATED]]
    rank = min(math.ceil((CALIBRATED + 1) * coverage), CALIBRATED)
    return 1 - proba[CALIBRATED:] <= np.sort(first)[rank - 1]


def judged(sets: Any, codes: Any) -> tuple[float, float, float]:
    """Coverage, that of the worst window, and mean size."""
    held = sets[np.arange(len(codes)), codes].astype(float)
    sums = np.concatenate(([0.0], np.cumsum(held)))
    worst = (sums[WINDOW:] - sums[:-WINDOW]).min() / WINDOW
    return float(held.mean()), float(worst), float(sets.sum(axis=1).mean())


def main() -> None:
    args = parser("accuracy.conformal", __doc__).parse_args()
    page = Page("sets", "Sets beside a fixed quantile", args)
    most = 4_000 if args.quick else 8_000
    ours_name, fixed_name = "adaptive (predict_set)", "fixed quantile"
    table = Table(
        f"Coverage asked for: {COVERAGE:g}",
        [
            "stream", "model", "classes", f"coverage, {ours_name}", fixed_name, f"worst {WINDOW} rows, adaptive", fixed_name,
            "mean size, adaptive", fixed_name,
        ],
        note=f"Rows {CALIBRATED:,} to {most:,}: the first ones are what the fixed quantile is taken from.",
    )  # fmt: skip
    near = {ours_name: 0.0, fixed_name: 0.0}
    for name in STREAMS[: 2 if args.quick else None]:
        rows = streams.to_arrays(streams.open_stream(name, seed=1, limit=most), most)
        labels, codes = np.unique(rows.y, return_inverse=True)
        for model_name, make in MODELS.items():
            options = {"random_state": 1, "categorical_features": rows.nominal}
            proba = make(**options).test_then_train(rows.X, rows.y, classes=labels, output="proba")
            model = make(coverages=COVERAGE, **options)
            adaptive = model.test_then_train_sets(rows.X, rows.y, COVERAGE, labels)[CALIBRATED:]
            found = [judged(s, codes[CALIBRATED:]) for s in (adaptive, fixed_sets(proba, codes, COVERAGE))]
            for kind, (coverage, _, _) in zip(near, found, strict=True):
                near[kind] = max(near[kind], abs(coverage - COVERAGE))
            table.add(name, model_name, len(labels), *(pair[at] for at in range(3) for pair in found))
    page.preface.append(
        "- Farthest from the promise: " + ", ".join(f"{gap:.3f} ({kind})" for kind, gap in near.items()) + "."
    )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
