"""The pictures of the algorithm pages: `python docs/pictures.py [NAME ...]`. Seeds are fixed, so they come out the same again.

Left, the error in a window beside that of one learner alone. Right, what makes the algorithm: the mean weight that each learner
is offered, and its error on the rows as they come. Ensembles for streams that drift stand beside themselves without
guards, replayed boosting beside itself with a shorter memory.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streamboost import (
    AdaptiveRandomForestClassifier,
    DecisionStump,
    DefensiveBoostingClassifier,
    NaiveBayes,
    Perceptron,
    ReplayBoostingClassifier,
    SingleLearnerClassifier,
    StreamBoostClassifier,
    StreamingGradientBoostingClassifier,
)
from streamboost.catalogue import model_entry
from streamboost.ensemble import HedgeClassifier
from streamboost.evaluate import prequential
from streamboost.models import MODELS
from streamboost.streams import load

FOLDER = Path(__file__).parent / "images" / "algorithms"
BLUE, ORANGE, INK, GRID = "#0072B2", "#D55E00", "#333333", "#DDDDDD"
OPTIONS = {"primed-boost": {"n_prime": 500}, "blocked-boost": {"block_size": 500}}
ROWS, WINDOW = 8_000, 1_000
TURNING = {
    "streamboost": {
        "without guards": StreamBoostClassifier(drift=None),
        "StreamBoostClassifier": StreamBoostClassifier(),
    },
    "adaptive": {
        "without guards": AdaptiveRandomForestClassifier(drift=None, n_estimators=10),
        "AdaptiveRandomForestClassifier": AdaptiveRandomForestClassifier(n_estimators=10),
    },
    "replay-boosting": {
        "memory of 50,000 rows": ReplayBoostingClassifier(),
        "memory of 2,000 rows": ReplayBoostingClassifier(memory=2000, refit=1.2),
    },
    "streaming-gradient-boost": {
        "learning_rate=0.0125": StreamingGradientBoostingClassifier(learning_rate=0.0125),
        "StreamingGradientBoostingClassifier": StreamingGradientBoostingClassifier(),
    },
    "defensive-boost": {
        "DefensiveBoostingClassifier": DefensiveBoostingClassifier(),
        "adaptive form": DefensiveBoostingClassifier(adaptive=True),
    },
}
"""Two models each for a stream that turns; the second is the page's own."""
TURNS = (5_000, 10_000, 15_000)


def models():
    """Yield the name of the page and the ensemble that it is about."""
    for name, cls in MODELS.items():
        page = model_entry(name).page.rpartition("/")[2]
        if name != "single" and page not in TURNING:
            yield name, cls(DecisionStump(), n_estimators=30, random_state=1, **OPTIONS.get(name, {}))
    experts = [SingleLearnerClassifier(learner) for learner in (NaiveBayes(), DecisionStump(), Perceptron())]
    yield "experts", HedgeClassifier(experts, random_state=1)


def draw(name, model, data, alone):
    """Run one model and draw it."""
    result = prequential(model, data, classes=[0, 1], window=WINDOW, name=name)
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    left.plot(
        alone.positions, alone.windowed_error, color=INK, linewidth=1.2, linestyle=":", label="one stump"
    )
    left.plot(result.positions, result.windowed_error, color=BLUE, linewidth=1.8, label=type(model).__name__)
    left.set_title(f"error in the last {WINDOW:,} rows", loc="left", fontsize=10)
    left.set_xlabel("rows", fontsize=9)
    left.set_ylim(0, None)
    lanes = result.model.report().lanes
    number = np.arange(1, len(lanes["error_rate"]) + 1)
    right.bar(number, lanes["weight_sum"] / ROWS, color=BLUE, label="mean weight offered")
    right.set_ylim(0, 1.3 * float(lanes["weight_sum"].max()) / ROWS)  # room for the legend
    right.set_xlabel("learner", fontsize=9)
    right.set_title("weight and error of each learner", loc="left", fontsize=10)
    errors = right.twinx()
    errors.plot(
        number, lanes["error_rate"], color=ORANGE, marker=".", linewidth=1.0, label="error rate (right)"
    )
    errors.set_ylim(0, 1)
    for axes in (left, right, errors):
        axes.tick_params(colors=INK, labelsize=8, length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(GRID)
    left.grid(color=GRID, linewidth=0.7)
    left.legend(frameon=False, fontsize=8.5, loc="lower left")
    handles = [*right.get_legend_handles_labels()[0], *errors.get_legend_handles_labels()[0]]
    errors.legend(
        handles, [handle.get_label() for handle in handles], frameon=False, fontsize=8.5, loc="upper right"
    )
    figure.savefig(FOLDER / f"{name}.png", dpi=110, metadata={"Software": None})
    print(f"{name:<16} error {result.error:.3f}, alone {alone.error:.3f}")


def draw_turning(name):
    """Run two models over a stream whose rule turns three times; mark the learners that the second one replaced."""
    data = load(f"agrawal:drift=abrupt,at={'+'.join(map(str, TURNS))},concepts=1+3+5+7", limit=20_000)
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    nominal = np.flatnonzero(data.nominal)
    for (label, model), colour, style in zip(TURNING[name].items(), (INK, BLUE), (":", "-"), strict=True):
        model.set_params(random_state=1, categorical_features=nominal)
        result = prequential(model, data, window=WINDOW, name=label)
        axes.plot(
            result.positions,
            result.windowed_error,
            color=colour,
            linestyle=style,
            linewidth=1.6,
            label=f"{label}, {result.error:.3f} in all",
        )
        print(f"{name:<16} {label}: error {result.error:.3f}")
    when = result.model.report().replacements[:, 0]
    if len(when):
        low, said = np.full(len(when), 0.004), f"{len(when)} trees replaced"
        axes.plot(when, low, "|", color=ORANGE, markersize=9, label=said)
    axes.set_ylim(0, 1.25 * axes.get_ylim()[1])  # room for the legend
    axes.set_title(f"error in the last {WINDOW:,} rows", loc="left", fontsize=10)
    axes.set_xlabel("rows", fontsize=9)
    axes.grid(color=GRID, linewidth=0.7)
    axes.tick_params(colors=INK, labelsize=8, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False, fontsize=8.5, loc="upper right")
    figure.savefig(FOLDER / f"{name}.png", dpi=110, metadata={"Software": None})


def main():
    """Draw them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stream = load("hyperplane", limit=ROWS)
    data = (stream.X, stream.y)
    alone = prequential(SingleLearnerClassifier(DecisionStump()), data, classes=[0, 1], window=WINDOW)
    for name, model in models():
        if name in sys.argv[1:] or not sys.argv[1:]:
            draw(name, model, data, alone)
    for name in TURNING:
        if name in sys.argv[1:] or not sys.argv[1:]:
            draw_turning(name)


if __name__ == "__main__":
    main()
