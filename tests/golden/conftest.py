"""What the tests of step tables share."""

import pytest

from golden.scripted import ScriptedLearner


@pytest.fixture(autouse=True)
def empty_roll():
    """No clone of a scripted learner outlives its test."""
    ScriptedLearner.roll.clear()
    yield
    ScriptedLearner.roll.clear()
