"""The pictures of the pages on probabilities, rare classes, sets and explanations: `python docs/trust_pictures.py [NAME ...]`."""

import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streamboost import HoeffdingTree, NaiveBayes, OnlineBaggingClassifier
from streamboost.evaluate import plot_reliability, reliability
from streamboost.report.explanation import plot_importances_over_time
from streamboost.streams import load

FOLDER = Path(__file__).parent / "images" / "trust"


def probabilities():
    """Reliability before and after calibration."""
    data = load("agrawal", limit=20_000, seed=1)
    X, y = data.X, data.y
    curves = {}
    for name, method in {"vote": None, "platt": "platt", "platt+bins": "platt+bins"}.items():
        model = OnlineBaggingClassifier(
            NaiveBayes(),
            n_estimators=20,
            random_state=1,
            calibration=method,
            categorical_features=data.nominal,
        )
        proba = model.test_then_train(X, y, classes=np.unique(y), output="proba")
        curves[name] = reliability(y, proba[:, 1], positive=model.classes_[1])
    plot_reliability(curves, FOLDER / "probabilities.png", title="Bagged naive Bayes on agrawal, 20,000 rows")


def sets():
    """Coverage and size of sets while the rule turns."""
    rng = np.random.default_rng(3)
    n, step = 12_000, 500
    X = rng.normal(size=(n, 3))
    turn = np.arange(n) // 4000
    y = np.digitize(np.where(turn == 1, X[:, 1], X[:, 0]) + 0.4 * rng.normal(size=n), [-0.5, 0.5])
    model = OnlineBaggingClassifier(
        NaiveBayes(),
        n_estimators=10,
        random_state=1,
        drift="adwin",
        calibration="platt+bins",
        coverages=(0.9,),
    )
    inside = model.test_then_train_sets(X, y, 0.9, classes=[0, 1, 2])
    covered, size = inside[np.arange(n), y], inside.sum(axis=1)
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    where = np.arange(step, n + 1, step)
    left.plot(where, covered.reshape(-1, step).mean(axis=1), color="#0072B2", linewidth=1.8)
    left.axhline(0.9, color="#333333", linewidth=0.8, linestyle=":")
    left.set_ylim(0.5, 1.0)
    left.set_title(f"coverage in {step} rows, 0.9 promised", loc="left", fontsize=10)
    right.plot(where, size.reshape(-1, step).mean(axis=1), color="#D55E00", linewidth=1.8)
    right.set_ylim(0, 3)
    right.set_title("mean size of the sets, of 3 labels", loc="left", fontsize=10)
    for axes in (left, right):
        axes.grid(color="#DDDDDD", linewidth=0.7)
        axes.set_xlabel("rows; the rule changes at 4,000 and 8,000", fontsize=9)
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(False)
    figure.savefig(FOLDER / "sets.png", dpi=130)


def waterfall():
    """One payment of the example on fraud."""
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "fraud.py"))
    X, y = example["payments"](12_000)
    model = OnlineBaggingClassifier(NaiveBayes(), n_estimators=20, random_state=1, class_weight="balanced")
    model.partial_fit(X[:-2000], y[:-2000])
    late = X[-2000:][y[-2000:] == "fraud"]
    told = model.explain(late)
    names = dict(zip(range(X.shape[1]), example["COLUMNS"], strict=True))
    one = told[int(np.argsort(told.score)[len(told) // 2])]
    renamed = {names[column]: value for column, value in one.contributions.items()}
    replace(one, contributions=renamed).plot(FOLDER / "waterfall.png")


def importances():
    """What a model looks at while the rule changes."""
    rng = np.random.default_rng(0)
    n, step = 30_000, 500
    X = rng.normal(size=(n, 5))
    y = np.where(np.arange(n) < n // 2, X[:, 0] + X[:, 1] > 0, X[:, 3] > 0).astype(int)
    model = OnlineBaggingClassifier(
        HoeffdingTree(), n_estimators=10, random_state=1, drift="adwin", importances=True
    )
    noted = []
    for first in range(0, n, step):
        model.partial_fit(X[first : first + step], y[first : first + step], classes=[0, 1])
        noted.append(model.feature_importances_)
    plot_importances_over_time(
        range(step, n + 1, step),
        np.array(noted),
        [f"column {j}" for j in range(5)],
        FOLDER / "importances.png",
    )


PICTURES = {
    "probabilities": probabilities,
    "sets": sets,
    "waterfall": waterfall,
    "importances": importances,
}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
