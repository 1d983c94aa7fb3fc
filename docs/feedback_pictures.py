"""The pictures of the pages on costly labels, several labels and bandits: `python docs/feedback_pictures.py [NAME ...]`."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streamboost import (
    ActiveClassifier,
    AdaOLMRClassifier,
    BanditBoostingClassifier,
    BinaryRelevanceClassifier,
    HoeffdingTree,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
    StreamBoostClassifier,
)
from streamboost.evaluate import prequential
from streamboost.streams import load
from streamboost.streams.label_sets import open_label_sets

FOLDER = Path(__file__).parent / "images" / "feedback"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#333333")


def picture(name, curves, xlabel, ylabel):
    """One curve per entry: where, values."""
    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for colour, (label, (where, values)) in zip(COLOURS, curves.items(), strict=False):
        axes.plot(where, values, color=colour, linewidth=1.6, label=label)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="#DDDDDD", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=130)


def running(wrong, step=500):
    """Means of blocks."""
    n = len(wrong) // step * step
    return np.arange(step, n + 1, step), np.asarray(wrong[:n], dtype=float).reshape(-1, step).mean(axis=1)


def budget():
    """Error of three strategies with a tenth of the labels, and with all of them."""
    data = load("sea", limit=20_000, seed=1)
    curves = {}
    for query in ("random", "variable", "split"):
        model = ActiveClassifier(
            StreamBoostClassifier(random_state=1), budget=0.1, query=query, random_state=1
        )
        curves[f"{query}, 10 % of the labels"] = running(
            model.test_then_train(data.X, data.y) != data.y, 1000
        )
    full = StreamBoostClassifier(random_state=1).test_then_train(data.X, data.y) != data.y
    curves["all labels"] = running(full, 1000)
    picture("budget", curves, "rows of sea", "error of the last 1,000 rows")


def labels():
    """Rank loss of the boosters and of a model per label."""
    bagged = OnlineBaggingClassifier(HoeffdingTree(max_features="sqrt"), n_estimators=20, random_state=1)
    models = {
        "OnlineBMR": OnlineBMRClassifier(random_state=1),
        "Ada.OLMR": AdaOLMRClassifier(random_state=1),
        "binary relevance, the same trees": BinaryRelevanceClassifier(bagged),
    }
    curves = {}
    for name, model in models.items():
        result = prequential(model, open_label_sets("scene", "label:*"), window=300)
        late = result.positions >= 100
        curves[name] = result.positions[late], result.windowed_error[late]
    picture("labels", curves, "rows of scene", "rank loss of the last 300 rows")


def bandit():
    """Shown labels that were right, beside a model that is told every label."""
    data = load("led", limit=10_000, seed=1)
    labels = np.unique(data.y)
    curves = {}
    for base in ("rewards", "mbbm", "olm"):
        model = BanditBoostingClassifier(labels=labels, base=base, exploration=0.1, random_state=1)
        curves[f"{base}, bandit"] = running(model.test_then_train(data.X, data.y) == data.y)
    told = StreamBoostClassifier(random_state=1)
    curves["StreamBoost, every label"] = running(
        told.test_then_train(data.X, data.y, classes=labels) == data.y
    )
    picture("bandit", curves, "rows of led", "right, of the last 500 rows")


if __name__ == "__main__":
    for draw in (budget, labels, bandit):
        if not sys.argv[1:] or draw.__name__ in sys.argv[1:]:
            draw()
