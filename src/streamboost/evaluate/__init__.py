"""Test-then-train evaluation: one loop, incremental metrics, pictures."""

from streamboost.evaluate.metrics import Confusion, ErrorCurve
from streamboost.evaluate.panel import MetricSeries, Panel
from streamboost.evaluate.prequential import Progress, permutation, prequential
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.spans import METRICS

__all__ = [
    "METRICS",
    "Confusion",
    "ErrorCurve",
    "MetricSeries",
    "Panel",
    "PrequentialResult",
    "Progress",
    "permutation",
    "prequential",
]
