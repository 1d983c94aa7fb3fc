"""Test-then-train evaluation: one loop, incremental metrics, pictures."""

from streamboost.evaluate.folds import CrossValidation, cross_validate
from streamboost.evaluate.metrics import Confusion, ErrorCurve
from streamboost.evaluate.panel import MetricSeries, Panel
from streamboost.evaluate.prequential import Progress, permutation, prequential
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.significance import (
    PairedTest,
    Ranking,
    corrected_t,
    paired_t,
    rank_models,
    sign_test,
    wilcoxon,
)
from streamboost.evaluate.spans import METRICS

__all__ = [
    "METRICS",
    "Confusion",
    "CrossValidation",
    "ErrorCurve",
    "MetricSeries",
    "PairedTest",
    "Panel",
    "PrequentialResult",
    "Progress",
    "Ranking",
    "corrected_t",
    "cross_validate",
    "paired_t",
    "permutation",
    "prequential",
    "rank_models",
    "sign_test",
    "wilcoxon",
]
