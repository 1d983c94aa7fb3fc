"""What an ensemble can tell about its learners."""

from __future__ import annotations

from streamboost.report.advice import advise
from streamboost.report.bayes import bayes_bounds, error_bound, halves_bound
from streamboost.report.bounds import Bound
from streamboost.report.defensive import defensive_bounds
from streamboost.report.ensemble_report import EnsembleReport
from streamboost.report.experts import hedge_bounds, weighted_majority_bounds, winnow_bounds
from streamboost.report.explanation import plot_importances, plot_importances_over_time
from streamboost.report.majority import adaboost_ol_bounds, bbm_bounds
from streamboost.report.multiclass_bounds import mbbm_bounds, olm_bounds
from streamboost.report.smooth import exp_bounds, ocp_bounds, smooth_bounds

__all__ = [
    "Bound",
    "EnsembleReport",
    "adaboost_ol_bounds",
    "advise",
    "bayes_bounds",
    "bbm_bounds",
    "defensive_bounds",
    "error_bound",
    "exp_bounds",
    "halves_bound",
    "hedge_bounds",
    "mbbm_bounds",
    "ocp_bounds",
    "olm_bounds",
    "plot_importances",
    "plot_importances_over_time",
    "smooth_bounds",
    "weighted_majority_bounds",
    "winnow_bounds",
]
