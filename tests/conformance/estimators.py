"""scikit-learn's `check_estimator` for ensembles of learners: `python -m tests.conformance.estimators` tries them all.

Left out are learners of nominal columns only: the checks have none.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

from sklearn.utils.estimator_checks import check_estimator

import streamboost as sb
from streamboost.catalogue import LearnerEntry, ModelEntry
from streamboost.checks import expected_failed_checks
from tests import catalogue as cases

# The checks have rows in raw units, and few of them; a model of many learners has no room for 2^18 weights of each.
QUICK: dict[str, dict[str, Any]] = {
    "perceptron": {"scale": "standard"},
    "ogd": {"scale": "standard"},
    "hashed-logistic": {"bits": 10},
}
# And each expert is a lane in Python, which takes its time.
FEW: dict[str, dict[str, Any]] = {
    "agnostic-boost": {"n_estimators": 30},  # the first of them learn noise
    "blocked-boost": {"block_size": 60},
    "weighted-majority": {"estimators": [sb.NaiveBayes()]},
}


def small(entry: ModelEntry, of: LearnerEntry | None) -> Any:
    """A model with its usual parameters, few learners, and no key of its own: some checks look for the default."""
    members = {} if of is None else {"estimator": getattr(sb, of.class_name)(**QUICK.get(of.name, {}))}
    size = {"n_estimators": 5} if entry.sized else {}
    return getattr(sb, entry.class_name)(**members, **{**size, **FEW.get(entry.name, {})})


def pairs() -> Iterator[tuple[ModelEntry, LearnerEntry | None]]:
    """Every model with its own learner, and with every learner that takes numbers."""
    for entry in cases.ALL_MODELS:
        yield entry, None
        yield from ((entry, of) for of in cases.learners_of(entry) if not of.nominal_only)


def some_pairs() -> list[tuple[ModelEntry, LearnerEntry | None]]:
    """Every model with its own learner and with one more, so that every learner has its turn."""
    found: list[tuple[ModelEntry, LearnerEntry | None]] = []
    turn = 0
    for entry in cases.ALL_MODELS:
        found.append((entry, None))
        others = [of for of in cases.learners_of(entry) if not of.nominal_only]
        if others:
            found.append((entry, others[turn % len(others)]))
            turn += 1
    return found


def results_of(estimator: Any) -> list[dict[str, Any]]:
    """What each check said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # checks provoke warnings on purpose
        found: list[dict[str, Any]] = check_estimator(
            estimator, expected_failed_checks=expected_failed_checks(estimator), on_fail=None, on_skip=None
        )
    return found


def main() -> int:
    """Try all pairs and print those that fail."""
    bad = done = 0
    for entry, of in pairs():
        if len(sys.argv) > 1 and entry.name not in sys.argv[1:]:
            continue
        done += 1
        failed = [result for result in results_of(small(entry, of)) if result["status"] == "failed"]
        for result in failed:
            said = str(result["exception"]).split("\n")[0]
            print(
                f"{entry.name} of {of.name if of else 'its own learner'}: {result['check_name']}: {said}",
                flush=True,
            )
        bad += bool(failed)
    print(f"{done} pairs, {bad} of them fail")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
