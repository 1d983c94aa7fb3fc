"""Regressors beside River and VW on the same rows: mean absolute error before learning each row, and CPU seconds.

    python -m benchmarks.accuracy.regression [--rows N] [--trees N] [--out FILE]

Every model has its defaults; forests have the same number of trees. A peer that is not installed is left out, and said so.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from streamboost import (
    AdaptiveRandomForestRegressor,
    HoeffdingTreeRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
)
from streamboost.streams import FriedmanStream, HyperplaneDistanceStream, load_builtin

Rows = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
Answers = Callable[[np.ndarray[Any, Any], np.ndarray[Any, Any]], list[float]]


def streams(n: int) -> Iterator[tuple[str, Rows]]:
    """The sets, by name."""
    yield "friedman", FriedmanStream(seed=1).arrays(n)
    yield "friedman, turning", FriedmanStream(seed=1, turn_every=max(n // 4, 1)).arrays(n)
    yield "hyperplane distance", HyperplaneDistanceStream(seed=1).arrays(n)
    diabetes: Any = load_builtin("diabetes-progression")
    order = np.random.default_rng(1).permutation(len(diabetes.y))
    yield "diabetes", (diabetes.X[order], diabetes.y[order])


def ours(model: Any) -> Answers:
    """One of our models."""
    return lambda X, y: model.test_then_train(X, y).tolist()


def river(model: Any) -> Answers:
    """A model of River, row by row."""

    def run(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> list[float]:
        answers = []
        for x, target in zip(X.tolist(), y.tolist(), strict=True):
            row = dict(enumerate(x))
            answers.append(model.predict_one(row))
            model.learn_one(row, target)
        return answers

    return run


def vw() -> Answers:
    """VW's squared loss with its defaults."""
    import vowpalwabbit

    model = vowpalwabbit.Workspace("--quiet", enable_logging=False)

    def run(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> list[float]:
        answers = []
        for x, target in zip(X.tolist(), y.tolist(), strict=True):
            features = " ".join(f"x{j}:{value:.9g}" for j, value in enumerate(x))
            answers.append(float(model.predict(f"| {features}")))
            model.learn(f"{target:.9g} | {features}")
        return answers

    return run


def models(trees: int) -> dict[str, Callable[[], Answers]]:
    """Everybody, by name; made when their turn comes."""
    found: dict[str, Callable[[], Answers]] = {
        "StreamBoostRegressor": lambda: ours(StreamBoostRegressor(n_estimators=trees, random_state=1)),
        "AdaptiveRandomForestRegressor": lambda: ours(
            AdaptiveRandomForestRegressor(n_estimators=trees, random_state=1)
        ),
        "one HoeffdingTreeRegressor": lambda: ours(SingleLearnerRegressor(HoeffdingTreeRegressor())),
        "one LinearRegression": lambda: ours(SingleLearnerRegressor()),
        "boosted trees": lambda: ours(
            OnlineGradientBoostingRegressor(HoeffdingTreeRegressor(), n_estimators=trees)
        ),
    }
    try:
        from river import ensemble, forest, tree
    except ImportError:
        print("River is not installed: left out")
    else:
        found["River ARFRegressor"] = lambda: river(forest.ARFRegressor(n_models=trees, seed=1))
        found["River SRPRegressor"] = lambda: river(ensemble.SRPRegressor(n_models=trees, seed=1))
        found["River HoeffdingAdaptiveTreeRegressor"] = lambda: river(
            tree.HoeffdingAdaptiveTreeRegressor(seed=1)
        )
    try:
        import vowpalwabbit  # noqa: F401
    except ImportError:
        print("VW is not installed: left out")
    else:
        found["VW"] = vw
    return found


def main() -> None:
    """Run everybody over everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, (X, y) in streams(chosen.rows):
        figures[name] = {}
        for title, make in models(chosen.trees).items():
            run = make()
            start = time.process_time()
            answers = np.array(run(X, y), dtype=np.float64)
            seconds = time.process_time() - start
            known = np.isfinite(answers)
            known[0] = False
            error = float(np.abs(answers - y)[known].mean())
            figures[name][title] = {"mae": error, "seconds": seconds, "rows": len(y)}
            print(f"{name:20} {title:38} MAE {error:10.4f}   {seconds:8.2f} CPU s", flush=True)
            if chosen.out is not None:
                chosen.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
