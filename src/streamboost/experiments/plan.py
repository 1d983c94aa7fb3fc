"""What is to be run: a run holds all that determines its result; the hash of that is its name."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.baselines import LOOKS_BACK, baseline, baselines_of
from streamboost.experiments.prepare import prepare
from streamboost.streams.base import ArrayStream, DataError, Label, Stream, to_arrays
from streamboost.streams.open import open_stream
from streamboost.streams.readers.columns import ExpectedColumns
from streamboost.streams.readers.formats import bare_name

FORMAT = 1
"""Changes when a stored run can no longer be read, or when what is stored has another meaning."""


@dataclass(frozen=True)
class Source:
    """Where a data set comes from: what the user wrote, and how to read it."""

    text: str
    options: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    label: str = ""
    steps: tuple[str, ...] = ()
    """What is done to the rows before any model sees them (:mod:`streamboost.experiments.prepare`)."""
    more: str = ""
    """A second file with the same columns, whose rows come after those of the first."""

    @property
    def name(self) -> str:
        """The label, or else the last part of a path without its endings."""
        if self.label:
            return self.label
        name = self.text.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return bare_name(name) or self.text

    def load(self) -> DataSet:
        """Read it into memory."""
        if self.text == "-":
            raise DataError(
                "Standard input can be read only once, but every model reads the data; save it first."
            )
        stream = open_stream(self.text, limit=self.limit, **self.options)
        held = to_arrays(stream)
        if self.more:
            held = _followed(held, stream, open_stream(self.more, expected=_known(stream), **self.options))
        held = prepare(held, self.steps)
        if not held.y.shape[0]:
            raise DataError(f"{self.text}: no rows.")
        # A step may have changed kinds of columns or labels.
        about: Stream = held if self.steps else stream
        return DataSet(self, held, about.classes, _fingerprint(held, about))


@dataclass(frozen=True)
class DataSet:
    """A data set in memory; two with the same fingerprint hold the same rows."""

    source: Source
    rows: ArrayStream
    declared: tuple[Label, ...] | None
    fingerprint: str

    @property
    def facts(self) -> DataFacts:
        """What a report says of it."""
        return facts_of(self.source, self.fingerprint, self.rows)


@dataclass(frozen=True)
class DataFacts:
    """A data set without its rows."""

    source: Source
    fingerprint: str
    n_rows: int
    n_features: int
    n_nominal: int
    labels: list[str]
    targets: tuple[float, float] | None = None
    """The least and the greatest, where labels are numbers; there are no classes then, whatever ``labels`` says."""

    @property
    def name(self) -> str:
        """The short name of the data set, for tables."""
        return self.source.name


def facts_of(source: Source, fingerprint: str, rows: Any) -> DataFacts:
    """What a report says of rows in memory."""
    labels = rows.find_classes()
    numeric = bool(labels) and not any(isinstance(label, str) for label in labels)
    return DataFacts(
        source,
        fingerprint,
        int(rows.n_rows),
        int(rows.n_features or 0),
        0 if rows.nominal is None else int(rows.nominal.sum()),
        [str(label) for label in labels],
        (float(labels[0]), float(labels[-1])) if numeric else None,
    )


@dataclass(frozen=True)
class Algorithm:
    """A model of a learner with their parameters, by the names that the command line has for them.

    ``model_label``, ``learner_label`` and ``size_label`` are what tables call it; they do not belong to the hash.
    """

    model: str
    learner: str
    params: dict[str, Any] = field(default_factory=dict)
    learner_params: dict[str, Any] = field(default_factory=dict)
    model_label: str = ""
    learner_label: str = ""
    size_label: str = ""
    code: str = ""
    """A hash of the code of classes of the user's own: another one is another model."""

    @property
    def group(self) -> str:
        """The model, for the upper line of a table's head."""
        return self.model_label or self.model

    @property
    def member(self) -> str:
        """The learner and, where several are compared, the number of learners."""
        return " ".join(part for part in (self.learner_label or self.learner, self.size_label) if part)

    @property
    def name(self) -> str:
        """One line for both."""
        return f"{self.group} · {self.member}" if self.member else self.group

    @property
    def is_baseline(self) -> bool:
        """Whether it stands in a table only to be beaten."""
        return baseline(self.model) is not None

    def build(self, seed: int, nominal: npt.NDArray[np.bool_] | None) -> Any:
        """The model, not trained."""
        make = baseline(self.model)
        if make is not None:
            return make()
        from streamboost.models import build

        return build(
            self.model, self.learner or None, self.params, self.learner_params, seed=seed, nominal=nominal
        )


