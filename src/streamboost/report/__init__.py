"""What an ensemble can tell about its learners."""

from __future__ import annotations

from streamboost.report.bounds import Bound, osboost_bounds
from streamboost.report.ensemble_report import EnsembleReport

__all__ = ["Bound", "EnsembleReport", "osboost_bounds"]
