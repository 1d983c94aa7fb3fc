"""How alarms are judged by known changes."""

import json

import numpy as np
import pytest

from streamboost import OnlineBaggingClassifier
from streamboost.evaluate import detection
from streamboost.evaluate.detection import EveryFew, judge, known_changes
from streamboost.streams import load, open_stream


def test_the_first_alarm_after_a_change_finds_it():
    found = judge("d", [50, 120, 130, 290, 450], [100, 200, 400], 500, tolerance=60)
    assert found.delays.tolist() == [20, 50]  # 130 is too late to count, and not false
    assert found.false_alarms == 2  # 50, and 290: too late for 200
    assert found.missed == 1
    assert found.delay == 35
    assert found.precision == 0.5
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(4 / 7)
    until_next = judge("d", [50, 120, 130, 290, 450], [100, 200, 400], 500, tolerance=500)
    assert until_next.delays.tolist() == [20, 90, 50]
    assert until_next.false_alarms == 1


def test_no_change_and_no_alarm():
    quiet = judge("d", [], [], 100, 10)
    assert (quiet.missed, quiet.false_alarms, quiet.f1) == (0, 0, 0.0)
    assert np.isnan(quiet.delay)
    assert np.isnan(quiet.precision)
    assert judge("d", [5], [500], 100, 10).false_alarms == 1  # the stream ends before the change


def test_detectors_on_a_generated_stream_stand_beside_the_dummy():
    stream = open_stream("agrawal:drift=abrupt,every=2000,concepts=1+3+5+7", limit=8000)
    found = detection(["hddm-w", "ddm(warm_start=50)"], stream, changes=[2000, 4000, 6000], limit=8000)
    assert [one.name for one in found] == ["hddm-w", "ddm(warm_start=50)", "every 100 rows"]
    assert all(one.n_rows == 8000 for one in found)
    assert found[0].recall >= 2 / 3
    assert len(found[-1].alarms) == 80
    assert found[-1].recall == 1
    assert found[-1].f1 < found[0].f1
    assert json.dumps(found[0].to_dict())


def test_changes_are_those_of_the_stream():
    assert known_changes(open_stream("sea:drift=abrupt,at=500+900")) == [500, 900]
    assert known_changes(open_stream("sea:drift=abrupt,every=1000"), 3500) == [1000, 2000, 3000]
    assert known_changes(([[0.0]], [1])) == []


def test_any_model_and_any_detector():
    stream = load("sea", limit=500)
    model = OnlineBaggingClassifier(n_estimators=3, random_state=1)
    mine, dummy = detection({"mine": EveryFew(250)}, (stream.X, stream.y), model=model, tolerance=10)
    assert mine.alarms.tolist() == [249, 499]
    assert dummy.false_alarms == 5
    with pytest.raises(ValueError, match="nothing"):
        detection("nothing", (stream.X, stream.y))
