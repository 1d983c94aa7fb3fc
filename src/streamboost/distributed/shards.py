"""One ensemble over several processes or machines, with the answers of one process, bit for bit."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.files.archive import ModelFileError, read_archive, write_archive
from streamboost.base.files.manifest import Manifest, schema_of
from streamboost.base.pending import LateRecords, PendingAnswers
from streamboost.distributed.closable import Closable
from streamboost.distributed.engines import ENGINES, make_engine
from streamboost.distributed.folder import HEAD, Folder, complete_lines, line_name, log_name, read_record
from streamboost.distributed.model import ShardedModel, ShardedSession, read_growth
from streamboost.distributed.parts import Plan, check_lanes, even_lanes, join_states
from streamboost.distributed.shard_line import ShardLine
from streamboost.distributed.stage import read_line, state_of_line
from streamboost.models import rebuild, restore

if TYPE_CHECKING:
    from typing_extensions import Self


class Shards(Closable):
    """A model whose learners are spread over shards: the same answers, bit for bit, as the model in one process.

    Parameters
    ----------
    model : estimator
        One of streamboost's ensembles, new or trained, with a learner of streamboost's own. It is copied.
    n : int
        Number of shards.
    engine : {"processes", "ray", "local"}
        Processes of this machine, actors of a Ray cluster (``pip install "streamboost[ray]"``), or objects in this process.
    folder : str or path, optional
        A folder, or a URL that fsspec knows, for log and snapshots. With one, a driver that was killed goes on by
        :meth:`resume`. Without one a temporary folder lets lost shards come back, until `close`. Shards on several machines
        need a place that all of them reach.
    every : int
        Chunks between two snapshots.
    chunk_rows : int
        Rows in a chunk. Larger ones cost less, smaller ones wait less.
    window : int, optional
        Chunks on their way at most; a source that is faster waits. Default: the number of shards and 4 more.
    address : str, optional
        Of the Ray cluster; default: the one that this process is connected to, or a new one on this machine.
    sync : bool
        Whether what is in `folder` survives a power cut. Whoever has a log of their own needs no second one.

    Attributes
    ----------
    stale_by : int
        Examples that the last answer with ``stale="ok"`` did not know of.

    Examples
    --------
    >>> from streamboost import OSBoostClassifier
    >>> from streamboost.distributed import Shards
    >>> with Shards(OSBoostClassifier(n_estimators=8, random_state=7), 2, engine="local") as shards:
    ...     _ = shards.partial_fit([[0.1], [0.9], [0.2], [0.8]], [0, 1, 0, 1])
    ...     print(shards.predict([[0.15], [0.85]]))
    [0 1]
    """

    def __init__(
        self,
        model: Any,
        n: int = 2,
        *,
        engine: str = "processes",
        folder: str | os.PathLike[str] | None = None,
        every: int = 256,
        chunk_rows: int = 512,
        window: int | None = None,
        address: str | None = None,
        sync: bool = True,
    ) -> None:
        self._configure(n, engine, folder, every, chunk_rows, window, address, sync)
        if HEAD in self._folder.names():
            raise ValueError(
                f"folder={self._folder.url!r} holds the shards of a model already: Shards.resume goes on with it; for another "
                "model choose an empty folder."
            )
        try:
            if not all(hasattr(model, name) for name in ("_session_kind", "partial_fit", "learn_one")):
                raise TypeError(
                    f"Shards takes one of streamboost's ensembles for streams, not a {type(model).__name__}."
                )
            if not model.started:
                self.model = type(model)(**model.get_params(deep=False))
                self._take(self.model)
                own = None if model.estimator is None else model._learner_plan(0).lane_factory
                Plan(
                    {
                        "lane_factory": own,
                        "stages": model._stages(),
                        "guard": model._guard(),
                        "unlabeled": model._counts_unlabeled,
                    }
                ).check_learning()
            else:
                Plan(model.session.plan).check_learning()
                raw, arrays = _archive_of(model)
                manifest = Manifest.read(raw)
                self.model = rebuild(manifest, arrays)
                self._take(self.model)
                self.model._restore(manifest, arrays)
            n_lanes = self.model._n_lanes()
            if not 1 <= n <= n_lanes:
                raise ValueError(
                    f"n={n!r} is not allowed: an ensemble of {n_lanes} learners has 1 to {n_lanes} shards."
                )
        except BaseException:
            self.close()
            raise

    def _configure(
        self,
        n: int,
        engine: str,
        folder: str | os.PathLike[str] | None,
        every: int,
        chunk_rows: int,
        window: int | None,
        address: str | None,
        sync: bool = True,
    ) -> None:
        window = n + 4 if window is None else window
        for name, value in (("n", n), ("every", every), ("chunk_rows", chunk_rows), ("window", window)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name}={value!r} is not allowed: it must be a whole number of at least 1.")
        if engine not in ENGINES:
            raise ValueError(
                f"engine={engine!r} is not allowed; choose one of {', '.join(map(repr, ENGINES))}."
            )
        self._temporary: str | None = None
        self._engine = make_engine(
            engine, **({"address": address, "folder": folder} if engine == "ray" else {})
        )
        if folder is None:
            memory = "/dev/shm"  # the log is how chunks reach the shards: it had better be in memory
            self._temporary = tempfile.mkdtemp(
                prefix="streamboost-", dir=memory if os.path.isdir(memory) and engine != "ray" else None
            )
        self._folder = Folder(self._temporary or os.fspath(folder or ""), sync=sync and folder is not None)
        self._n, self._every, self._chunk_rows, self._window = (
            int(n),
            int(every),
            int(chunk_rows),
            int(window),
        )
        self.stale_by = 0
        self._published: tuple[int, Any] | None = None
        self._closed = False  # from here on there is something to close

    def _take(self, model: Any) -> None:
        model._session_kind = partial(self._new_session, model)

    def _new_session(self, model: Any, *arguments: Any, **named: Any) -> ShardedSession:
        session = ShardedSession(*arguments, make_line=self._new_line, chunk_rows=self._chunk_rows, **named)
        session.model.started = lambda line: self._started(session, line)
        return session

    def _new_line(self, plan: Plan) -> ShardLine:
        lanes = even_lanes(plan.n_lanes, self._n, plan.grain())
        return ShardLine(plan, lanes, self._engine, self._folder, every=self._every, window=self._window)

    def _started(self, session: ShardedSession, line: ShardLine) -> None:
        line.line_complete = lambda: self._write_head(session, line)
        self._write_head(session, line)

    def _write_head(self, session: ShardedSession, line: ShardLine) -> None:
        arrays: dict[str, NDArray[Any]] = {}
        manifest = self.model._manifest(session, arrays)
        head = {
            "lanes": [list(lanes) for lanes in line.lanes],
            "next_seq": line.next_seq,
            "growth": line.uncommitted,
            "width": session.schema.width,
            "every": self._every,
            "chunk_rows": self._chunk_rows,
            "digest": line.plan.digest,
        }
        buffer = io.BytesIO()
        write_archive(buffer, {**manifest, "head": head}, arrays)
        self._folder.write(HEAD, buffer.getvalue())

    # Coming back.

    @classmethod
    def resume(
        cls,
        folder: str | os.PathLike[str],
        *,
        engine: str = "processes",
        window: int | None = None,
        address: str | None = None,
    ) -> Self:
        """Go on with what a folder holds: every chunk that was logged is learned, whoever was killed.

        `n_learned` says how many examples that are; the source goes on after them.

        Parameters
        ----------
        folder : str or path
            The folder of the shards.
        engine, window, address
            As for a new one.

        Returns
        -------
        Shards
        """
        found = Folder(os.fspath(folder))
        if HEAD not in found.names():
            raise FileNotFoundError(f"{os.fspath(folder)} holds no shards: there is no file {HEAD!r} in it.")
        raw, arrays = read_archive(io.BytesIO(found.read(HEAD)))
        head = raw.pop("head", None)
        if not isinstance(head, dict):
            raise ModelFileError(f"{os.fspath(folder)}: the head of the shards is damaged.")
        shards = cls.__new__(cls)
        shards._configure(
            len(head["lanes"]), engine, os.fspath(folder), head["every"], head["chunk_rows"], window, address
        )
        try:
            shards._resume(raw, arrays, head)
        except BaseException:
            shards.close()
            raise
        return shards

    def _resume(self, raw: dict[str, Any], arrays: dict[str, NDArray[Any]], head: dict[str, Any]) -> None:
        manifest = Manifest.read(raw)
        self.model = rebuild(manifest, arrays)
        self._take(self.model)
        # Room for the columns, as a file has it for the arrays that come with it.
        room = {"columns": np.empty(int(head["width"]), np.float64)}
        session: ShardedSession = self.model._new_session(
            manifest.seed,
            self.model._stored_labels(manifest),
            schema_of(manifest.columns, room),
        )
        session.warned.unscaled, session.metadata = manifest.warned, manifest.metadata
        plan = Plan(session.plan)
        if plan.digest != head["digest"]:
            raise ModelFileError(f"{self._folder.url}: the shards are of a model with other parameters.")
        line = self._new_line(plan)
        line.lanes = [(int(begin), int(end)) for begin, end in head["lanes"]]
        check_lanes(line.lanes, plan.n_lanes)
        next_seq = head["next_seq"]
        growths = list(head["growth"])
        names = set(self._folder.names())
        while log_name(next_seq) in names:
            growths.append(read_record(self._folder.read(log_name(next_seq)))[0])
            next_seq += 1
        for entry in growths:
            growth, labels = read_growth(entry)
            session.schema.commit(growth)
            session.labels.extend(labels)
        line.resume(next_seq)
        model: ShardedModel = session.model
        model.attach(line)
        session._reserved = model.n_learned > 0
        self.model.take_session(session)
        line.line_complete = lambda: self._write_head(session, line)
        self._write_head(session, line)

    # Single rows that are held back and sent together, for who teaches many of them: the service.

    def hold(self) -> None:
        """Send the rows of `learn_one` from now on together, with the next `promised`; does nothing before the first row."""
        if self.model.started:
            self.model.session.model.hold()

    def promised(self) -> list[NDArray[np.float64]]:
        """Send what is held, and wait for the answers before each row since the last time: probabilities, then the code."""
        found: list[NDArray[np.float64]] = self.model.session.model.promised()
        return found

    def known_labels(self) -> tuple[NDArray[np.intp], list[Any], list[Any]]:
        """Return the labels known so far: codes in the order of ``classes_``, labels in that order, labels by code."""
        labels = self.model.session.labels
        return labels.order, labels.classes.tolist(), labels.book.values

    @property
    def broken(self) -> bool:
        """Whether the shards cannot come back."""
        return self.model.started and self.model.session.model.broken is not None

    # Learning.

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        pending: PendingAnswers | None = None,
    ) -> Self:
        """Learn some more rows; returns when they are logged and on their way. `pending` is of :meth:`predict_pending`."""
        given = {"classes": classes, "pending": pending}
        more = {name: value for name, value in given.items() if value is not None}
        self._open().partial_fit(X, y, sample_weight=sample_weight, **more)
        return self

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str | None = None,
        *,
        pending: LateRecords | None = None,
    ) -> Any:
        """Answer for each row before learning it; `classes`, `output` and `pending` as the model has them."""
        given = {"classes": classes, "output": output, "pending": pending}
        more = {name: value for name, value in given.items() if value is not None}
        return self._open().test_then_train(X, y, sample_weight=sample_weight, **more)

    def learn_one(self, x: Any, y: Any, **options: Any) -> Self:
        """Learn one row."""
        self._open().learn_one(x, y, **options)
        return self

    # Answering.

    def predict(self, X: Any, *, stale: str | None = None) -> NDArray[Any]:
        """Return the most likely label of each row, after all chunks so far.

        Parameters
        ----------
        X : array, sparse matrix or frame
            The rows.
        stale : "ok", optional
            Answer from the last published copy instead, without waiting for the shards; `stale_by` says how old it is.

        Returns
        -------
        array
        """
        labels: NDArray[Any] = self._reader(stale).predict(X)
        return labels

    def predict_proba(self, X: Any, *, stale: str | None = None) -> NDArray[np.float64]:
        """Return the probability of each class in ``classes_``, one row per row of `X`; `stale` as in :meth:`predict`."""
        proba: NDArray[np.float64] = self._reader(stale).predict_proba(X)
        return proba

    def predict_pending(self, X: Any) -> PendingAnswers:
        """Answer rows whose truth comes later: hand the result back to :meth:`partial_fit`."""
        answers: PendingAnswers = self._open().predict_pending(X)
        return answers

    def decision_function(self, X: Any, *, stale: str | None = None) -> NDArray[np.float64]:
        """Return scores; `stale` as in :meth:`predict`."""
        scores: NDArray[np.float64] = self._reader(stale).decision_function(X)
        return scores

    def test_then_train_one(self, x: Any, y: Any, **options: Any) -> Any:
        """Answer for one row, then learn it."""
        return self._open().test_then_train_one(x, y, **options)

    def predict_one(self, x: Any) -> Any:
        """Return the most likely label of one row."""
        return self._open().predict_one(x)

    def _reader(self, stale: str | None) -> Any:
        if stale is None:
            return self._open()
        if stale != "ok":
            raise ValueError(f"stale={stale!r} is not allowed: give None or 'ok'.")
        self._open()
        session = self.model.session
        line = None if session is None else session.model.line
        if line is None:
            return self.model
        lines = complete_lines(self._folder.names(), line.lanes)
        if self._published is None or self._published[0] != lines[-1]:
            self._published = lines[-1], self._joined(lines[-1], session, line)
        reader = self._published[1]
        if reader is None:  # too young to tell, or from before a column appeared
            self.stale_by = 0
            return self.model
        self.stale_by = session.model.n_learned - reader.session.model.n_learned
        return reader

    def _joined(self, next_seq: int, session: ShardedSession, line: ShardLine) -> Any:
        """Return the model of a line of snapshots, in this process; None if it cannot answer rows of today."""
        states, room = [], None
        for lanes in line.lanes:
            name = line_name(next_seq, lanes)
            shard, arrays = read_line(self._folder.read(name), line.plan, lanes, name)
            room, state = state_of_line(shard, arrays)
            states.append(state)
        if room is None or len(room[0]) != session.schema.width or not room[1]:
            return None
        n_values, n_classes, declared, first_width = room
        cls: Any = type(self.model)
        reader = cls.__new__(cls)
        reader.__dict__.update(
            {n: v for n, v in self.model.__dict__.items() if n not in ("_session", "_session_kind")}
        )
        own = line.plan.whole()
        if first_width < len(n_values):
            own.reserve(n_values[:first_width], n_classes, declared)
        own.reserve(n_values, n_classes, declared)
        own.restore(join_states(states))
        reader.take_session(session.snapshot_of(own, n_classes))
        return reader

    # The whole.

    keeps_records = True
    """Late labels teach by the answers that were given, in the evaluation too."""

    @property
    def task(self) -> str:
        """What the model predicts: "classification", "regression" or "multilabel"."""
        task: str = self.model._entry.task
        return task

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels known so far, sorted."""
        classes: NDArray[Any] = self._open().classes_
        return classes

    @property
    def n_learned(self) -> int:
        """Examples learned, or logged and on their way."""
        session = self.model.session
        return 0 if session is None else int(session.model.n_learned)

    @property
    def lanes(self) -> list[tuple[int, int]]:
        """Which learners each shard has; empty before the first row."""
        line = self._line()
        return [] if line is None else list(line.lanes)

    def pids(self) -> list[int]:
        """Return the process of each shard; empty before the first row."""
        return [] if self._line() is None else self._engine.pids()

    @property
    def alive(self) -> int:
        """Shards that are running; 0 before the first row."""
        return self._engine.alive()

    @property
    def losses(self) -> int:
        """How often shards were lost and came back."""
        line = self._line()
        return 0 if line is None else line.losses

    def _line(self) -> ShardLine | None:
        session = self.model.session
        return None if session is None else session.model.line

    def drain(self) -> None:
        """Wait until everything that was sent is learned."""
        line = self._line()
        if line is not None:
            line.drain()

    def scale(self, n: int) -> Self:
        """Go on with `n` shards: what is on its way is learned, then the shards are joined and cut anew. The same bits."""
        self._open()
        line = self._line()
        if line is None:
            even_lanes(self.model._n_lanes(), n)
            self._n = n
            return self
        lanes = even_lanes(line.plan.n_lanes, n, line.plan.grain())
        with self.model.session.writing:
            self._n = n
            line.scale(lanes)
        return self

    def checkpoint(self) -> None:
        """Let every shard write its state now."""
        line = self._line()
        if line is not None:
            with self.model.session.writing:
                line.checkpoint()

    def report(self) -> Any:
        """Return the report of the whole model."""
        return self._open().report()

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the model that one process would have written, byte for byte; options as of the model's own `save`."""
        self._open().save(path, **options)

    def memory_bytes(self) -> int:
        """Return the memory of all shards."""
        return int(self._open().memory_bytes())

    def to_model(self) -> Any:
        """Join the shards into the plain estimator, which goes on exactly where they stop."""
        model = self._open()
        if not model.started:
            return type(model)(**model.get_params(deep=False))
        raw, arrays = _archive_of(model)
        return restore(raw, arrays)

    def _open(self) -> Any:
        if self._closed:
            raise RuntimeError(
                "these shards are closed; Shards.resume goes on with those that have a folder."
            )
        return self.model

    def close(self, *, keep: bool = True) -> None:
        """End every shard. What was learned stays in the folder, if one was given and `keep` does not say otherwise."""
        if self._closed:
            return
        self._closed = True
        line = self._line() if "model" in self.__dict__ else None
        try:
            if keep and line is not None and self._temporary is None and line.next_seq:
                line.checkpoint()
        finally:
            self._engine.close()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def __del__(self) -> None:
        """Leave no process behind."""
        if not self.__dict__.get("_closed", True):
            self._closed = True
            self._engine.close()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)


def _archive_of(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return manifest and arrays of a model, as its file has them."""
    return read_archive(io.BytesIO(model.to_bytes()))
