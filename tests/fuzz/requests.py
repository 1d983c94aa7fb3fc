"""Requests to the service with bytes changed, put in or taken out, in paths, queries, types and bodies: answered, never a fault.

Every answer has a status below 500 and, where it is an error, the one form of errors; the writer is not hurt by any of them.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import warnings
from typing import Any

import httpx
import numpy as np

from streamboost.service.http import make_app
from streamboost.service.store import LearningStore

MODEL = {"model": "bagging", "learner": "naive-bayes", "params": {"n_estimators": 2}}
BANDIT = {"model": "bandit", "learner": "naive-bayes", "params": {"n_estimators": 2}, "classes": ["a", "b"]}
WORDS = {"model": "streamboost", "params": {"n_estimators": 2, "text_features": ["text"]}}
_ONE = {"id": "a1", "features": {"x": 1.5, "job": "clerk"}, "label": "yes"}
_SEEDS: list[tuple[str, str, Any]] = [
    ("POST", "/v1/models/m/learn", _ONE),
    ("POST", "/v1/models/m/predict?at_least_seq=1", {"id": "b1", "features": {"x": 1e308}}),
    ("POST", "/v1/models/m/label", {"id": "b1", "label": True, "weight": 0.5}),
    ("POST", "/v1/models", {"name": "other", **MODEL, "classes": ["a", 1], "limits": {"columns": 5}}),
    ("POST", "/v1/models/m/rollback", {"seq": 2}),
    ("POST", "/v1/models/m/shadows", {"name": "s", **MODEL}),
    ("POST", "/v1/models/m/promote", {"shadow": "s"}),
    ("POST", "/v1/models/m/classes", {"label": "maybe"}),
    ("POST", "/v1/models/m/explain", {"features": {"x": 1}}),
    ("POST", "/v1/models/m/snapshots", {}),
    ("POST", "/v1/models/b/act", {"id": "c1", "features": {"x": 1.5, "job": "clerk"}}),
    ("POST", "/v1/models/b/reward", {"id": "c0", "reward": 1, "weight": 0.5}),
    ("POST", "/v1/models/w/learn", {"features": {"text": "a prize for you", "x": 2}, "label": "yes"}),
    ("POST", "/v1/models/w/explain", {"features": {"text": "a \u00e9\ud83d\ude42 prize"}}),
    ("GET", "/v1/models/m/queries?limit=3", None),
    ("GET", "/v1/models/b", None),
    ("GET", "/v1/models/m/events?state=learned&limit=5", None),
    ("GET", "/v1/models/m/scores?window=10", None),
    ("GET", "/v1/models/m/file?seq=2", None),
    ("PUT", "/v1/models/m/file", None),
]
_PIECES = [
    b"\x00",
    b"\xff",
    b"null",
    b"-1",
    b"1e999",
    b"NaN",
    b"{",
    b"]",
    b'"',
    b",",
    b"\n",
    b"\\ud800",
    b"..",
    b"%00",
]
_PIECES.append(b"9" * 30)


def _mutant(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(4))):
        at = int(rng.integers(len(changed) + 1))
        cut = int(rng.integers(4))
        piece = _PIECES[int(rng.integers(len(_PIECES)))] if rng.random() < 0.7 else rng.bytes(3)
        changed[at : at + cut] = piece
    return bytes(changed)


class Requests:
    """One case is a service of its own and a few requests."""

    name = "requests"
    cases = 20

    def attack(self, number: int) -> str:
        """Send them; returns how the last one ended."""
        rng = np.random.default_rng([31, number])
        with (
            tempfile.TemporaryDirectory() as folder,
            LearningStore(folder) as store,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            store.create("m", **MODEL)
            store.learn("m", {"x": 1.0, "job": "nurse"}, "no")
            store.create("b", **BANDIT)
            store.create("w", **WORDS)
            store.learn("w", {"text": "see you at home"}, "no")
            store.predict("m", {"x": 2.0, "job": "clerk"}, id="asked")
            store.act("b", {"x": 1.0, "job": "nurse"}, "c0")
            app = make_app(store, open_to_all=True)
            found = [asyncio.run(_ask(app, *_request(rng))) for _ in range(10)][-1]
            app.service.alarms.close()
            if store.read_only is not None or store.faults or store.failed is not None:
                raise AssertionError("the writer was hurt")
            if "m" in store.names and store.stream("m").champion.name == "m":
                store.learn("m", {"z": 1.0}, "no")
        return found


def _request(rng: np.random.Generator) -> tuple[str, str, bytes, str]:
    method, path, body = _SEEDS[int(rng.integers(len(_SEEDS)))]
    content = b"" if body is None else json.dumps(body).encode()
    lines = body is not None and rng.random() < 0.3
    if lines:
        content = b"\n".join([content] * 3)
    if rng.random() < 0.3:
        tail = _mutant(path[12:].encode(), rng)
        path = path[:12] + "".join(chr(b) if 33 <= b < 127 and b not in b"#" else f"%{b:02x}" for b in tail)
    return method, path, _mutant(content, rng), "application/x-ndjson" if lines else "application/json"


async def _ask(app: Any, method: str, path: str, content: bytes, kind: str) -> str:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        try:
            response = await client.request(method, path, content=content, headers={"Content-Type": kind})
        except httpx.InvalidURL:
            return "no address"
    if response.status_code >= 500:
        raise AssertionError(f"{method} {path} {content!r}: {response.text}")
    if response.status_code >= 400 and set(response.json()["error"]) != {"code", "message", "hint", "field"}:
        raise AssertionError(response.text)
    return "answered" if response.status_code < 400 else "refused"
