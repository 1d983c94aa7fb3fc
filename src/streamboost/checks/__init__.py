"""Conformance suites for new learners and new ensembles, and what scikit-learn's own cannot ask of a learner of streams."""

from __future__ import annotations

from streamboost.checks.ensemble import check_ensemble
from streamboost.checks.expected import expected_failed_checks
from streamboost.checks.learner import check_learner
from streamboost.checks.results import CheckResult

__all__ = ["CheckResult", "check_ensemble", "check_learner", "expected_failed_checks"]
