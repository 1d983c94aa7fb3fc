"""What the page shows of a model, once a second, as server-sent events; computed once for all who look."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
import numpy as np
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from streamboost.service.alarms import Alarms
from streamboost.service.store import LearningStore, StoreError
from streamboost.service.store.queries import finite, text
from streamboost.service.store.scores import Scores

EVERY = 1.0
POINTS = 600


class Watcher:
    """The newest view of every model that is being looked at."""

    def __init__(self, store: LearningStore, alarms: Alarms) -> None:
        self._store, self._alarms = store, alarms
        self._views: dict[str, tuple[float, bytes]] = {}
        self._counts: dict[str, tuple[float, dict[str, int], dict[str, float]]] = {}

    async def view(self, name: str) -> bytes:
        """One event of the stream; at most one is made each half second."""
        found = self._views.get(name)
        now = time.monotonic()
        if found is None or now - found[0] > EVERY / 2:
            made = await asyncio.to_thread(self._make, name)
            found = self._views[name] = (now, b"data: " + made + b"\n\n")
        return found[1]

    def _make(self, name: str) -> bytes:
        store = self._store
        described = store.describe(name)
        scores = store.scores(name)
        stream = store.stream(name)
        view: dict[str, Any] = {
            **described,
            "scores": scores,
            "curve": stream.champion.scores.curve(POINTS),
            "curves": {shadow.name: shadow.scores.curve(POINTS) for shadow in stream.shadows},
            "rates": self._rates(name, described["counts"]),
            "queue": store.queued,
            "read_only": store.read_only,
            "alarms": self._alarms.of(name),
            "since": {
                shadow.name: _since(stream.champion.scores, shadow.scores) for shadow in stream.shadows
            },
            "at": time.time(),
            "events": store.events(name, "learned", 12),
            "commands": [
                {"at": e["at"], "seq": e["seq"], **e["command"]} for e in store.events(name, "command", 20)
            ],
            **_lanes(stream.champion.reader.model),
            "importances": _importances(stream.champion.reader.model),
        }
        return msgspec.json.encode(finite(view))

    def _rates(self, name: str, counts: dict[str, int]) -> dict[str, float]:
        now = time.monotonic()
        before = self._counts.get(name)
        if before is not None and now - before[0] < EVERY / 2:
            return before[2]
        rates = {}
        if before is not None:
            passed = now - before[0]
            rates = {k: max(0, v - before[1].get(k, 0)) / passed for k, v in counts.items()}
        self._counts[name] = now, dict(counts), rates
        return rates


def _since(champion: Scores, shadow: Scores) -> dict[str, Any]:
    """Both errors over the examples since the shadow joined, as near as the thinned history has them."""
    mine, other = champion.history, shadow.history
    before = next((b for b in reversed(mine.buckets) if b[0] <= mine.n - other.n), [0, 0, 0])
    n = mine.n - before[0]
    if not n or not other.n:
        return {"n": 0, "champion": None, "shadow": None}
    return {"n": other.n, "champion": (mine.wrong - before[2]) / n, "shadow": other.wrong / other.n}


def _importances(model: Any) -> list[dict[str, Any]]:
    """The ten columns that matter most, by contributions if the model keeps them, else by the splits of its trees."""
    if model is None:
        return []
    kept = getattr(model, "importances", False)
    try:
        values = np.asarray(model.feature_importances_ if kept else model.impurity_importances_, dtype=float)
    except (AttributeError, ValueError):  # neither contributions nor trees
        return []
    names = model.columns_.names or range(len(values))
    found = sorted(zip(values.tolist(), map(str, names), strict=False), reverse=True)[:10]
    return [{"column": column, "importance": value} for value, column in found if value > 0]


def _lanes(model: Any) -> dict[str, Any]:
    """Weight and edge of every learner, the bounds, and where learners were replaced."""
    if model is None or not hasattr(model, "report"):
        return {"lanes": {}, "bounds": [], "drift": []}
    report = model.report()
    shown = {
        name: values.tolist()[:400]
        for name, values in report.lanes.items()
        if name in ("edge", "error_rate", "weight_sum", "mean_margin", "mean_loss") or "weight" in name
    }
    return {
        "lanes": shown,
        "bounds": [bound.to_dict() for bound in report.bounds],
        "drift": report.replacements[-50:].tolist(),
        "classes": [text(label) for label in getattr(model, "classes_", np.zeros(0)).tolist()],
    }


class Live(Response):
    """The stream of one client, until it goes or the service stops."""

    media_type = "text/event-stream"

    def __init__(self, watcher: Watcher, name: str, stopping: asyncio.Event) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._watcher, self._name, self._stopping = watcher, name, stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a view each second. A client that does not read is let go by the guard."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        gone = asyncio.create_task(self._gone(receive))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            while not gone.done() and not stopping.done():
                try:
                    data = await self._watcher.view(self._name)
                except StoreError as error:
                    data = b"event: gone\ndata: " + msgspec.json.encode(error.message) + b"\n\n"
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                    break
                await send({"type": "http.response.body", "body": data, "more_body": True})
                await asyncio.wait({gone, stopping}, timeout=EVERY, return_when=asyncio.FIRST_COMPLETED)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            for task in (gone, stopping):
                task.cancel()

    @staticmethod
    async def _gone(receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
