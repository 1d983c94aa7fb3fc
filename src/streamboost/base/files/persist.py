"""A model to bytes and back: `save`, `load`, pickle and copy all pass through here."""

from __future__ import annotations

import copy
import io
import os
from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.files.archive import ModelFileError, read_archive, write_archive
from streamboost.base.files.manifest import Manifest, check_room, columns_of, json_value, schema_of
from streamboost.base.files.metadata import checked, entry
from streamboost.base.files.writing import write_model
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.session import JUDGED_AFTER, Session
from streamboost.base.sharing import SharedModel
from streamboost.catalogue import ModelEntry

PARAMETER = "learner."  # prefix of arrays that are parameters of the learner, beside the core's state
Arrays = dict[str, NDArray[Any]]


class Persistence(SharedModel):
    """Saving and restoring of an estimator: no pickle in files, the same bytes inside pickles."""

    _entry: ClassVar[ModelEntry]
    _model_version: ClassVar[int]
    _object_parameters: ClassVar[frozenset[str]] = frozenset({"estimator"})

    @abstractmethod
    def _n_lanes(self) -> int: ...

    @classmethod
    @abstractmethod
    def _rebuild(cls, manifest: Manifest, arrays: Arrays, estimator: Any = None) -> Any:
        """Return an estimator with the parameters of a file, not yet started."""

    def save(
        self, path: str | os.PathLike[str] | BinaryIO, *, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Write the model to a file, whole or not at all; read it back with :func:`streamboost.load`.

        The file is a zip of a JSON manifest and plain arrays: reading it runs no code. Models of Python-written
        learners cannot be saved so; pickle them, and only load pickles from people you trust.

        Parameters
        ----------
        path : path, or file object opened for writing bytes
            Where to. A path gets the whole file or keeps what it has.
        metadata : dict, optional
            Facts of your own, at most 64 kB of JSON: an offset, a version. By default those that the model was loaded
            with. A loaded model has them as ``metadata_``.
        """
        write_model(path, self.to_bytes(metadata=metadata))

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes; :func:`streamboost.load` takes it, too."""
        if self._session is None:
            raise ValueError(f"This {type(self).__name__} has learned nothing yet: there is nothing to save.")
        facts = None if metadata is None else checked(metadata)
        data = self._read(lambda session: self._file_bytes(session, facts), fitted=False)
        self._check_loads(data)
        return data

    @property
    def metadata_(self) -> dict[str, Any]:
        """The user's own facts that the model was loaded with; a copy."""
        return self._read(lambda session: copy.deepcopy(session.metadata), fitted=False)

    def _check_loads(self, data: bytes) -> None:
        """Read the bytes back by the checks that loading makes, before they take the place of a file that loads."""
        raw, arrays = read_archive(io.BytesIO(data))
        manifest = Manifest.read(raw)
        try:
            self._rebuild(manifest, arrays)._restore(manifest, arrays)
        except (ValueError, TypeError) as error:
            raise RuntimeError(
                f"This {type(self).__name__} was not saved: what would be written could not be loaded ({error}). "
                "A file of that name is left as it was."
            ) from error

    def _file_bytes(self, session: Session, facts: Mapping[str, Any] | None) -> bytes:
        if session.in_python:
            own = "an ensemble of one of streamboost's own learners"
            if "estimators" in self._object_parameters:
                reason = f"the experts of a {type(self).__name__} may be any Python objects"
            elif session.learner.lane_factory is not None:
                reason = f"{session.learner.title} is a Python-written learner"
            else:
                reason = f"{session.detectors.title} is a Python-written detector of drift"
                own = "one of streamboost's own detectors"
            raise ValueError(
                f"save cannot store this {type(self).__name__}: {reason}, and a model file holds no code. "
                f"Use pickle or joblib for this model, or {own}."
            )
        return self._to_bytes(session, facts)

    def _to_bytes(self, session: Session, facts: Mapping[str, Any] | None = None) -> bytes:
        """Return the bytes of a file; the caller holds the session."""
        session.settle()
        if session.broken is not None:
            raise RuntimeError(
                f"This {type(self).__name__} is broken ({session.broken}); call fit to start again."
            )
        arrays: Arrays = dict(session.model.state())
        buffer = io.BytesIO()
        write_archive(buffer, self._manifest(session, arrays, facts), arrays)
        return buffer.getvalue()

    def _manifest(
        self, session: Session, arrays: Arrays, facts: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return what a file says about the model; arrays that are parameters join `arrays`."""
        params = {
            name: json_value(value)
            for name, value in session.frozen.items()
            if name not in self._object_parameters
            if name != "drift" or session.detectors is None
        }
        for name in ("random_state", "n_jobs"):
            value = getattr(self, name)
            params[name] = int(value) if isinstance(value, int | np.integer) else None
        return {
            "written_by": _version(),
            "model": {"name": self._entry.name, "version": self._model_version, "params": params},
            "learner": _learner_entry(session, arrays),
            "seed": session.seed,
            "labels": {"declared": session.labels.declared, "values": session.labels.book.values},
            "columns": columns_of(session.schema),
            "warned": session.warned,
            **entry(session.metadata if facts is None else facts),
        }

    def _stored_labels(self, manifest: Manifest) -> ClassCodes:
        return ClassCodes(manifest.labels, declared=manifest.declared)

    def _reserved(self, manifest: Manifest, state: Arrays, lanes: list[Any] | None = None) -> Session:
        """Return a session with the columns and labels of a file and room for them; `state` says how much is believed."""
        labels = self._stored_labels(manifest)
        schema = schema_of(manifest.columns, state)
        plan = self._learner_plan(manifest.seed) if lanes is None else None
        if plan is not None and plan.bank:
            each = _core.Model.least_numbers(
                plan.bank, plan.params, schema.d0, schema.n_values(), len(labels), labels.declared
            )
            check_room(self._n_lanes() * each, state)
        session = self._new_session(manifest.seed, labels, schema, lanes)
        session.check_classes([])
        counts = schema.n_values()
        if schema.d0 < schema.width:  # the first reservation fixes d0
            session.model.reserve(counts[: schema.d0], len(labels), labels.declared)
        session.reserve_all()
        session.warned = manifest.warned
        session.metadata = manifest.metadata
        return session

    def _restore(self, manifest: Manifest, arrays: Arrays, lanes: list[Any] | None = None) -> Session:
        """Become the model of a file: claims are checked against each other here, numbers by the core."""
        state = {name: array for name, array in arrays.items() if not name.startswith(PARAMETER)}
        session = self._reserved(manifest, state, lanes)
        fresh = session.model.state()
        if set(fresh) != set(state):
            odd = sorted(set(fresh) ^ set(state))[:5]
            raise ModelFileError(f"the arrays of the file are not those of this model: {odd}")
        for name, array in state.items():
            if array.dtype != fresh[name].dtype or array.ndim != fresh[name].ndim:
                raise ModelFileError(
                    f"array {name!r} is {array.dtype} of {array.ndim} axes: not this model's"
                )
        session.model.restore(state)
        if session.model.n_classes_known > len(session.labels):
            raise ModelFileError("the model knows more classes than the file has labels")
        session.judged = session.model.n_learned >= JUDGED_AFTER
        session.refresh_fast()
        self._session = session
        return session

    # Pickle, copy, joblib.

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_session"}
        try:
            return state if self._session is None else {**state, **self._read(self._pickled, fitted=False)}
        except AttributeError:  # the first call of another thread was refused
            return state

    def _pickled(self, session: Session) -> dict[str, Any]:
        state: dict[str, Any] = {"_archive": self._to_bytes(session)}
        if session.learner.lane_factory is not None:
            # Copied here: what is pickled after the lock is gone must not learn any more.
            state["_lanes"] = copy.deepcopy(session.model.lane_objects())
        if session.detectors is not None:
            state["_detectors"] = copy.deepcopy(session.detectors)
        if session.in_python:
            state["_frozen"] = session.frozen
        return state

    def _copied_session(self, session: Session) -> Session:
        other = type(self).__new__(type(self))
        attributes = {name: value for name, value in self.__dict__.items() if name != "_session"}
        other.__setstate__({**attributes, **self._pickled(session)})
        if other._session is None:
            raise RuntimeError("a copied model has no session")
        return other._session

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        attributes = dict(state)
        data = attributes.pop("_archive", None)
        lanes, detectors, frozen = (
            attributes.pop(name, None) for name in ("_lanes", "_detectors", "_frozen")
        )
        self.__dict__.update(attributes)
        if data is None:
            return
        raw, arrays = read_archive(io.BytesIO(data))
        manifest = Manifest.read(raw)
        # The parameters the model started with count, not those it may have been given since.
        (learner,) = self._object_parameters
        source = self._rebuild(manifest, arrays, None if lanes is None else attributes[learner])
        if detectors is not None:
            source.drift = frozen["drift"]
        session = source._restore(manifest, arrays, lanes)
        if detectors is not None:
            session.detectors.take(detectors)
        session.frozen = session.frozen if frozen is None else frozen
        self._session = session


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
