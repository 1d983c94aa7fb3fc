"""Base class of every model: parameters, a session that learns and answers, attributes, files."""

from __future__ import annotations

import copy
import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_regressor

from streamboost.base import sharing
from streamboost.base.files import persist
from streamboost.base.files.manifest import Manifest
from streamboost.base.files.persist import Arrays
from streamboost.base.files.writing import write_model
from streamboost.base.inputs.labels import ClassCodes, declare, read_labels
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.sources import DictRow, Source, TableRows
from streamboost.base.inputs.word_columns import WordFeatures
from streamboost.base.naming import ColumnNames, column_names
from streamboost.base.parameter import Declared
from streamboost.base.params import BoosterPlan, LearnerPlan, count_threads, snapshot
from streamboost.base.pending import Records
from streamboost.base.session import Session
from streamboost.catalogue import ModelEntry

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class Estimator(Declared, BaseEstimator):
    """Parameters, validation and files of one model; the arithmetic lives in the core."""

    _entry: ClassVar[ModelEntry]
    _model_version: ClassVar[int] = 1
    _free_parameters: ClassVar[frozenset[str]] = frozenset({"random_state", "n_jobs"})
    _object_parameters: ClassVar[frozenset[str]] = frozenset({"estimator"})
    _nothing_known: ClassVar[str] = "no class is declared or learned"
    _session: Session | None = None
    _session_kind: Callable[..., Session] = Session  # where the lanes live: in this process, or in shards

    n_jobs: int | None
    random_state: Any
    tie: str
    monitor: bool
    categorical_features: Any

    # What an ensemble must say about itself.

    @abstractmethod
    def _booster_plan(self) -> BoosterPlan: ...

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        """Return the plan of `fit`, which knows how many rows of positive weight there are."""
        return self._booster_plan()

    def _for_columns(self, plan: BoosterPlan, columns: Schema) -> BoosterPlan:
        """Return the plan as the kinds of the columns want it."""
        return plan

    def _learner_for_columns(self, plan: LearnerPlan, columns: Schema) -> LearnerPlan:
        """Return the plan of the learners as the kinds of the columns want it."""
        return plan

    def _for_labels(self, plan: BoosterPlan, labels: ClassCodes) -> BoosterPlan:
        """Return the plan as the labels want it that are known before the first row."""
        return plan

    def _stages(self) -> dict[str, Any]:
        """Return what comes after the vote, as the core reads it; empty: nothing."""
        return {}

    def _fit_stages(self, n_rows: int) -> dict[str, Any]:
        """Return those of `fit`, which knows how many rows of positive weight there are."""
        return self._stages()

    def _class_settings(self, labels: Sequence[Any], declared: bool) -> NDArray[np.float64] | None:
        """Return what the user says of the classes, as the core reads it, or refuse it. `labels`: by code."""
        return None

    @abstractmethod
    def _learner_plan(self, seed: int) -> LearnerPlan: ...

    @abstractmethod
    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan: ...

    @property
    def _counts_unlabeled(self) -> bool:
        """Whether rows without labels move the statistics of the columns."""
        return getattr(self, "unlabeled", "ignore") == "statistics"

    def _n_lanes(self) -> int:
        return int(self.n_estimators)

    def _new_session(
        self,
        seed: int,
        labels: ClassCodes,
        columns: Schema,
        lanes: list[Any] | None = None,
        n_fit: int | None = None,
    ) -> Session:
        names = tuple(name for name in self._get_param_names() if name not in self._free_parameters)
        plan = self._booster_plan() if n_fit is None else self._fit_plan(n_fit)
        return self._session_kind(
            type(self).__name__,
            self._for_labels(self._for_columns(plan, columns), labels),
            self._learner_for_columns(self._learner_plan(seed), columns)
            if lanes is None
            else self._resumed_plan(seed, lanes),
            n_estimators=self._n_lanes(),
            seed=seed,
            tie=str(self.tie),
            monitor=bool(self.monitor),
            threads=count_threads(self.n_jobs),
            labels=labels,
            schema=columns,
            frozen=snapshot(self, names),
            stages=self._stages() if n_fit is None else self._fit_stages(n_fit),
            unlabeled=self._counts_unlabeled,
            # Of a copy: a reference to self would keep the model alive until the garbage collector runs.
            class_settings=with_session(self, None)._class_settings,
        )

    @classmethod
    @abstractmethod
    def _rebuild(cls, manifest: Manifest, arrays: Arrays, estimator: Any = None) -> Any:
        """Return an estimator with the parameters of a file, not yet started."""

    def _remarks(self, session: Session) -> list[str]:
        """Return what is to be said about what was learned, each thing once."""
        return []

    def _first_labels(self, classes: ArrayLike | None) -> ClassCodes:
        """Return what is known of the labels before the first row."""
        return ClassCodes() if classes is None else declare(classes)

    def _word_features(self) -> WordFeatures | None:
        """Return what the user says of columns of words; None if this model does not read them."""
        return None

    def _read_labels(self, y: Any, source: Source, known: ClassCodes) -> Any:
        return read_labels(y, source.n_rows, type(self).__name__, discovering=not known.declared)

    def _stored_labels(self, manifest: Manifest) -> ClassCodes:
        return ClassCodes(manifest.labels, declared=manifest.declared)

    # Learning and reading. Bound directly: one more Python call would cost a tenth of the time of a row.

    _learn = sharing.learn
    _learn_fast = sharing.learn_fast
    _test_then_train_fast = sharing.test_then_train_fast
    _look_back = sharing.look_back
    _read = sharing.read
    _refuse_unfitted = sharing.refuse_unfitted

    def _ask(self, X: Any, answer: str) -> NDArray[Any]:
        if self._session is None:
            self._refuse_unfitted(fitted=True)
        source = TableRows(X, type(self).__name__)
        answers: NDArray[Any] = self._read(lambda session: session.ask(source, answer))
        return answers

    def _pending_one(self, x: Mapping[Any, Any], answer: str) -> tuple[Any, Records]:
        found = sharing.pending_fast(self, x)
        return self._pending(DictRow(x, type(self).__name__), answer) if found is None else found

    def _pending(self, source: Source, answer: str) -> tuple[Any, Records]:
        if self._session is None:
            self._refuse_unfitted(fitted=True)
        return self._read(lambda session: session.pending(source, answer))

    def snapshot(self) -> Self:
        """Return a copy of the model as it is now, for reading only.

        A snapshot answers, reports and saves like the model it was taken from, and never waits for it: threads that
        must answer at once while another learns read from snapshots. It does not learn; a ``copy.deepcopy`` of it does.

        Returns
        -------
        model
            Of the same class, with the same parameters.
        """
        copied: Self = sharing.snapshot(self)
        return copied

    @property
    def started(self) -> bool:
        """Whether rows have come that fixed columns and labels."""
        return self._session is not None

    @property
    def is_snapshot(self) -> bool:
        """Whether the model is one that :meth:`snapshot` gave, which never learns."""
        return self._session is not None and self._session.read_only

    @property
    def session(self) -> Session | None:
        """The state at work: internal, for the packages of streamboost; None before the first row."""
        return self._session

    def take_session(self, session: Session | None) -> None:
        """Go on with another state: internal, for the packages of streamboost."""
        self._session = session

    # Public attributes that exist once the first rows have come; before that they raise AttributeError.

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self._read(lambda session: session.schema.width, fitted=False)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if they have any."""
        names = self.columns_.names
        if names is None or not all(isinstance(name, str) for name in names):
            raise AttributeError("feature_names_in_: the columns have no names")
        return np.array(names, dtype=object)

    @property
    def columns_(self) -> ColumnNames:
        """Names of the columns (None: by position), and the categories of the nominal ones in order of their codes."""
        return self._read(lambda session: column_names(session.schema), fitted=False)

    def _check_rows(self, X: Any) -> None:
        """Refuse rows that could not be learned; changes nothing."""
        source = TableRows(X, type(self).__name__)
        if self._session is None:
            source.coded(source.first_schema(self.categorical_features, self._word_features()), None, True)
        else:
            self._read(lambda session: source.coded(session.schema, None, True), fitted=False)

    @property
    def n_learned_(self) -> int:
        """Number of rows learned so far, those of weight 0 aside."""
        return self._read(lambda session: session.model.n_learned, fitted=False)

    def has_columns(self, names: Iterable[Any]) -> bool:
        """Whether all of these are columns of the model already."""
        if self._session is None:
            return False
        return self._read(lambda session: all(name in session.schema.index for name in names), fitted=False)

    def memory_bytes(self) -> int:
        """Return the size of the learned state in the core, in bytes; 0 before the first call."""
        if self._session is None:
            return 0
        return self._read(lambda session: session.model.memory_bytes(), fitted=False)

    def __sklearn_is_fitted__(self) -> bool:
        return self._session is not None and self._read(lambda session: session.knows_classes, fitted=False)

    # Files, pickle, copy and joblib (files/persist.py): no pickle in files, the same bytes inside pickles.

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
        return persist.to_bytes(self, metadata=metadata)

    @property
    def metadata_(self) -> dict[str, Any]:
        """The user's own facts that the model was loaded with; a copy."""
        return self._read(lambda session: copy.deepcopy(session.metadata), fitted=False)

    _file_bytes = persist.file_bytes
    _manifest = persist.manifest_of
    _reserved = persist.reserved
    _restore = persist.restore
    __getstate__ = persist.get_state
    __setstate__ = persist.set_state

    def __format__(self, spec: str) -> str:
        """Return what ``str`` does; River, which names a model that it does not know so, says where its adapter is."""
        if not str(sys._getframe(1).f_globals.get("__name__")).startswith("river."):
            return format(str(self), spec)
        name = type(self).__name__
        adapter = "RiverRegressor" if is_regressor(self) else "RiverClassifier"
        return (
            f"{name}: wrap it, {adapter}({name}(...)), after 'from streamboost.compat.river import {adapter}'"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def with_session(model: Any, session: Session | None) -> Any:
    """Return an estimator with the parameters of another one, and the very objects that those are."""
    kind: Any = type(model)
    other = kind.__new__(kind)
    other.__dict__.update(model.__dict__)
    if session is None:
        other.__dict__.pop("_session", None)
    else:
        other.__dict__["_session"] = session
    return other
