"""The load of a grid, hour by hour: numbers, an interval around each, and a heat wave that nobody announced.

The model is never told that anything changed. Nine intervals in ten hold the load, before the wave and after it.
"""

import numpy as np

from streamboost import LinearRegression, SingleLearnerRegressor, StreamBoostRegressor

HOURS, WAVE = 8_000, 5_000


def grid(seed=5):
    """Return the hour, the day of the week, the temperature and the load of a day ago; and the load."""
    rng = np.random.default_rng(seed)
    t = np.arange(HOURS)
    hour, day = t % 24, (t // 24) % 7
    heat = 18 + 6 * np.sin(2 * np.pi * (hour - 9) / 24) + np.cumsum(rng.normal(size=HOURS)) * 0.05
    heat[WAVE:] += 9
    cooling = np.where(t < WAVE, 0.4, 1.6) * np.maximum(heat - 20, 0) ** 1.5
    load = 60 + 25 * np.sin(np.pi * (hour - 6) / 12) - 12 * (day > 4) + cooling + rng.normal(size=HOURS) * 3
    return np.column_stack([hour, day, heat, np.roll(load, 24)])[24:], load[24:]


def main():
    """Print errors and intervals before and after the wave."""
    X, y = grid()
    models = {
        "one linear model": SingleLearnerRegressor(LinearRegression(), coverages=(0.9,)),
        "StreamBoost": StreamBoostRegressor(random_state=1, coverages=(0.9,)),
    }
    spans = {
        "before the wave": (1_000, WAVE - 24),
        "its first days": (WAVE - 24, WAVE + 76),
        "later": (WAVE + 76, HOURS),
    }
    for title, model in models.items():
        ends = model.test_then_train_intervals(X, y)
        known = np.isfinite(ends).all(axis=1)  # at first nothing is promised: from minus to plus infinity
        inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
        for span, (first, last) in spans.items():
            low, high = ends[first:last][known[first:last]].T
            error = np.abs((low + high) / 2 - y[first:last][known[first:last]]).mean()
            print(
                f"{title:<18}{span:<18}mean error {error:6.2f}   median width {np.median(high - low):6.1f}"
                f"   holds {inside[first:last].mean():.1%}"
            )


if __name__ == "__main__":
    main()
