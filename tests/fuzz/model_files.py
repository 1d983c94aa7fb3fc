"""Model files with a few numbers changed and signed again: refused, or loaded and then used for everything.

A mutant that loads is asked, taught, reported, drawn (trees), saved. It may answer nonsense: it may not crash, hang, take
memory out of proportion to the file, or fail with anything but a `ValueError`.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import time
import warnings
import weakref
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from streamboost.learners import tree_text
from tests.state import test_feedback_samples as feedback
from tests.state.models import NUMBERS, X, Y, build, manifest_of, npy, pack, rows, with_manifest

Members = dict[str, bytes]

WHOLE = (0, 1, -1, 2, 3, 7, 100, 2**16, 2**31 - 1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63))
REAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    1e-300,
    5e-324,
    1e-9,
    1e9,
    2.0**53,
    1e37,
    1e150,
    1e300,
    -1e300,
    1.7e308,
)
SLOW = 20.0  # seconds that no case may take; a small model takes milliseconds, a loaded machine is slow


def more_models() -> dict[str, Any]:
    """Models that `build` does not have: trees, many classes, experts."""
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    two: dict[str, Any] = {
        "tree": sb.SingleLearnerClassifier(sb.HoeffdingTree(grace_period=5, tie_threshold=0.9)),
        "forest": sb.OnlineBaggingClassifier(
            sb.HoeffdingTree(grace_period=5, tie_threshold=0.9, feature_fraction=0.5),
            n_estimators=3,
            categorical_features=[2],
        ),
        "bayes": sb.BayesianEnsembleClassifier(n_estimators=3),
        "bayes-gamma": sb.BayesianEnsembleClassifier(n_estimators=3, likelihood="gamma"),
        "batch-bagging": sb.BaggingClassifier(n_estimators=3),
        "float32": sb.OSBoostClassifier(sb.Perceptron(dtype="float32"), n_estimators=3),
    }
    many: dict[str, Any] = {
        "mbbm": sb.OnlineMBBMClassifier(n_estimators=4),
        "mbbm-recursion": sb.OnlineMBBMClassifier(sb.Perceptron(), n_estimators=4, potential="recursion"),
        "olm": sb.AdaBoostOLMClassifier(n_estimators=4),
    }
    for model in two.values():
        fit(model, X[:40], Y[:40])
    for model in many.values():
        fit(model, X[:40], three[:40])
    return {**two, **many, **staged_models(), **worded_models()}


def staged_models() -> dict[str, Any]:
    """Models with all that may stand around a vote, and those that look at labels of before."""
    around: dict[str, Any] = {
        "coverages": (0.8, 0.95),
        "importances": True,
        "keep_health": True,
        "class_weight": "balanced",
        "class_weight_half_life": 30,
        "unlabeled": "statistics",
        "random_state": 3,
    }
    bayes = {"n_estimators": 2, **around}
    models: dict[str, Any] = {
        "temperature": sb.OSBoostClassifier(sb.NaiveBayes(), calibration="temperature", **bayes),
        "platt": sb.OSBoostClassifier(
            sb.NaiveBayes(), calibration="platt", calibration_half_life=20, decision="f1", **bayes
        ),
        "bins": sb.OnlineBaggingClassifier(
            sb.NaiveBayes(),
            calibration="platt+bins",
            decision="g_mean",
            drift="adwin",
            background=True,
            **bayes,
        ),
        "beta": sb.OnlineBoostingClassifier(
            sb.HoeffdingTree(grace_period=5),
            calibration="beta",
            decision="cost",
            decision_costs={(0, 1): 2.0, (1, 0): 1.0},
            **bayes,
        ),
        "history": sb.StreamBoostClassifier(
            n_estimators=2, companions=("linear", "history"), lags=2, delay=1, **around
        ),
    }
    for model in models.values():
        model.partial_fit(X[:40], Y[:40], classes=[0, 1])
    return models


def worded_models() -> dict[str, Any]:
    """Models of dicts with a text and an identifier."""
    models = {
        "words": sb.StreamBoostClassifier(
            n_estimators=2,
            text_features=["text"],
            identifier_features=["who"],
            max_tree_columns=4,
            random_state=3,
        ),
        "words-hashed": sb.OSBoostClassifier(
            sb.HashedLogisticRegression(bits=8), n_estimators=2, random_state=3
        ),
        "words-number": sb.StreamBoostRegressor(
            n_estimators=2, text_features=["text"], identifier_features=["who"], random_state=3
        ),
    }
    for model in models.values():
        for t in range(40):
            row = {**rows()[t], "text": f"a word {t % 7} or {t % 3}", "who": f"u{t % 9}"}
            model.learn_one(row, float(NUMBERS[t]) if is_regressor(model) else int(Y[t]))
    return models


def fit(model: Any, data: Any, labels: Any) -> None:
    """Learn, by whichever verb the model has."""
    if hasattr(model, "partial_fit"):
        model.partial_fit(data, labels, classes=np.unique(labels))
    else:
        model.fit(data, labels)


class ModelFiles:
    """Files of every kind of model, mutated."""

    name = "model-files"
    cases = 300

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models = {**build(), **more_models(), **feedback.build()}
        self.folder = tempfile.TemporaryDirectory()
        weakref.finalize(self, self.folder.cleanup)
        self.names = sorted(models)
        self.files = {name: model.to_bytes() for name, model in models.items()}

    def attack(self, number: int) -> str:
        """Mutate file `number` of the endless list, load it, use it."""
        rng = np.random.default_rng([20, number])
        name = self.names[int(rng.integers(len(self.names)))]
        members = _members(self.files[name])
        for _ in range(1 + int(rng.integers(3))):
            members = _changed(members, rng)
        began = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = self._try(members)
        if time.monotonic() - began > SLOW:
            raise AssertionError(f"{name} took {time.monotonic() - began:.0f} s")
        return outcome

    def _try(self, members: Members) -> str:
        try:
            model = sb.load(pack(Path(self.folder.name) / "mutant", members))
        except sb.ModelFileError:
            return "refused"
        return use(model)


def use(model: Any) -> str:
    """Ask, teach, report, draw and save."""
    try:
        if isinstance(model, _FEEDBACK):
            _use_with_feedback(model)
        else:
            _use(model)
        if hasattr(model, "report"):
            model.report()
        if "Tree" in type(getattr(model, "estimator", None)).__name__ and not is_regressor(model):
            tree_text(model)
        model.memory_bytes()
        model.to_bytes()
    except ValueError as error:
        return "used, then said no" if str(error) else "used, then said nothing"
    except RuntimeError as error:
        if "was not saved" not in str(error):
            raise
        return "used, then not saved"
    return "used"


_SETS = (sb.OnlineBMRClassifier, sb.AdaOLMRClassifier, sb.BinaryRelevanceClassifier, sb.ClassifierChain)
_FEEDBACK = (*_SETS, sb.ActiveClassifier, sb.BanditBoostingClassifier)


def _use_with_feedback(model: Any) -> None:
    data, sets = feedback.X[60:], feedback.Y[60:]
    for _ in range(2):
        model.predict(data)
        model.predict_proba(data)
        model.test_then_train(data, sets if isinstance(model, _SETS) else sets.sum(axis=1) % 3)
    if isinstance(model, sb.BanditBoostingClassifier):
        for row in data[:5].tolist():
            features = dict(enumerate(row))
            shown, probability = model.act_one(features)
            model.learn_bandit_one(features, shown, float(shown == 1), probability)
    if isinstance(model, sb.ActiveClassifier):
        model.query_one(dict(enumerate(data[0].tolist())))


def _use(model: Any) -> None:
    named = model.columns_.names is not None
    data: Any = rows()[40:] if named else X[40:]
    numbers = is_regressor(model)
    labels = NUMBERS[40:] if numbers else np.resize(np.asarray(model.classes_), len(Y[40:]))
    for _ in range(2):
        if named:
            for t, (row, label) in enumerate(zip(data, labels.tolist(), strict=True)):
                known = (
                    {**row, "text": f"a new {t} word", "who": f"u{t}"}
                    if "text" in model.columns_.names
                    else row
                )
                (model.predict_one if numbers else model.predict_proba_one)(known)
                model.learn_one(known, label)
            continue
        model.predict(data)
        if not numbers:
            model.predict_proba(data)
        if hasattr(model, "predict_set") and getattr(model, "coverages", None):
            model.predict_set(data)
        if hasattr(model, "explain_one"):
            model.explain_one(dict(enumerate(data[0].tolist())))
        if hasattr(model, "partial_fit"):
            model.partial_fit(data, labels)


def _members(data: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _changed(members: Members, rng: np.random.Generator) -> Members:
    """Some of its numbers, or, in a model of several models, of one of theirs."""
    manifest = manifest_of(members)
    if "composite" in manifest and rng.random() < 0.7:
        name = sorted(manifest["arrays"])[int(rng.integers(len(manifest["arrays"])))]
        part = np.lib.format.read_array(io.BytesIO(members[f"arrays/{name}.npy"])).tobytes()
        try:
            changed = _changed(_members(part), rng)
        except (zipfile.BadZipFile, EOFError, KeyError, ValueError):
            return members  # what came before has left no file to change
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for inner, data in changed.items():
                archive.writestr(inner, data)
        return _signed(members, name, np.frombuffer(buffer.getvalue(), np.uint8))
    return (_change_array if rng.random() < 0.8 else _change_manifest)(members, rng)


def _signed(members: Members, name: str, array: Any) -> Members:
    manifest = manifest_of(members)
    signed = npy(array)
    manifest["arrays"][name] = {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "sha256": hashlib.sha256(signed).hexdigest(),
    }
    return with_manifest({**members, f"arrays/{name}.npy": signed}, manifest)


def _change_array(members: Members, rng: np.random.Generator) -> Members:
    manifest = manifest_of(members)
    names = [name for name in manifest["arrays"] if np.prod(manifest["arrays"][name]["shape"], dtype=int) > 0]
    if not names:
        return members
    name = names[int(rng.integers(len(names)))]
    entry = manifest["arrays"][name]
    data = members[f"arrays/{name}.npy"]
    count = int(np.prod(entry["shape"], dtype=int))
    kind = np.dtype(entry["dtype"])
    array = np.frombuffer(data[len(data) - count * kind.itemsize :], kind).reshape(entry["shape"]).copy()
    flat = array.reshape(-1)
    at = int(rng.integers(count))
    what = rng.random()
    if what < 0.25:
        flat[at] = flat[int(rng.integers(count))]
    elif what < 0.9 and kind.kind == "u":
        flat[at] = int(rng.integers(256))  # a byte of a file inside
    elif what < 0.5 and kind.kind == "i":
        flat[at] = np.int64(flat[at]) + int(rng.integers(-2, 3))
    elif what < 0.9:
        flat[at] = (
            WHOLE[int(rng.integers(len(WHOLE)))] if kind.kind == "i" else REAL[int(rng.integers(len(REAL)))]
        )
    elif array.ndim:
        length = int(rng.integers(0, array.shape[0] + 2))
        array = np.resize(array, (length, *array.shape[1:]))
    return _signed(members, name, array)


def _change_manifest(members: Members, rng: np.random.Generator) -> Members:
    manifest = manifest_of(members)
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, inner in items:
            if key != "arrays":
                places.append((value, key))
                walk(inner)

    walk(manifest)
    owner, key = places[int(rng.integers(len(places)))]
    old = owner[key]
    choices: list[Any] = [None, True, 0, 1, 2, 3, 1000, 2**31 - 1, 0.5, 1e9, "", "x", [], {}]
    if isinstance(old, int | float) and not isinstance(old, bool):
        choices += [old + 1, old - 1, old * 2, -old, old * 1000]
    owner[key] = choices[int(rng.integers(len(choices)))]
    return with_manifest(members, manifest)
