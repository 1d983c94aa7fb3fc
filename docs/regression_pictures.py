"""The pictures of the page on regression: `python docs/regression_pictures.py [NAME ...]`. Seeds are fixed.

errors      the mean absolute error of regressors over Friedman's function, whose columns change parts every 5,000 rows
forecast    three days of a meter's readings, each forecast from those before it
intervals   a week of a meter's readings before it is put to another use, and the week after: intervals that hold nine in ten
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streamboost import (
    HoeffdingTreeRegressor,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
)
from streamboost.evaluate import prequential
from streamboost.evaluate.plot import COLOURS, GRID, INK, plot_errors
from streamboost.streams import FriedmanStream, SensorStream

FOLDER = Path(__file__).parent / "images" / "regression"
TURN, CHANGE, WEEK, HOURS = 5_000, 4_000, 168, 4_000


def errors():
    """Four regressors on a function that turns three times."""
    models = {
        "StreamBoost": StreamBoostRegressor(random_state=1),
        "boosted trees": OnlineGradientBoostingRegressor(
            HoeffdingTreeRegressor(), n_estimators=10, drift="adwin"
        ),
        "bagged trees": OnlineBaggingRegressor(HoeffdingTreeRegressor(), n_estimators=10, random_state=1),
        "one linear learner": SingleLearnerRegressor(),
    }
    stream = FriedmanStream(turn_every=TURN, n_rows=4 * TURN)
    results = [prequential(model, stream, window=500, name=name) for name, model in models.items()]
    return plot_errors(results, title="Friedman's function, other columns every 5,000 rows")


def intervals():
    """Readings and intervals around a change."""
    X, y = SensorStream(change_every=CHANGE).arrays(CHANGE + 8 * WEEK)
    model = StreamBoostRegressor(random_state=1, coverages=(0.9,))
    ends = model.test_then_train_intervals(X, y)
    inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
    figure, axes = _axes()
    shown = np.arange(CHANGE - WEEK, CHANGE + WEEK)
    low, high = np.clip(ends[shown].T, y[shown].min() - 15, y[shown].max() + 15)
    axes.fill_between(shown, low, high, color=COLOURS[0], alpha=0.25, linewidth=0, label="interval")
    missed = shown[~inside[shown]]
    axes.plot(shown, y[shown], color=INK, linewidth=0.9, label="reading")
    axes.plot(missed, y[missed], ".", color=COLOURS[1], markersize=6, label="outside")
    axes.axvline(CHANGE, color=COLOURS[1], linewidth=1, linestyle=":")
    axes.set_title(
        f"Intervals for nine readings in ten: {inside[1:].mean():.1%} of all {len(y):,} are inside, "
        f"{inside[CHANGE : CHANGE + WEEK].mean():.1%} of the week after the change",
        loc="left",
        color=INK,
        fontsize=10,
    )
    axes.set_xlabel("hours; dotted: the meter is put to another use", color=INK, fontsize=9)
    axes.set_xlim(shown[0], shown[-1])
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", ncols=3)
    return figure


def forecast():
    """Three days of readings that come at once, forecast an hour ahead, with the interval and without the past of the target."""
    X, y = SensorStream(seed=3).arrays(HOURS)
    model = StreamBoostRegressor(random_state=1, coverages=(0.9,))
    ends = model.test_then_train_intervals(X, y)
    said = np.where(np.isfinite(ends[:, 0]), ends.clip(-1e9, 1e9).mean(axis=1), np.nan)
    before = StreamBoostRegressor(random_state=1, companions=("linear",)).test_then_train(X, y)
    shown = np.arange(HOURS - 72, HOURS)
    figure, axes = _axes()
    axes.fill_between(shown, *ends[shown].T, color=COLOURS[0], alpha=0.2, linewidth=0, label="interval, 90 %")
    axes.plot(shown, y[shown], ".", color=INK, markersize=5, label="reading")
    axes.plot(shown, said[shown], color=COLOURS[0], linewidth=1.4, label="forecast")
    axes.plot(
        shown, before[shown], color=COLOURS[1], linewidth=1, linestyle="--", label="without past readings"
    )
    errors = [np.abs(answers - y)[200:].mean() for answers in (said, before)]
    axes.set_title(
        f"The next reading of a meter: mean absolute error {errors[0]:.2f}, without past readings {errors[1]:.2f}",
        loc="left",
        color=INK,
        fontsize=10,
    )
    axes.set_xlabel("hours", color=INK, fontsize=9)
    axes.set_xlim(shown[0], shown[-1])
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", ncols=4)
    return figure


def _axes():
    """A wide figure with light lines."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.tick_params(colors=INK, labelsize=8, length=0)
    axes.grid(color=GRID, linewidth=0.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
    return figure, axes


PICTURES = {"errors": errors, "intervals": intervals, "forecast": forecast}


def main():
    """Draw all, or those that are named."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]().savefig(FOLDER / f"{name}.png", dpi=110)
        print(FOLDER.name, name)


if __name__ == "__main__":
    main()
