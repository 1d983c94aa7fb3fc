"""Options that ensembles share, each declared once with its default.

A constructor lists the parameters of its own and takes the others as ``**options``. For type checkers a group of options is a
TypedDict; what is shown by ``inspect.signature``, ``get_params`` and the documentation follows from the declarations.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, TypedDict

import numpy as np

from streamboost.base.parameter import FLAG, NONE, Kind, anything, numbers, one_of, parameter, whole
from streamboost.drift.choice import DETECTOR, from_file
from streamboost.ensemble.output_options import OUTPUT_OPTIONS, REGRESSION_OUTPUT_OPTIONS, OutputOptions


class RunOptions(TypedDict, total=False):
    """Options of every ensemble."""

    random_state: Any
    n_jobs: int | None
    categorical_features: Any


class DriftOptions(TypedDict, total=False):
    """Options of ensembles whose learners can be replaced one by one."""

    drift: Any
    background: bool
    on_drift: str


class BatchOptions(RunOptions, total=False):
    """Options of classifiers that are trained on all rows at once."""

    tie: str


class ExpertOptions(BatchOptions, OutputOptions, total=False):
    """Options of classifiers whose learners are Python objects."""

    monitor: bool


class UnguardedOptions(ExpertOptions, total=False):
    """Options of classifiers whose learners cannot be replaced one by one."""

    max_bytes: int | None
    unlabeled: str


class EnsembleOptions(UnguardedOptions, DriftOptions, total=False):
    """Options of most classifiers."""


class SetOptions(RunOptions, total=False):
    """Options of ensembles for sets of labels."""

    monitor: bool
    max_bytes: int | None
    unlabeled: str


class PastOptions(TypedDict, total=False):
    """Options of models that may look at the targets or labels before a row."""

    lags: int | Sequence[int]
    delay: int


class RegressionOptions(RunOptions, DriftOptions, PastOptions, total=False):
    """Options of regressors."""

    monitor: bool
    max_bytes: int | None
    unlabeled: str
    target: str
    coverages: Sequence[float] | float | None
    importances: bool


LEARNER = parameter(
    "estimator",
    anything("learner"),
    "The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit`` and "
    "``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).",
    to_core=False,
)
SIZE = parameter("n_estimators", whole("[1, inf)"), "Number of learners.", to_core=False)
RANDOM_STATE = parameter(
    "random_state",
    Kind("int, RandomState or None", "random_state"),
    "Seed of all random draws. An integer gives the same model every time; None draws a new seed at the start.",
    to_core=False,
    default=None,
)
N_JOBS = parameter(
    "n_jobs",
    [whole(), NONE],
    "Number of threads: None means one, -1 as many as the process may use. Predictions and state are bit for bit the "
    "same for any number. Takes effect when the model starts or is loaded; learners written in Python always run on "
    "one thread.",
    to_core=False,
    default=None,
)
TIE = parameter(
    "tie",
    one_of("lowest", "random"),
    "How ties in the vote are broken: by the lowest internal class code, or by a seeded random draw.",
    to_core=False,
    default="lowest",
)
MONITOR = parameter(
    "monitor",
    FLAG,
    "Whether to keep the statistics for :meth:`report`: the weight of the examples each learner received, its "
    "errors, and the bounds.",
    to_core=False,
    default=True,
)
CATEGORICAL_FEATURES = parameter(
    "categorical_features",
    [numbers("array-like"), NONE],
    "Nominal columns, as a mask, column numbers or names. In frames and dicts, strings, categories and booleans are "
    "nominal without being listed.",
    to_core=False,
    default=None,
)
MAX_BYTES = parameter(
    "max_bytes",
    [whole("[1, inf)"), NONE],
    "Bytes of the whole model, in fifths: one for rows that companions remember, two for tables of words if columns hold "
    "some, one for whatever follows the columns, their values and the classes, the others for trees, shared evenly among "
    "them, also in the background; all of it for what follows the columns where there are no trees. Trees that are full "
    "stop observing where that promises least, then stop growing; a warning says so once. Rows that would need more of the "
    "rest are refused, and nothing is learned from them. None: no limit.",
    to_core=False,
    default=5 * 2**26,
)
DRIFT = (
    parameter(
        "drift",
        DETECTOR,
        "Drift detector for each learner: it monitors the learner's errors and has the learner replaced when they rise. "
        'A string may include parameters, ``"adwin(delta=0.002)"``. None: learners are never replaced.',
        to_core=False,
        from_list=from_file,
        default=None,
    ),
    parameter(
        "background",
        FLAG,
        "With `drift`: whether a warning starts training a background learner, which takes over if the drift is "
        "confirmed. If False, a drift resets the learner.",
        to_core=False,
        default=True,
    ),
    parameter(
        "on_drift",
        one_of("learner", "lane"),
        "With `drift`: what is reset: the learner alone, or also what the ensemble has recorded about its position.",
        to_core=False,
        default="learner",
    ),
)
"""The parameters of the guard against drift."""
PAST = (
    parameter(
        "lags",
        anything("int or sequence of int"),
        "Adds past targets (labels) as columns ``target[-1]``, ``target[-2]``, ...: the last n, or those listed, as in "
        "``(1, 2, 24)``. They are the targets of the rows learned before, in the order of learning. 0: none.",
        to_core=False,
        default=0,
    ),
    parameter(
        "delay",
        whole("[0, 100000]"),
        "How many rows after its features a target (label) arrives when the model is in use. Rows are then learned with "
        "the lags and the last target known that many rows earlier, and experts are judged by their predictions of that "
        "time: training sees what prediction will see.",
        to_core=False,
        default=0,
    ),
)
"""What models may look at beside the row."""
UNLABELED = parameter(
    "unlabeled",
    one_of("ignore", "statistics"),
    'What happens to rows without a label (None, NaN), once one row with a label has been learned. "ignore": they '
    'are predicted, and otherwise leave no trace. "statistics": their values also update the scales of the columns, '
    "and their columns and categories become known.",
    to_core=False,
    default="ignore",
)
SHARED = (RANDOM_STATE, N_JOBS, TIE, MONITOR, CATEGORICAL_FEATURES)
OPTIONS = (*SHARED, *DRIFT, MAX_BYTES, UNLABELED, *OUTPUT_OPTIONS)
"""The last parameters of most ensembles."""
UNGUARDED_OPTIONS = (*SHARED, MAX_BYTES, UNLABELED, *OUTPUT_OPTIONS)
"""... of those whose learners cannot be replaced one by one."""
EXPERT_OPTIONS = (*SHARED, *OUTPUT_OPTIONS)
"""... of those whose learners are Python objects."""
BATCH_OPTIONS = (RANDOM_STATE, N_JOBS, TIE, CATEGORICAL_FEATURES)
"""... of those that are trained on all rows at once."""
SET_OPTIONS = (RANDOM_STATE, N_JOBS, MONITOR, CATEGORICAL_FEATURES, MAX_BYTES, UNLABELED)
"""... of ensembles for sets of labels."""
REGRESSION_OPTIONS = (
    RANDOM_STATE,
    N_JOBS,
    MONITOR,
    CATEGORICAL_FEATURES,
    *DRIFT,
    MAX_BYTES,
    UNLABELED,
    *PAST,
    *REGRESSION_OUTPUT_OPTIONS,
)
"""... of ensembles of regressors."""

MOST_LAGS, LONGEST_LAG = 1000, 100_000


def lag_numbers(given: Any) -> list[int]:
    """Return the parameter `lags` as numbers of rows, or refuse it."""
    counted = isinstance(given, Integral) and not isinstance(given, bool)
    listed = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
    found = list(range(1, min(int(given), MOST_LAGS + 1) + 1)) if counted else list(given) if listed else [0]
    whole_ones = all(isinstance(lag, Integral) and 1 <= int(lag) <= LONGEST_LAG for lag in found)
    if not whole_ones or (counted and given < 0) or len(set(found)) != len(found) or len(found) > MOST_LAGS:
        raise ValueError(
            f"lags={given!r} must be a whole number of rows, 0 or more, or different ones from 1 to {LONGEST_LAG:,}, "
            f"like (1, 2, 24); at most {MOST_LAGS:,} of them."
        )
    return [int(lag) for lag in found]


def lags_of(model: Any) -> dict[str, Any]:
    """Return the lags of a model as the core reads them; empty: it has none."""
    lags = lag_numbers(getattr(model, "lags", 0))
    return {"lags": np.array(lags, dtype=np.float64), "delay": int(model.delay)} if lags else {}
