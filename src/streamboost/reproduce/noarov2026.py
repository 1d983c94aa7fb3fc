"""Noarov and Roth (2026): the Defensive Booster beside other online boosters, by the Brier score.

Their figures and some of their sets are not public: this runs their protocol on sets that are, and has no published column. Rows
are hashed to 128 columns (a constant, nominal values by name, numbers standardised by the rows before) and brought to norm 1;
learners are projected gradient ascent on the unit ball, N = 100 where there are several. Probabilities are the algorithms' own,
as in the paper; tempered: by the two numbers that classifiers here learn unless told otherwise (`calibration="temperature"`).
"""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.ensemble import (
    AdaBoostOLClassifier,
    DefensiveBoostingClassifier,
    OGBoostClassifier,
    OnlineBBMClassifier,
    OnlineGradientBoostingRegressor,
    OSBoostClassifier,
    SingleLearnerClassifier,
)
from streamboost.learners import OGD, LinearRegression
from streamboost.streams import load

WIDTH, N = 128, 100
TITLE = "Noarov and Roth (2026): Defensive boosting"
DATA = (
    "adult",
    "credit-default",
    "drift-sea",
    "drift-agr-abrupt",
    "drift-agr-gradual",
    "drift-hyper",
    "hyperplane",
)
ROWS, QUICK = 20_000, 3_000
Floats = npt.NDArray[np.float64]


def learner() -> OGD:
    """Projected ascent on the unit ball; rows are prepared already."""
    return OGD(scale="none", fit_intercept=False)


CLASSIFIERS: dict[str, Callable[..., Any]] = {
    "one learner": SingleLearnerClassifier,
    "OSBoost": partial(OSBoostClassifier, n_estimators=N, random_state=1),
    "BBM": partial(OnlineBBMClassifier, n_estimators=N, random_state=1),
    "OL": partial(AdaBoostOLClassifier, n_estimators=N, random_state=1),
    "OGBoost": partial(OGBoostClassifier, n_estimators=N, random_state=1),
    "Defensive": partial(DefensiveBoostingClassifier, random_state=1),
    "Defensive, adaptive": partial(DefensiveBoostingClassifier, adaptive=True, random_state=1),
}


def models() -> dict[str, Any]:
    """New models by name: the votes of the papers, and the same tempered."""
    made = {name: make(learner(), calibration=None) for name, make in CLASSIFIERS.items()}
    made["gradient boosting"] = OnlineGradientBoostingRegressor(LinearRegression(), n_estimators=N)
    for name, make in CLASSIFIERS.items():
        made[f"{name}, tempered"] = make(learner(), calibration="temperature")
    return made


def hashed(X: Floats, nominal: npt.NDArray[np.bool_]) -> Floats:
    """Rows of 128 hashed columns and norm 1, times what linear learners divide rows by."""
    n, d = X.shape
    out = np.zeros((n, WIDTH))
    rows = np.arange(n)
    out[:, _place("constant")[0]] += 1.0
    for j in range(d):
        column = X[:, j]
        if nominal[j]:
            for value in np.unique(column[~np.isnan(column)]):
                at, sign = _place(f"{j}={value:g}")
                out[column == value, at] += sign
            continue
        known = np.where(np.isnan(column), 0.0, column)
        count = np.cumsum(~np.isnan(column)) - ~np.isnan(column)
        past = np.maximum(count, 1)
        mean = (np.cumsum(known) - known) / past
        spread = np.sqrt(np.maximum((np.cumsum(known**2) - known**2) / past - mean**2, 1e-12))
        at, sign = _place(f"{j}")
        ready = (count > 1) & ~np.isnan(column)
        out[rows[ready], at] += sign * np.clip((known - mean) / spread, -5, 5)[ready]
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.where(size > 0, size, 1.0) * np.sqrt(WIDTH + 1))


def _place(name: str) -> tuple[int, float]:
    code = zlib.crc32(name.encode())
    return code % WIDTH, 1.0 if code >> 16 & 1 else -1.0


def brier(model: Any, X: Floats, y: npt.NDArray[np.int64]) -> float:
    """The mean squared distance of the probability of class 1 from the truth, answered before learning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(model, OnlineGradientBoostingRegressor):
            said = np.nan_to_num(model.test_then_train(X, 2.0 * y - 1))
            p = np.clip((1 + said) / 2, 0, 1)
        else:
            p = model.test_then_train(X, y, classes=[0, 1], output="proba")[:, 1]
    return float(np.mean((p - y) ** 2))


def reproduce_table(folder: Path, *, quick: bool, datasets: Sequence[str] = ()) -> str:
    """Run all models on all sets that are here; return the table in Markdown, also written to the folder."""
    wanted = [name for name in DATA if not datasets or name in datasets]
    figures: dict[str, dict[str, float]] = {}
    missing = []
    for name in wanted:
        try:
            stream = load(name, limit=QUICK if quick else ROWS)
        except (OSError, ValueError) as error:
            missing.append(f"{name}: {error}")
            continue
        values = np.asarray(stream.X, dtype=np.float64)
        plain = np.zeros(values.shape[1], dtype=np.bool_)
        X = hashed(values, plain if stream.nominal is None else stream.nominal)
        y = (stream.y == np.unique(stream.y)[1]).astype(np.int64)
        figures[name] = {label: brier(model, X, y) for label, model in models().items()}
    lines = [f"| Brier score | {' | '.join(figures)} | mean |", f"|---|{'---|' * (len(figures) + 1)}"]
    for label in models() if figures else ():
        row = [figures[name][label] for name in figures]
        lines.append(f"| {label} | {' | '.join(f'{v:.4f}' for v in [*row, float(np.mean(row))])} |")
    lines += ["", *(f"Not run: {line}" for line in missing)] if missing else []
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    (folder / "report.md").write_text(
        f"# {TITLE}\n\n{__doc__.split(chr(10), 2)[2].strip()}\n\n{text}", encoding="utf-8"
    )
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return text
