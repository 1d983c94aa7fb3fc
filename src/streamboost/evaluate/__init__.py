"""Test-then-train evaluation: one loop, incremental metrics, pictures."""

from streamboost.evaluate.metrics import Confusion, ErrorCurve
from streamboost.evaluate.prequential import PrequentialResult, Progress, permutation, prequential

__all__ = ["Confusion", "ErrorCurve", "PrequentialResult", "Progress", "permutation", "prequential"]
