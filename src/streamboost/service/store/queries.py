"""Read-only queries, which do not disturb the writer."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from streamboost.service.store import replay
from streamboost.service.store.candidates import Candidate
from streamboost.service.store.database import Database
from streamboost.service.store.errors import BadRequest, Conflict, Refused
from streamboost.service.store.joins import State
from streamboost.service.store.records import Kind, decode_body
from streamboost.service.store.streams import Stream

STATES = {"waiting": State.WAITING, "early": State.EARLY, "late": State.LATE, "unmatched": State.UNMATCHED}
LISTS = (*STATES, "poison", "learned", "command")


def describe(stream: Stream, db: Database) -> dict[str, Any]:
    """What a model is and how it stands."""
    waiting = db.rows(
        "SELECT state, count(*) FROM ids WHERE model=? AND state!=2 AND state<2 GROUP BY state",
        (stream.number,),
    )
    by_state = {State(state): n for state, n in waiting}
    return {
        "name": stream.name,
        "seq": stream.champion.reader.seq,
        "keep_events_s": stream.keep_events_s,
        "limits": msgspec.to_builtins(stream.limits),
        "counts": dict(stream.counts),
        "waiting": {"events": by_state.get(State.WAITING, 0), "labels": by_state.get(State.EARLY, 0)},
        "reach": replay.reach(db, stream.leads, stream.champion.reader.seq),
        "champion": candidate(stream.champion),
        "shadows": [candidate(shadow) for shadow in stream.shadows],
    }


def candidate(found: Candidate) -> dict[str, Any]:
    """One candidate in short."""
    error, recent = found.scores.error()
    model = found.reader.model
    return {
        "name": found.name,
        **msgspec.to_builtins(msgspec.structs.asdict(found.description)),
        "task": found.scores.task,
        "examples": found.scores.n,
        "learned": 0 if model is None else int(model.n_learned_),
        "memory_bytes": found.memory(),
        "error": error,
        "recent_error": recent,
        **({} if found.shards is None else {"shards": found.shards.describe()}),
    }


def scores(stream: Stream, window: int) -> dict[str, Any]:
    """How the champion does, and its shadows."""
    return {
        "seq": stream.champion.reader.seq,
        **stream.champion.scores.values(window),
        "shadows": {shadow.name: shadow.scores.values(window) for shadow in stream.shadows},
    }


def report(stream: Stream) -> dict[str, Any]:
    """The report of the library about the champion, in JSON's numbers."""
    reader = stream.champion.reader
    if reader.model is None:
        raise Conflict(f"The model {stream.name!r} has learned nothing yet.")
    if not hasattr(reader.model, "report"):
        raise Conflict(f"The model {stream.name!r} is a bandit, which has no report.")
    found: dict[str, Any] = finite({"seq": reader.seq, **reader.model.report().to_dict()})
    return found


def finite(value: Any) -> Any:
    """The same with None where a number is not finite."""
    if isinstance(value, dict):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def events(stream: Stream, db: Database, state: str, limit: int) -> list[dict[str, Any]]:
    """Records that wait or were put aside, newest first."""
    if state not in LISTS:
        raise BadRequest(f"state is {state[:40]!r}; it must be one of {', '.join(LISTS)}.", field="state")
    if not 1 <= limit <= 1_000:
        raise BadRequest(f"limit is {limit}; it must lie between 1 and 1,000.", field="limit")
    if state in STATES:
        rows = db.rows(
            "SELECT ids.seq, log.at, log.kind, ids.id, log.body FROM ids LEFT JOIN log ON log.seq=ids.seq "
            "WHERE ids.model=? AND ids.state=? AND ids.state!=2 ORDER BY ids.seq DESC LIMIT ?",
            (stream.number, int(STATES[state]), limit),
        )
    else:
        where = {"poison": "kind=5", "learned": "learns=1", "command": "kind=4"}[state]
        rows = db.rows(
            f"SELECT seq, at, kind, id, body FROM log WHERE model=? AND {where} ORDER BY seq DESC LIMIT ?",
            (stream.number, limit),
        )
    return [entry(*row) for row in rows]


LOOKED_AT = 500
"""Waiting events, the newest, among which those are chosen that deserve a label most."""


def label_wishes(stream: Stream, db: Database, limit: int) -> dict[str, Any]:
    """The waiting events that the model is least sure of now, newest first, and the labels that it knows."""
    if not 1 <= limit <= 100:
        raise BadRequest(f"limit is {limit}; it must lie between 1 and 100.", field="limit")
    stream.check_classifies()
    reader, found = stream.champion.reader, []
    for event in events(stream, db, "waiting", LOOKED_AT):
        try:
            answer = reader.answer(event["features"])
        except (Refused, KeyError):  # one that the model cannot read, or that has just been dropped
            continue
        told = {text(label): p for label, p in answer.probabilities.items()}
        sure = max(told.values(), default=0.0) if len(told) > 1 else 0.0
        event["answer"] = {"label": answer.label, "probabilities": told, "seq": answer.seq}
        found.append(
            {name: event[name] for name in ("seq", "at", "id", "features", "answer")} | {"confidence": sure}
        )
    chosen = sorted(found, key=lambda event: (event["confidence"], -event["seq"]))[:limit]
    known = (
        reader.model.classes_.tolist()
        if reader.model is not None
        else list(stream.champion.description.classes or ())
    )
    return {
        "seq": reader.seq,
        "labels": known,
        "events": sorted(chosen, key=lambda event: -int(event["seq"])),
    }


def entry(seq: int, at: float | None, kind: int | None, id: str | None, body: bytes | None) -> dict[str, Any]:
    """One record as JSON."""
    found: dict[str, Any] = {
        "seq": seq,
        "at": at,
        "kind": None if kind is None else Kind(kind).name.lower(),
        "id": id,
    }
    if body is None:
        return found
    if kind == Kind.COMMAND:
        return found | {"command": msgspec.json.decode(body)}
    read = decode_body(body)
    answer = None
    if read.answer is not None:
        answer = {
            "label": read.answer.label,
            "probabilities": read.answer.probabilities,
            "seq": read.answer.seq,
        }
        answer["probabilities"] = {text(key): p for key, p in read.answer.probabilities.items()}
        if read.answer.chance is not None:
            answer["probability"] = read.answer.chance
    return found | {
        "features": read.features,
        "label": read.label,
        "weight": read.weight,
        "answer": answer,
        "partner": read.partner,
        "delay_s": read.delay,
        "reason": read.reason,
    }


def text(label: Any) -> str:
    """A label as a key in JSON."""
    return {True: "true", False: "false"}[label] if isinstance(label, bool) else str(label)
