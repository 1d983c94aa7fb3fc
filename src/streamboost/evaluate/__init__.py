"""Test-then-train evaluation: one loop for any model, metrics as objects, pictures."""

from streamboost.adapters.any_model import SlidingWindow, Stepwise
from streamboost.evaluate.classification import ClassificationResult
from streamboost.evaluate.count_metrics import ExpectedCost, FBeta
from streamboost.evaluate.detection import Detection, detection
from streamboost.evaluate.folds import CrossValidation, cross_validate
from streamboost.evaluate.metric import Faded, Metric, Windowed
from streamboost.evaluate.metrics import CLASSIFICATION_METRICS, REGRESSION_METRICS, make_metric
from streamboost.evaluate.prequential import Progress, prequential
from streamboost.evaluate.regression import RegressionResult
from streamboost.evaluate.regression_metrics import Pinball, RegressionRows
from streamboost.evaluate.reliability import plot_reliability, reliability
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.rows import Rows
from streamboost.evaluate.score_metrics import PrecisionAtTop, RecallAtFPR
from streamboost.evaluate.set_metrics import SetScore, score_sets
from streamboost.evaluate.significance import corrected_t, paired_t, rank_models, sign_test, wilcoxon

__all__ = [
    "CLASSIFICATION_METRICS",
    "REGRESSION_METRICS",
    "ClassificationResult",
    "CrossValidation",
    "Detection",
    "ExpectedCost",
    "FBeta",
    "Faded",
    "Metric",
    "Pinball",
    "PrecisionAtTop",
    "PrequentialResult",
    "Progress",
    "RecallAtFPR",
    "RegressionResult",
    "RegressionRows",
    "Rows",
    "SetScore",
    "SlidingWindow",
    "Stepwise",
    "Windowed",
    "corrected_t",
    "cross_validate",
    "detection",
    "make_metric",
    "paired_t",
    "plot_reliability",
    "prequential",
    "rank_models",
    "reliability",
    "score_sets",
    "sign_test",
    "wilcoxon",
]