@dataclass(frozen=True)
class Protocol:
    """How a model meets the data.

    Prequential: one run per order; a single order is that of the data. With ``folds`` it is cross-validation: one run per
    fold of every pass, in which the training set is learned in all orders. With ``test_rows`` the last rows are the test
    set, and there is one run with all orders.
    """

    orders: int = 1
    seed: int = 0
    delay: int = 0
    metrics: tuple[str, ...] = ()
    folds: int = 0
    repeats: int = 1
    test_rows: int = 0
    positive: str | None = None
    """The label of metrics of one label."""
    task: str = "classification"
    """Which metrics there are, and what the error is: of a regression it is "mae"."""
    season: int | None = None
    """Of a regression: rows of a season, for one more baseline."""

    def __post_init__(self) -> None:
        if self.orders < 1 or self.repeats < 1 or self.folds == 1 or self.folds < 0 or self.delay < 0:
            raise ValueError(f"There are no runs like these: {self}.")
        if self.test_rows < 0 or (self.test_rows and (self.folds or self.repeats > 1)):
            raise ValueError("The rows of a given test set are held out once, and not in folds.")
        if self.holds_out and (self.delay or self.metrics):
            raise ValueError("Late labels and metrics over time belong to a stream, not to cross-validation.")

    @property
    def error_name(self) -> str:
        """What the error is called."""
        return "mae" if self.regression else "error"

    @property
    def regression(self) -> bool:
        """Whether targets are predicted, not labels."""
        return self.task == "regression"

    @property
    def holds_out(self) -> bool:
        """Whether answers are given on rows that are not learned."""
        return bool(self.folds or self.test_rows)

    def units(self) -> list[dict[str, int]]:
        """What tells the runs of one model on one data set apart."""
        if self.test_rows:
            return [{"repeat": 0, "fold": 0}]
        if self.folds:
            return [{"repeat": r, "fold": f} for r in range(self.repeats) for f in range(self.folds)]
        return [{"order": order} for order in range(self.orders)]


@dataclass(frozen=True)
class Run:
    """One model, one data set, one order (or fold)."""

    source: Source
    fingerprint: str
    algorithm: Algorithm
    protocol: Protocol
    unit: dict[str, int]

    @property
    def key(self) -> str:
        """The hash of everything that the result depends on."""
        text = json.dumps(self.identity(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def identity(self) -> dict[str, Any]:
        """Everything that the result depends on, this version of streamboost included."""
        from importlib.metadata import version

        protocol = self.protocol
        how: dict[str, Any] = {"seed": protocol.seed, **self.unit}
        if protocol.holds_out:
            how["orders"] = protocol.orders
            how |= {"folds": protocol.folds} if protocol.folds else {"test_rows": protocol.test_rows}
        else:
            # One order is the order of the data; the first of several is a random one.
            how |= {
                "shuffled": protocol.orders > 1,
                "delay": protocol.delay,
                "metrics": list(protocol.metrics),
            }
            if protocol.positive is not None:
                how["positive"] = protocol.positive
        return {
            "format": FORMAT,
            "streamboost": version("streamboost"),
            "data": self.fingerprint,
            "model": self.algorithm.model,
            "params": self.algorithm.params,
            "learner": self.algorithm.learner,
            "learner_params": self.algorithm.learner_params,
            "how": how,
            **({"code": self.algorithm.code} if self.algorithm.code else {}),
        }

    def to_json(self) -> str:
        """The run as one line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Run:
        """A run from its line."""
        raw = json.loads(text)
        raw["protocol"]["metrics"] = tuple(raw["protocol"]["metrics"])
        raw["source"]["steps"] = tuple(raw["source"]["steps"])
        return cls(
            Source(**raw["source"]),
            raw["fingerprint"],
            Algorithm(**raw["algorithm"]),
            Protocol(**raw["protocol"]),
            raw["unit"],
        )


def code_of(*names: str | None) -> str:
    """A hash of the files in which classes of the user's own stand; empty for names of the tables."""
    from streamboost.models import own_class

    files = [inspect.getsourcefile(own_class(name)) for name in names if name is not None and ":" in name]
    code = b"".join(Path(file).read_bytes() for file in files if file is not None)
    return hashlib.sha256(code).hexdigest()[:32] if code else ""


def unique_labels(names: list[str]) -> Iterator[str]:
    """Names made distinct: the second of a kind gets a number."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def baselines(protocol: Protocol) -> list[Algorithm]:
    """The rows that every table has; on rows that are held out "no change" means nothing."""
    known = baselines_of(protocol.task, protocol.season)
    return [Algorithm(name, "") for name in known if not (protocol.holds_out and name.startswith(LOOKS_BACK))]


def plan_runs(sets: list[DataFacts], algorithms: list[Algorithm], protocol: Protocol) -> list[Run]:
    """All runs, one data set after the other, so that a process rarely has to read another one."""
    return [
        Run(facts.source, facts.fingerprint, algorithm, protocol, unit)
        for facts in sets
        for unit in protocol.units()
        for algorithm in algorithms
    ]


def _known(stream: Stream) -> ExpectedColumns:
    """What a second file has to hold to be read with the codes of the first, which has been read."""
    values: dict[int, tuple[str, ...]] = getattr(stream, "column_values", {})
    width = range(stream.n_features or 0)
    return ExpectedColumns(
        stream.feature_names, tuple(values.get(j) for j in width), stream.find_classes(), True
    )


def _followed(first: ArrayStream, about: Stream, second: Stream) -> ArrayStream:
    more = to_arrays(second)
    X, y = np.concatenate((first.X, more.X)), np.concatenate((first.y, more.y))
    return ArrayStream(
        X, y, name=first.name, feature_names=about.feature_names, nominal=about.nominal, coding=more.coding
    )


def _fingerprint(held: ArrayStream, stream: Stream) -> str:
    """A hash of the rows as the models get them: not of the file, whose packing does not matter."""
    digest = hashlib.sha256()
    X = held.X
    arrays = (X.data, X.indices, X.indptr) if scipy.sparse.issparse(X) else (np.asarray(X),)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)
    digest.update("\x1f".join(map(repr, held.y.tolist())).encode())
    nominal = None if stream.nominal is None else np.flatnonzero(stream.nominal).tolist()
    digest.update(json.dumps([nominal, [repr(label) for label in stream.classes or ()]]).encode())
    return digest.hexdigest()[:32]
