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
    return {**two, **many}


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
            models = {**build(), **more_models()}
        self.folder = tempfile.TemporaryDirectory()
        weakref.finalize(self, self.folder.cleanup)
        self.names = sorted(models)
        self.files: dict[str, Members] = {}
        for name, model in models.items():
            buffer = io.BytesIO(model.to_bytes())
            with zipfile.ZipFile(buffer) as archive:
                self.files[name] = {info.filename: archive.read(info) for info in archive.infolist()}

    def attack(self, number: int) -> str:
        """Mutate file `number` of the endless list, load it, use it."""
        rng = np.random.default_rng([20, number])
        name = self.names[int(rng.integers(len(self.names)))]
        members = dict(self.files[name])
        for _ in range(1 + int(rng.integers(3))):
            members = (_change_array if rng.random() < 0.8 else _change_manifest)(members, rng)
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
    named = model.columns_.names is not None
    data: Any = rows()[40:] if named else X[40:]
    numbers = is_regressor(model)
    labels = NUMBERS[40:] if numbers else np.resize(np.asarray(model.classes_), len(Y[40:]))
    try:
        for _ in range(2):
            if named:
                for row, label in zip(data, labels.tolist(), strict=True):
                    model.predict_proba_one(row)
                    model.learn_one(row, label)
            else:
                model.predict(data)
                if not numbers:
                    model.predict_proba(data)
                if hasattr(model, "partial_fit"):
                    model.partial_fit(data, labels)
        if hasattr(model, "report"):
            model.report()
        if not numbers and "Tree" in type(getattr(model, "estimator", None)).__name__:
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
    elif what < 0.5 and kind.kind == "i":
        flat[at] = np.int64(flat[at]) + int(rng.integers(-2, 3))
    elif what < 0.9:
        flat[at] = (
            WHOLE[int(rng.integers(len(WHOLE)))] if kind.kind == "i" else REAL[int(rng.integers(len(REAL)))]
        )
    elif array.ndim:
        length = int(rng.integers(0, array.shape[0] + 2))
        array = np.resize(array, (length, *array.shape[1:]))
    signed = npy(array)
    manifest["arrays"][name] = {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "sha256": hashlib.sha256(signed).hexdigest(),
    }
    return with_manifest({**members, f"arrays/{name}.npy": signed}, manifest)


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
