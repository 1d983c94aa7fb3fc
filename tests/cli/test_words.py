"""Messages speak the language of the place where they are read."""

from __future__ import annotations

import copy
import pickle

import pytest

from streamboost import OnlineBaggingClassifier, OnlineMBBMClassifier, OSBoostClassifier, Perceptron
from streamboost.cli.errors import in_flags, shell_words

ROWS = "x,z,label\n" + "".join(f"{i % 7},{i % 5},{'abc'[i % 3]}\n" for i in range(60))


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "multi.csv"
    path.write_text(ROWS)
    return path


def test_any_number_of_classes_without_options(run, data):
    assert "60" in run("run", data).stdout


def test_two_classes_only(fails, data):
    said = fails("run", data, "--model", "osboost")
    assert "osboost tells two classes apart but got 3" in said
    assert "Use --model streamboost or oza-boost" in said
    assert "Classifier" not in said


def test_classes_up_front(fails):
    said = fails("run", "-", "--model", "online-mbbm", input=ROWS)
    assert "online-mbbm must know all classes before its first row" in said
    assert "--classes a,b,c" in said
    said = fails("run", "-", "--model", "bagging", "-l", "perceptron", input=ROWS)
    assert said.startswith("perceptron with more than two classes must know all classes")
    assert "classes=" not in said


def test_warnings_name_flags(run, tmp_path):
    path = tmp_path / "large.csv"
    path.write_text("x,label\n" + "".join(f"{100 * i},{i % 2}\n" for i in range(40)))
    said = run("run", path, "--model", "bagging", "-l", "perceptron", "-n", "2").stderr
    assert "perceptron has --scale none" in said
    assert "set --scale maxabs or --scale standard" in said


def test_texts_of_the_user_stay_as_they_are():
    text = "/data/MLP.csv, line 3: column 'TAN': 'OGD' is not a finite number."
    assert in_flags(text) == text


def test_river_names_its_own_parameters():
    pytest.importorskip("river")
    from streamboost.compat.river import RiverClassifier

    binary = RiverClassifier(OSBoostClassifier(n_estimators=2))
    for label in "ab":
        binary.learn_one({"x": 1.0}, label)
    with pytest.raises(ValueError, match=r"Use RiverClassifier\(StreamBoostClassifier\(\)\)"):
        binary.learn_one({"x": 1.0}, "c")
    with pytest.raises(ValueError, match=r"pass classes=\[...\] to RiverClassifier"):
        RiverClassifier(OnlineMBBMClassifier(n_estimators=2)).learn_one({"x": 1.0}, "c")
    with pytest.raises(ValueError, match=r"^w is -1.0"):
        binary.learn_one({"x": 1.0}, "a", w=-1.0)


def test_a_refusal_can_be_copied():
    model = OnlineBaggingClassifier(Perceptron(), n_estimators=2)
    with pytest.raises(ValueError, match="must know all classes") as caught:
        model.partial_fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    for other in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert str(other) == str(caught.value)
        assert shell_words(other) == shell_words(caught.value)
