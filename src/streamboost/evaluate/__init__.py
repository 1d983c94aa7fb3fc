"""Test-then-train evaluation: one loop for any model, metrics as objects, pictures."""

from streamboost.adapters.any_model import SlidingWindow, Stepwise
from streamboost.evaluate.classification import ClassificationResult
from streamboost.evaluate.confusion import Confusion
from streamboost.evaluate.count_metrics import (
    F1,
    BalancedAccuracy,
    Brier,
    ErrorRate,
    ExpectedCost,
    FBeta,
    GMean,
    Kappa,
    KappaMajority,
    KappaTemporal,
    LogLoss,
    Matthews,
    Precision,
    Recall,
)
from streamboost.evaluate.curve import ErrorCurve
from streamboost.evaluate.folds import CrossValidation, cross_validate
from streamboost.evaluate.metric import Faded, Metric, Windowed
from streamboost.evaluate.metrics import CLASSIFICATION_METRICS, REGRESSION_METRICS, make_metric
from streamboost.evaluate.panel import MetricSeries
from streamboost.evaluate.prequential import Progress, permutation, prequential
from streamboost.evaluate.regression import RegressionResult
from streamboost.evaluate.regression_metrics import (
    MAE,
    MAPE,
    MSE,
    R2,
    RMSE,
    Pinball,
    RegressionRows,
)
from streamboost.evaluate.reliability import ReliabilityCurve, plot_reliability, reliability
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.rows import Judge, Rows
from streamboost.evaluate.score_metrics import (
    AUC,
    AveragePrecision,
    BrierReliability,
    BrierResolution,
    BrierUncertainty,
    CalibrationError,
    PrecisionAtTop,
    RecallAtFPR,
)
from streamboost.evaluate.sets import SetScore, score_sets
from streamboost.evaluate.significance import (
    PairedTest,
    Ranking,
    corrected_t,
    paired_t,
    rank_models,
    sign_test,
    wilcoxon,
)

__all__ = [
    "AUC",
    "CLASSIFICATION_METRICS",
    "F1",
    "MAE",
    "MAPE",
    "MSE",
    "R2",
    "REGRESSION_METRICS",
    "RMSE",
    "AveragePrecision",
    "BalancedAccuracy",
    "Brier",
    "BrierReliability",
    "BrierResolution",
    "BrierUncertainty",
    "CalibrationError",
    "ClassificationResult",
    "Confusion",
    "CrossValidation",
    "ErrorCurve",
    "ErrorRate",
    "ExpectedCost",
    "FBeta",
    "Faded",
    "GMean",
    "Judge",
    "Kappa",
    "KappaMajority",
    "KappaTemporal",
    "LogLoss",
    "Matthews",
    "Metric",
    "MetricSeries",
    "PairedTest",
    "Pinball",
    "Precision",
    "PrecisionAtTop",
    "PrequentialResult",
    "Progress",
    "Ranking",
    "Recall",
    "RecallAtFPR",
    "RegressionResult",
    "RegressionRows",
    "ReliabilityCurve",
    "Rows",
    "SetScore",
    "SlidingWindow",
    "Stepwise",
    "Windowed",
    "corrected_t",
    "cross_validate",
    "make_metric",
    "paired_t",
    "permutation",
    "plot_reliability",
    "prequential",
    "rank_models",
    "reliability",
    "score_sets",
    "sign_test",
    "wilcoxon",
]
