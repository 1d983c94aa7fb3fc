"""A meter's hourly readings: the default beside the last value and the same hour of yesterday, lags, and readings that come late.

Nothing is tuned. The default knows the last reading without being told; lags of a day help where the columns do not say the hour.
"""

import numpy as np

from streamboost import StreamBoostRegressor
from streamboost.baselines import NoChangeRegressor, SeasonalRegressor
from streamboost.evaluate import prequential
from streamboost.streams import SensorStream

HOURS = 4_000


def main():
    """Print errors with readings that come at once, and a day late."""
    X, y = SensorStream(seed=3).arrays(HOURS)
    nothing = np.zeros((HOURS, 1))  # a stream of readings alone
    runs = {
        "last reading": (NoChangeRegressor(), nothing, 0),
        "the same hour of yesterday": (SeasonalRegressor(24), nothing, 0),
        "StreamBoost": (StreamBoostRegressor(random_state=1), X, 0),
        "readings alone": (StreamBoostRegressor(random_state=1), nothing, 0),
        "readings alone, lags": (StreamBoostRegressor(lags=(1, 2, 24), random_state=1), nothing, 0),
        "a day late": (StreamBoostRegressor(delay=24, random_state=1), X, 24),
    }
    for title, (model, columns, delay) in runs.items():
        result = prequential(model, (columns, y), delay=delay)
        print(
            f"{title:<28}mean absolute error {result.mae:6.3f}   skill over the last reading {result.skill:6.1%}"
        )


if __name__ == "__main__":
    main()
