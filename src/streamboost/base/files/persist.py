"""A model to bytes and back: `save`, `load`, pickle and copy all pass through here."""

from __future__ import annotations

import copy
import io
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.files.archive import ModelFileError, read_archive, write_archive
from streamboost.base.files.manifest import Manifest, check_room, columns_of, json_value, schema_of
from streamboost.base.files.metadata import checked, entry
from streamboost.base.files.rows_apart import RowShelf
from streamboost.base.session import JUDGED_AFTER, Session

if TYPE_CHECKING:
    from streamboost.base.estimator import Estimator

PARAMETER = "learner."  # prefix of arrays that are parameters of the learner, beside the core's state
Arrays = dict[str, NDArray[Any]]


def to_bytes(
    model: Estimator, *, metadata: Mapping[str, Any] | None = None, shelf: RowShelf | None = None
) -> bytes:
    """Return what `save` writes; :func:`streamboost.load` takes it, too. Rows that are remembered go to ``shelf``, if given."""
    if model._session is None:
        raise ValueError(f"This {type(model).__name__} has learned nothing yet: there is nothing to save.")
    facts = None if metadata is None else checked(metadata)
    data = model._read(lambda session: file_bytes(model, session, facts, shelf), fitted=False)
    _check_loads(model, data, shelf)
    return data


def _check_loads(model: Estimator, data: bytes, shelf: RowShelf | None) -> None:
    """Read the bytes back by the checks that loading makes, before they take the place of a file that loads."""
    raw, arrays = read_archive(io.BytesIO(data), None if shelf is None else shelf.give)
    manifest = Manifest.read(raw)
    try:
        model._rebuild(manifest, arrays)._restore(manifest, arrays)
    except (ValueError, TypeError) as error:
        raise RuntimeError(
            f"This {type(model).__name__} was not saved: what would be written could not be loaded ({error}). "
            "A file of that name is left as it was."
        ) from error


def file_bytes(
    model: Estimator, session: Session, facts: Mapping[str, Any] | None, shelf: RowShelf | None = None
) -> bytes:
    """Return the bytes of a file, or refuse a model that no file can hold; the caller holds the session."""
    if session.in_python:
        own = "an ensemble of one of streamboost's own learners"
        if "estimators" in model._object_parameters:
            reason = f"the experts of a {type(model).__name__} may be any Python objects"
        elif session.learner.lane_factory is not None:
            reason = f"{session.learner.title} is a Python-written learner"
        else:
            reason = f"{session.detectors.title} is a Python-written detector of drift"
            own = "one of streamboost's own detectors"
        raise ValueError(
            f"save cannot store this {type(model).__name__}: {reason}, and a model file holds no code. "
            f"Use pickle or joblib for this model, or {own}."
        )
    return bytes_of(model, session, facts, shelf)


def bytes_of(
    model: Estimator,
    session: Session,
    facts: Mapping[str, Any] | None = None,
    shelf: RowShelf | None = None,
) -> bytes:
    """Return the bytes of a file; the caller holds the session."""
    session.settle()
    if session.broken is not None:
        raise RuntimeError(
            f"This {type(model).__name__} is broken ({session.broken}); call fit to start again."
        )
    arrays: Arrays = dict(session.model.state())
    manifest = manifest_of(model, session, arrays, facts)
    apart = None if shelf is None else shelf.take(arrays)
    buffer = io.BytesIO()
    write_archive(buffer, manifest, arrays, apart)
    return buffer.getvalue()


