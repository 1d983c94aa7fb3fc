"""predict, label, learn, act and reward: one body, or a stream of lines that are answered line by line in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from streamboost.service.http import bodies
from streamboost.service.http.errors import TooLarge, as_dict
from streamboost.service.http.guard import BODY
from streamboost.service.store import LearningStore, Outcome, QueueFull, ReadOnly, StoreError, Work
from streamboost.service.store.candidates import Reader
from streamboost.service.store.errors import BadRequest, Conflict, OutOfMemory, Refused
from streamboost.service.store.estimators import BANDIT
from streamboost.service.store.queries import text
from streamboost.service.store.records import Answer, Kind
from streamboost.service.store.store import check, unknown_act

encode = msgspec.json.Encoder().encode
GROUP = 1_000
"""Lines that are recorded together at most."""
AHEAD = 8
"""Groups that may be on their way to the disk at once."""
UNREAD = 16_000_000
"""Bytes of answers that may wait for a client which sends everything before it reads anything."""


class Verb:
    """One of the verbs above, on one model."""

    def __init__(self, store: LearningStore, verb: str, model: str, reader: Reader | None = None) -> None:
        self.store, self.verb, self.model, self.reader = store, verb, model, reader
        stream = store.stream(model)
        self.limits = stream.limits
        if verb in ("act", "reward"):
            store.bandit(model)
        elif verb != "predict" and stream.champion.scores.task == BANDIT:
            raise Conflict(
                f"The model {model!r} is a bandit: it learns from rewards.",
                hint="POST .../act, then .../reward.",
            )

    def read(self, raw: bytes) -> Work:
        """A body as a record, or the answer itself where nothing is recorded: then ``id`` is None and ``answer`` is there."""
        if self.verb == "label":
            truth = bodies.read(raw, bodies.Truth)
            work = Work(Kind.LABEL, truth.id, None, truth.label, truth.weight)
        elif self.verb == "learn":
            example = bodies.read(raw, bodies.LabelledEvent)
            work = Work(Kind.EXAMPLE, example.id, example.features, example.label, example.weight)
        elif self.verb == "reward":
            reward = bodies.read(raw, bodies.Reward)
            if reward.reward not in (0, 1):
                raise BadRequest(
                    f"reward is {reward.reward}; it must be 1 (right) or 0 (wrong).", field="reward"
                )
            work = Work(Kind.LABEL, reward.id, None, int(reward.reward), reward.weight)
        elif self.verb == "act":
            shown = bodies.read(raw, bodies.Act)
            work = Work(Kind.EVENT, shown.id, shown.features)
        else:
            event = bodies.read(raw, bodies.Predict)
            work = Work(Kind.EVENT, event.id, event.features)
        check(work, self.limits)
        features, id = work.features, work.id
        if work.kind is not Kind.EVENT or features is None:
            return work
        reader = self.reader or self.store.reader(self.model)
        if id is None:
            work.answer = reader.answer(features)
            return work
        if self.verb == "act":
            return self.store.act_event(self.model, features, id, reader)
        if self.store.stream(self.model).champion.scores.task == BANDIT:
            raise Conflict(
                f"The model {self.model!r} is a bandit.", hint="With an id: POST .../act.", field="id"
            )
        return self.store.event(self.model, features, id, reader)

    def answer(self, work: Work, outcome: Outcome | None) -> dict[str, Any]:
        """The answer to the caller."""
        if work.kind is Kind.EVENT:
            return _predicted(work, outcome)
        assert outcome is not None
        if outcome.state == "poison":
            raise Refused(
                outcome.reason or "refused", hint=f"It was put aside as record {outcome.seq} and not learned."
            )
        if outcome.state == "unknown":
            raise unknown_act(work)
        if work.kind is Kind.LABEL:
            found: dict[str, Any] = {"seq": outcome.seq, "state": outcome.state}
        else:
            found = {
                "seq": outcome.seq,
                "duplicate": outcome.duplicate,
                "answer_before": _shown(outcome.answer),
            }
        if outcome.differs:
            found["differs"] = True
        return found

    async def one(self, raw: bytes) -> dict[str, Any]:
        """Record or answer a single body."""
        work = self.read(raw)
        if work.kind is Kind.EVENT and work.id is None:
            return self.answer(work, None)
        try:
            outcome = (await asyncio.wrap_future(self.store.submit(self.model, [work], checked=True)))[0]
        except ReadOnly:
            if work.kind is not Kind.EVENT:
                raise
            return self.answer(work, None)
        return self.answer(work, outcome)


def _predicted(work: Work, outcome: Outcome | None) -> dict[str, Any]:
    answer = (outcome.answer if outcome is not None else None) or work.answer or Answer()
    found = _shown(answer) | {"id": work.id}
    if work.id is not None:
        found["logged"] = outcome is not None and outcome.state != "late"
    if outcome is not None and outcome.duplicate:
        found["duplicate"] = True
        if outcome.differs:
            found["differs"] = True
    return found


def _shown(answer: Answer | None) -> dict[str, Any]:
    answer = answer or Answer()
    proba = {text(label): p for label, p in zip(answer.classes, answer.p, strict=True)}
    found = {"label": answer.label, "probabilities": proba, "seq": answer.seq}
    return found if answer.chance is None else {**found, "probability": answer.chance}


class Lines(Response):
    """The answer to a stream of lines. It is written while the lines come in."""

    media_type = "application/x-ndjson"

    def __init__(self, verb: Verb) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._verb = verb
        self._out: deque[bytes] = deque()
        self._unread = 0
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Three at once: lines come in and go to the store; answers come back; answers go out."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        waiting: asyncio.Queue[Any] = asyncio.Queue(AHEAD)
        tasks = [
            asyncio.create_task(self._take(receive, waiting)),
            asyncio.create_task(self._collect(waiting)),
            asyncio.create_task(self._send(send)),
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, receive: Receive, waiting: asyncio.Queue[Any]) -> None:
        async for group in _groups(receive):
            works: list[Work | StoreError] = []
            for raw in group:
                try:
                    works.append(_too_long() if len(raw) > BODY else self._verb.read(raw))
                except StoreError as error:
                    works.append(error)
                except MemoryError:
                    works.append(
                        OutOfMemory("There is not enough memory for this now.", hint="Send it again later.")
                    )
            to_record = [
                w for w in works if isinstance(w, Work) and not (w.kind is Kind.EVENT and w.id is None)
            ]
            await waiting.put((works, await self._submit(to_record) if to_record else None))
            await self._room.wait()
            await asyncio.sleep(0)
        await waiting.put(None)

    async def _submit(self, work: list[Work]) -> Any:
        """Hand over; a full queue is waited for: this is what slows the sender down."""
        while True:
            try:
                return asyncio.wrap_future(self._verb.store.submit(self._verb.model, work, checked=True))
            except QueueFull:
                await asyncio.sleep(0.02)
            except StoreError as error:
                return error

    async def _collect(self, waiting: asyncio.Queue[Any]) -> None:
        while (group := await waiting.get()) is not None:
            works, future = group
            failed: StoreError | None = future if isinstance(future, StoreError) else None
            outcomes: list[Outcome] = []
            if future is not None and failed is None:
                try:
                    outcomes = await future
                except StoreError as error:
                    failed = error
            following = iter(outcomes)
            lines = []
            for work in works:
                lines.append(encode(self._line(work, following, failed)))
            self._push(b"\n".join(lines) + b"\n")
        self._push(b"")

    def _line(self, work: Work | StoreError, outcomes: Any, failed: StoreError | None) -> dict[str, Any]:
        if isinstance(work, StoreError):
            return as_dict(work)
        if work.kind is Kind.EVENT and work.id is None:
            return self._verb.answer(work, None)
        if failed is not None:
            return self._verb.answer(work, None) if work.kind is Kind.EVENT else as_dict(failed)
        try:
            return self._verb.answer(work, next(outcomes))
        except StoreError as error:
            return as_dict(error)

    def _push(self, data: bytes) -> None:
        self._out.append(data)
        self._unread += len(data)
        if self._unread > UNREAD:
            self._room.clear()
        self._changed.set()

    async def _send(self, send: Send) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._out:
                data = self._out.popleft()
                await send({"type": "http.response.body", "body": data, "more_body": bool(data)})
                if not data:
                    return
                self._unread -= len(data)
                if self._unread <= UNREAD:
                    self._room.set()


def _too_long() -> StoreError:
    return TooLarge(f"The line is longer than {BODY:,} bytes.")


async def _groups(receive: Receive) -> AsyncIterator[list[bytes]]:
    """Whole lines as they come, in bounded memory; a line that is too long is cut, and so found too long."""
    rest = b""
    skipping = False
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
        *lines, rest = (rest + message.get("body", b"")).split(b"\n")
        if skipping and lines:
            lines[0], skipping = b"", False
        elif skipping:
            rest = b""
        if len(rest) > BODY:
            lines.append(rest)
            rest, skipping = b"", True
        if not more and rest:
            lines.append(rest)
        found = [line for line in lines if line.strip()]
        for start in range(0, len(found), GROUP):
            yield found[start : start + GROUP]
