from __future__ import annotations

from streamboost import OnlineBaggingClassifier, SingleLearnerClassifier
from streamboost.checks import expected_failed_checks


def test_each_call_gives_its_own_dict():
    first = expected_failed_checks(OnlineBaggingClassifier())
    first.clear()
    assert len(expected_failed_checks(OnlineBaggingClassifier())) == 2
    assert expected_failed_checks(SingleLearnerClassifier()) == {}
