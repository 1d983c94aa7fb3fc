"""Thousands of small models that look alike: what is the same in many of them is kept once.

A *mould* is an untaught model with the columns and labels that the models of many keys have. A model is made by copying a mould,
and wakes by copying it and filling in its numbers, instead of being built and checked from its file. When a model meets a new
label, column or value, the next mould is known from the models that went the same way before it. Only the way is short: what is
learned is what the model alone would have learned, bit for bit, and whatever is unusual takes the long way.

    stored model = "SBM1", length of the text, its CRC-32, text, numbers
        text     = the manifest of a model file, without arrays; equal texts have the same mould
        numbers  = the core's state with a checksum (core: run/packed.hpp)
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from streamboost import _core
from streamboost.base.files.archive import (
    FORMAT,
    FORMAT_VERSION,
    ModelFileError,
    parse_json,
    read_archive,
)
from streamboost.base.files.manifest import Manifest
from streamboost.base.session import JUDGED_AFTER, Session
from streamboost.models import rebuild, restore

MOST = 256
"""Moulds that are kept, and ways from one to the next."""
_HEAD = struct.Struct("<4sII")
_MAGIC = b"SBM1"


class Mould:
    """An untaught model with some columns and labels."""

    __slots__ = ("model", "nominal", "room", "session", "text")

    def __init__(self, text: bytes, model: Any, session: Session) -> None:
        self.text, self.model, self.session = text, model, session
        self.room = session.room()
        schema = session.schema
        self.nominal = {str(name) for name, i in schema.index.items() if schema.books[i] is not None}

    def fresh(self) -> Any:
        """Return an untaught model."""
        return with_session(self.model, self.session.twin(self.session.model.clone()))

    def woken(self, numbers: bytes) -> Any:
        """Return the model with these numbers."""
        session = self.session.twin(self.session.model.unpacked(numbers))
        session.judged = session.model.n_learned >= JUDGED_AFTER
        return with_session(self.model, session)

    def reads(self, x: Mapping[Any, Any]) -> bool:
        """Whether models of this mould take a row by the short way."""
        fast = self.session.fast
        if fast is None:
            return False
        fast.checked(_core.parameter_changes())  # nobody but this module has the mould's parameters
        return fast.predict(x) is not NotImplemented

    def fits(self, session: Session) -> bool:
        """Whether a model that was made here has discovered nothing since."""
        mine = self.session
        return (
            session.labels is mine.labels and session.schema is mine.schema and session.warned == mine.warned
        )


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


class Shaped:
    """A model, and the mould that it fits, if that is known."""

    __slots__ = ("model", "mould")

    def __init__(self, model: Any, mould: Mould | None = None) -> None:
        self.model, self.mould = model, mould


class Moulds:
    """The moulds of models with the parameters of one."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._by_text: dict[bytes, Mould] = {}
        self._once: set[bytes] = (
            set()
        )  # texts that were met one time: a mould is worth its price from the second on
        self._after: dict[tuple[Any, ...], Mould | None] = {}  # None: this way was gone one time
        self._nominal = frozenset(map(str, model.categorical_features or ()))

    # To the store and back.

    def pack(self, shaped: Shaped) -> bytes:
        """Return a model as it is stored."""
        return shaped.model._read(lambda session: self._packed(shaped, session), fitted=False)  # type: ignore[no-any-return]

    def _packed(self, shaped: Shaped, session: Session) -> bytes:
        session.settle()
        mould, model = shaped.mould, shaped.model
        if mould is not None and mould.fits(session):
            text = mould.text
        else:
            arrays: dict[str, Any] = {}
            text = _text(model, session, arrays)
            if arrays:  # parameters that are arrays: a file holds them
                return bytes(model._file_bytes(session, None))
        return _HEAD.pack(_MAGIC, len(text), zlib.crc32(text)) + text + session.model.packed()

    def unpack(self, data: bytes) -> Shaped:
        """Return a model from the store."""
        if not data.startswith(_MAGIC):  # a model file
            return Shaped(restore(*read_archive(io.BytesIO(data))))
        if len(data) < _HEAD.size:
            raise ModelFileError("a stored model is cut short")
        _, n, checksum = _HEAD.unpack_from(data)
        text, numbers = data[_HEAD.size : _HEAD.size + n], data[_HEAD.size + n :]
        if zlib.crc32(text) != checksum:
            raise ModelFileError("a stored model is damaged: its checksum is wrong")
        mould = self._by_text.get(text)
        if mould is None and text in self._once:
            mould = self._cast(text, len(numbers))
        if mould is not None:
            return Shaped(mould.woken(numbers), mould)
        if len(self._once) >= 16 * MOST:
            self._once.clear()
        self._once.add(text)
        return Shaped(restore(parse_json(text), _core.unpack_state(numbers)))

    def _cast(self, text: bytes, n_bytes: int) -> Mould | None:
        """Return the mould of a text; None if its models must be brought up to date one by one."""
        manifest = Manifest.read(parse_json(text))
        model = rebuild(manifest, {})
        session = model._reserved(manifest, {"numbers": np.empty(n_bytes // 8)})
        if manifest.learner_version != session.learner.version:
            return None
        session.refresh_fast()
        if len(self._by_text) >= MOST:
            self._by_text.pop(next(iter(self._by_text)))
        mould = self._by_text[text] = Mould(text, model, session)
        return mould

    # Learning.

    def learn(self, shaped: Shaped, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        """Let a model learn one row."""
        if weight == 1.0 and (shaped.model._learn_fast(x, y) or self._learn_by_mould(shaped, x, y)):
            return
        before, model = shaped.mould, shaped.model
        known = model._session is None or before is not None
        model.learn_one(x, y, weight)
        if known and weight == 1.0:
            self._remember(shaped, before, x, y)

    def _way(self, before: Mould | None, x: Mapping[Any, Any], y: Any) -> tuple[Any, ...] | None:
        """Return what decides how a row changes the columns and labels of a model: all but the sizes of its numbers."""
        nominal, declared = () if before is None else before.nominal, self._nominal
        cells = tuple(
            (
                name,
                v.__class__,
                v if v.__class__ in (str, bool) or str(name) in nominal or str(name) in declared else None,
            )
            for name, v in x.items()
        )
        way = before, y.__class__, y, cells
        try:
            hash(way)
        except TypeError:  # the long way says what is wrong with it
            return None
        return way

    def _learn_by_mould(self, shaped: Shaped, x: Mapping[Any, Any], y: Any) -> bool:
        """Learn a row that brings something new, if others have brought the same; else touch nothing."""
        session = shaped.model._session
        if session is not None and (shaped.mould is None or not shaped.mould.fits(session)):
            return False
        way = self._way(shaped.mould, x, y)
        after = None if way is None else self._after.get(way)
        if after is None or not after.reads(x):
            return False
        if session is None:
            shaped.model = after.fresh()
        else:
            with session.writing:
                session.grow_like(after.session, after.room)
        shaped.mould = after
        return bool(shaped.model._learn_fast(x, y))

    def _remember(self, shaped: Shaped, before: Mould | None, x: Mapping[Any, Any], y: Any) -> None:
        """A model has learned a row the long way: from the second time on there is a mould for what it has become."""
        session = shaped.model._session
        if session is None or (before is not None and before.fits(session)):
            return
        shaped.mould = None
        way = self._way(before, x, y)
        if way is None or self._after.get(way) is not None:
            return
        if way not in self._after:
            if len(self._after) < MOST:
                self._after[way] = None
            return
        arrays: dict[str, Any] = {}
        text = _text(shaped.model, session, arrays)
        mould = None if arrays else self._by_text.get(text) or self._cast(text, shaped.model.memory_bytes())
        if mould is not None:
            self._after[way] = shaped.mould = mould
            with session.writing:
                session.share_maps(mould.session)


def _text(model: Any, session: Session, arrays: dict[str, Any]) -> bytes:
    manifest = model._manifest(session, arrays)
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest, "arrays": {}}
    return json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
