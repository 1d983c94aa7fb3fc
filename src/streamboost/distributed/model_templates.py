"""Thousands of small models that look alike: what is the same in many of them is kept once.

A *template* is an untaught model with the columns and labels that the models of many keys have. A model is made by copying one,
and wakes by copying it and filling in its numbers, instead of being built and checked from its file. When a model meets a new
label, column or value, the next template is known from the models that went the same way before it. Most models are nothing but
their numbers in the core: template and numbers together learn and answer, and an estimator is made when somebody needs one. Only
the way is short: what is learned is what the model alone would have learned, bit for bit, and whatever is unusual takes the long
way.

    text     = the manifest of a model file, without arrays; equal texts have the same template
    numbers  = the core's state with a checksum (core: run/packed.hpp)
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from streamboost import _core
from streamboost.base.estimator import with_session
from streamboost.base.files.archive import FORMAT, FORMAT_VERSION, parse_json, read_archive
from streamboost.base.files.manifest import Manifest
from streamboost.base.session import JUDGED_AFTER, Session, looks_back
from streamboost.models import rebuild, restore

MOST = 256
"""ModelTemplates that are kept, and ways from one to the next."""
MOST_BYTES = 2**22
"""Larger models have none: that many templates would not fit into memory."""
_NUMBERS = frozenset((float, int))


class ModelTemplate:
    """An untaught model with some columns and labels."""

    __slots__ = ("fast", "model", "nominal", "room", "session", "text")

    def __init__(self, text: bytes, model: Any, session: Session) -> None:
        session.refresh_fast()
        self.text, self.model, self.session, self.fast = text, model, session, session.fast
        self.room = session.room()
        schema = session.schema
        self.nominal = {str(name) for name, i in schema.index.items() if schema.books[i] is not None}

    def estimator_of(self, core: _core.Model) -> Any:
        """Return the estimator of a model that was made here."""
        session = self.session.twin(core)
        session.judged = core.n_learned >= JUDGED_AFTER
        return with_session(self.model, session)

    def reads(self, x: Mapping[Any, Any]) -> bool:
        """Whether models of this template take a row by the short way."""
        return self.fast is not None and self.fast.reads(x)

    def fits(self, session: Session) -> bool:
        """Whether a model that was made here has discovered nothing since."""
        mine = self.session
        return (
            session.labels is mine.labels
            and session.schema is mine.schema
            and session.warned.unscaled == mine.warned.unscaled
        )


class KeyedModel:
    """A model: a template and numbers, or an estimator, and then the template that it fits, if that is known."""

    __slots__ = ("core", "estimator", "given", "template")

    def __init__(
        self, estimator: Any | None, template: ModelTemplate | None = None, core: _core.Model | None = None
    ) -> None:
        self.estimator, self.template, self.core = estimator, template, core
        self.given = False  # somebody else has the estimator

    @property
    def model(self) -> Any:
        """The estimator, which is made now if there was none."""
        if self.estimator is None:
            self.estimator, self.core = self.template.estimator_of(self.core), None  # type: ignore[union-attr, arg-type]
        return self.estimator

    @property
    def started(self) -> bool:
        """Whether it has learned anything."""
        return self.estimator is None or self.estimator.started

    def memory_bytes(self) -> int:
        """Return the size of its learned state."""
        state = self.estimator if self.core is None else self.core
        return 0 if state is None else int(state.memory_bytes())

    def drop_estimator(self) -> None:
        """Be a template and numbers again, if there is nothing to know beyond them."""
        session, template = None if self.estimator is None else self.estimator.session, self.template
        if (
            self.given
            or session is None
            or template is None
            or template.fast is None
            or not template.fits(session)
        ):
            return
        warned = session.warned
        if session.fast is not None and not (warned.capped or warned.memory_limit or warned.no_memory):
            self.core, self.estimator = session.model, None

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each label for one row."""
        if self.core is not None and self.template is not None and self.template.fast is not None:
            found = self.template.fast.predict_proba_in(self.core, x)
            if found is not NotImplemented:
                proba: dict[Any, float] = found
                return proba
        answer: dict[Any, float] = self.model.predict_proba_one(x)
        return answer

    def learn_fast(self, x: Mapping[Any, Any], y: Any) -> bool:
        """Learn one row by the short way, if it is as usual."""
        if self.core is None or self.template is None or self.template.fast is None:
            return bool(self.model._learn_fast(x, y))
        n_learned = self.template.fast.learn_in(self.core, x, y)
        judged = n_learned > JUDGED_AFTER
        if looks_back(n_learned, judged):
            session = self.model.session
            session.judged = judged
            self.model._look_back(session)
        return n_learned > 0

    def grow(self, after: ModelTemplate) -> None:
        """Have the columns and labels of another template: this one's and more. The row that brings them is next."""
        if not self.started:
            self.core, self.estimator = after.session.model.clone(), None
        elif self.core is not None:
            self.core.reserve(*after.room)
        else:
            session = self.model.session
            with session.writing:
                session.grow_like(after.session, after.room)
        self.template = after

    def as_made(self) -> bool:
        """Whether it has discovered nothing that its template does not have."""
        return self.core is not None or (self.template is not None and self.template.fits(self.model.session))

    def numbers(self) -> bytes | None:
        """Return the numbers of a model without an estimator."""
        return None if self.core is None else self.core.packed()