def manifest_of(
    model: Estimator, session: Session, arrays: Arrays, facts: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what a file says about the model; arrays that are parameters join `arrays`."""
    params = {
        name: json_value(value)
        for name, value in session.frozen.items()
        if name not in model._object_parameters
        if name != "drift" or session.detectors is None
    }
    for name in ("random_state", "n_jobs"):
        value = getattr(model, name)
        params[name] = int(value) if isinstance(value, int | np.integer) else None
    return {
        "written_by": _version(),
        "model": {"name": model._entry.name, "version": model._model_version, "params": params},
        "learner": _learner_entry(session, arrays),
        "seed": session.seed,
        "labels": {"declared": session.labels.declared, "values": session.labels.book.values},
        "columns": columns_of(session.schema),
        "warned": session.warned.unscaled,
        **entry(session.metadata if facts is None else facts),
    }


def reserved(model: Estimator, manifest: Manifest, state: Arrays, lanes: list[Any] | None = None) -> Session:
    """Return a session with the columns and labels of a file and room for them; `state` says how much is believed."""
    labels = model._stored_labels(manifest)
    schema = schema_of(manifest.columns, state)
    schema.stored = frozenset(state)
    schema.turns = model._word_features() is not None and (schema.open or not schema.all_numeric)
    plan = model._learner_plan(manifest.seed) if lanes is None else None
    if plan is not None and plan.bank:
        each = _core.Model.least_numbers(
            plan.bank, plan.params, schema.d0, schema.n_values(), len(labels), labels.declared
        )
        check_room(model._n_lanes() * each, state)
    session = model._new_session(manifest.seed, labels, schema, lanes)
    session.check_classes([])
    counts = schema.n_values()
    if schema.d0 < schema.width:  # the first reservation fixes d0
        session.model.reserve(counts[: schema.d0], len(labels), labels.declared)
    session.reserve_all()
    session.warned.unscaled = manifest.warned
    session.metadata = manifest.metadata
    return session


def restore(model: Estimator, manifest: Manifest, arrays: Arrays, lanes: list[Any] | None = None) -> Session:
    """Become the model of a file: claims are checked against each other here, numbers by the core."""
    state = {name: array for name, array in arrays.items() if not name.startswith(PARAMETER)}
    session = reserved(model, manifest, state, lanes)
    fresh = session.model.state()
    if set(fresh) != set(state):
        odd = sorted(set(fresh) ^ set(state))[:5]
        raise ModelFileError(f"the arrays of the file are not those of this model: {odd}")
    for name, array in state.items():
        if array.dtype != fresh[name].dtype or array.ndim != fresh[name].ndim:
            raise ModelFileError(f"array {name!r} is {array.dtype} of {array.ndim} axes: not this model's")
    session.model.restore(state)
    if session.model.n_classes_known > len(session.labels):
        raise ModelFileError("the model knows more classes than the file has labels")
    session.judged = session.model.n_learned >= JUDGED_AFTER
    session.refresh_fast()
    model._session = session
    return session


def get_state(model: Estimator) -> dict[str, Any]:
    """Return what pickle and copy keep of a model."""
    state = {name: value for name, value in model.__dict__.items() if name != "_session"}
    try:
        return (
            state
            if model._session is None
            else {**state, **model._read(lambda session: _pickled(model, session), fitted=False)}
        )
    except AttributeError:  # the first call of another thread was refused
        return state


def _pickled(model: Estimator, session: Session) -> dict[str, Any]:
    state: dict[str, Any] = {"_archive": bytes_of(model, session)}
    if session.learner.lane_factory is not None:
        # Copied here: what is pickled after the lock is gone must not learn any more.
        state["_lanes"] = copy.deepcopy(session.model.lane_objects())
    if session.detectors is not None:
        state["_detectors"] = copy.deepcopy(session.detectors)
    if session.in_python:
        state["_frozen"] = session.frozen
    return state


def copied_session(model: Estimator, session: Session) -> Session:
    """Return a session of its own with the state of a model, Python-written learners included."""
    other = type(model).__new__(type(model))
    attributes = {name: value for name, value in model.__dict__.items() if name != "_session"}
    other.__setstate__({**attributes, **_pickled(model, session)})
    if other._session is None:
        raise RuntimeError("a copied model has no session")
    return other._session


def set_state(model: Estimator, state: Mapping[str, Any]) -> None:
    """Become what `get_state` has returned."""
    attributes = dict(state)
    data = attributes.pop("_archive", None)
    lanes, detectors, frozen = (attributes.pop(name, None) for name in ("_lanes", "_detectors", "_frozen"))
    model.__dict__.update(attributes)
    if data is None:
        return
    raw, arrays = read_archive(io.BytesIO(data))
    manifest = Manifest.read(raw)
    # The parameters the model started with count, not those it may have been given since.
    (learner,) = model._object_parameters
    source = model._rebuild(manifest, arrays, None if lanes is None else attributes[learner])
    if detectors is not None:
        source.drift = frozen["drift"]
    session = source._restore(manifest, arrays, lanes)
    if detectors is not None:
        session.detectors.take(detectors)
    session.frozen = session.frozen if frozen is None else frozen
    model._session = session


def _learner_entry(session: Session, arrays: Arrays) -> dict[str, Any] | None:
    if session.learner.lane_factory is not None or not session.learner.bank:
        return None
    chosen = session.frozen["estimator"]
    params: dict[str, Any] = {}
    for name, value in {} if chosen is None else chosen[1].items():
        if isinstance(value, np.ndarray):
            arrays[PARAMETER + name] = value
        else:
            params[name] = json_value(value)
    return {
        "name": session.learner.table_name,
        "version": session.learner.version,
        "default": chosen is None,
        "params": params,
    }


@cache  # it is read from a file of the installation
def _version() -> str:
    try:
        return version("streamboost")
    except PackageNotFoundError:
        return "unknown"