class ModelTemplates:
    """The model_templates of models with the parameters of one."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._by_text: dict[bytes, ModelTemplate] = {}
        # What was met once only: a template is made the second time.
        self._once: set[bytes] = set()
        self._after: dict[tuple[Any, ...], ModelTemplate | None] = {}
        self._large = False  # models are
        self._nominal = frozenset(map(str, model.categorical_features or ()))

    # To the store and back.

    def pack(self, keyed_model: KeyedModel) -> tuple[bytes, bytes]:
        """Return text and numbers of a model; without a text the numbers are a model file."""
        numbers = keyed_model.numbers()
        if numbers is not None and keyed_model.template is not None:
            return keyed_model.template.text, numbers
        return keyed_model.model._read(lambda session: self._packed(keyed_model, session), fitted=False)  # type: ignore[no-any-return]

    def _packed(self, keyed_model: KeyedModel, session: Session) -> tuple[bytes, bytes]:
        session.settle()
        template, model = keyed_model.template, keyed_model.model
        if template is not None and template.fits(session):
            return template.text, session.model.packed()
        arrays: dict[str, Any] = {}
        text = _text(model, session, arrays)
        if arrays:  # parameters that are arrays: a file holds them
            return b"", bytes(model._file_bytes(session, None))
        return text, session.model.packed()

    def unpack(self, text: bytes, numbers: bytes) -> KeyedModel:
        """Return a model from the store."""
        if not text:
            return KeyedModel(restore(*read_archive(io.BytesIO(numbers))))
        template = self._by_text.get(text)
        if template is None and text in self._once:
            template = self._make_template(text, numbers)
        if template is not None:
            return KeyedModel(None, template, template.session.model.unpacked(numbers))
        if len(self._once) >= 16 * MOST:
            self._once.clear()
        self._once.add(text)
        return KeyedModel(restore(parse_json(text), _core.unpack_state(numbers)))

    def _make_template(self, text: bytes, numbers: bytes) -> ModelTemplate | None:
        """Return the template of a text; None if its models must be brought up to date one by one, or are large."""
        if self._large:
            return None
        manifest = Manifest.read(parse_json(text))
        model = rebuild(manifest, {})
        session = model._reserved(manifest, _core.unpack_state(numbers))
        if manifest.learner_version != session.learner.version:
            return None
        self._large = session.model.memory_bytes() > MOST_BYTES
        if self._large:
            return None
        session.refresh_fast()
        if len(self._by_text) >= MOST:
            self._by_text.pop(next(iter(self._by_text)))
        template = self._by_text[text] = ModelTemplate(text, model, session)
        return template

    # Learning.

    def learn(self, keyed_model: KeyedModel, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        """Let a model learn one row."""
        if weight == 1.0 and (keyed_model.learn_fast(x, y) or self._learn_by_template(keyed_model, x, y)):
            return
        before, known = keyed_model.template, not keyed_model.started or keyed_model.template is not None
        keyed_model.model.learn_one(x, y, weight)
        if known and weight == 1.0:
            self._remember(keyed_model, before, x, y)
        keyed_model.drop_estimator()

    def _way(self, before: ModelTemplate | None, x: Mapping[Any, Any], y: Any) -> tuple[Any, ...] | None:
        """Return what decides how a row changes the columns and labels of a model: all but the sizes of its numbers."""
        nominal, declared = () if before is None else before.nominal, self._nominal
        kinds, values = tuple(map(type, x.values())), None
        if nominal or declared or not _NUMBERS.issuperset(kinds):
            values = tuple(
                v if kind in (str, bool) or str(name) in nominal or str(name) in declared else None
                for (name, v), kind in zip(x.items(), kinds, strict=True)
            )
        way = before, y.__class__, y, tuple(x), kinds, values
        try:
            hash(way)
        except TypeError:  # the usual way raises the error that says what is wrong
            return None
        return way

    def _learn_by_template(self, keyed_model: KeyedModel, x: Mapping[Any, Any], y: Any) -> bool:
        """Learn a row that brings something new, if others have brought the same; else touch nothing."""
        if keyed_model.started and not keyed_model.as_made():
            return False
        way = self._way(keyed_model.template, x, y)
        after = None if way is None else self._after.get(way)
        if after is None or not after.reads(x):
            return False
        keyed_model.grow(after)
        return keyed_model.learn_fast(x, y)

    def _remember(
        self, keyed_model: KeyedModel, before: ModelTemplate | None, x: Mapping[Any, Any], y: Any
    ) -> None:
        """A model has learned a row the long way: from the second time on there is a template for what it has become."""
        session = keyed_model.model.session
        if session is None or (before is not None and before.fits(session)):
            return
        keyed_model.template = None
        if session.schema.words:  # there is no short way, and each row's texts would be kept for nothing
            return
        way = self._way(before, x, y)
        if way is None or self._after.get(way) is not None:
            return
        if way not in self._after:
            if len(self._after) < MOST:
                self._after[way] = None
            return
        arrays: dict[str, Any] = {}
        text = _text(keyed_model.model, session, arrays)
        template = (
            None if arrays else self._by_text.get(text) or self._make_template(text, session.model.packed())
        )
        if template is not None:
            self._after[way] = keyed_model.template = template
            with session.writing:
                session.share_maps(template.session)


def _text(model: Any, session: Session, arrays: dict[str, Any]) -> bytes:
    manifest = model._manifest(session, arrays)
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest, "arrays": {}}
    return json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
