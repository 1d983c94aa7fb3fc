"""Talking to a learning service from Python. Needs the extra ``[client]`` and nothing of the rest of streamboost.

A request that got no answer is sent again with the same id: the service learns an id once, so this is safe.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

Features = Mapping[str, Any]
LINES = 2_000
"""Lines of one request of the verbs for many."""


class ServiceError(Exception):
    """An error that the service answered: ``code``, ``message``, ``hint``, ``field`` and the status of HTTP."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        self.status = status
        self.code = error.get("code")
        self.message = error.get("message")
        self.hint = error.get("hint")
        self.field = error.get("field")
        super().__init__(f"{self.message}{f' {self.hint}' if self.hint else ''} ({status} {self.code})")


class Client:
    """A learning service.

    Parameters
    ----------
    url : str
        Where it is: "http://127.0.0.1:8000".
    token : str, optional
        A token that ``streamboost token create`` made.
    timeout : float
        Seconds to wait for one answer.
    retries : int
        How often a request is sent again when there was no answer, or when the service said that it should come later.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 5,
        transport: Any = None,
    ) -> None:
        import httpx

        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, transport=transport)
        self._lost = httpx.TransportError
        self._retries = retries

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The verbs.

    def predict(
        self, model: str, features: Features, *, id: str | None = None, at_least_seq: int | None = None
    ) -> dict[str, Any]:
        """Ask for an answer. With an id the event is recorded, and its label may come later."""
        query = {} if at_least_seq is None else {"at_least_seq": at_least_seq}
        return self._json("POST", f"{_path(model)}/predict", _body(id=id, features=dict(features)), query)

    def label(self, model: str, id: str, label: Any, *, weight: float | None = None) -> dict[str, Any]:
        """Tell the truth about an event."""
        return self._json("POST", f"{_path(model)}/label", _body(id=id, label=label, weight=weight))

    def learn(
        self,
        model: str,
        features: Features,
        label: Any,
        *,
        id: str | None = None,
        weight: float | None = None,
    ) -> dict[str, Any]:
        """Teach an example. Without an id it gets one, so that it can be sent again safely."""
        body = _body(id=id or uuid.uuid4().hex, features=dict(features), label=label, weight=weight)
        return self._json("POST", f"{_path(model)}/learn", body)

    def act(self, model: str, features: Features, *, id: str | None = None) -> dict[str, Any]:
        """Let a bandit choose a label to show. Its ``"id"`` is that of the reward; without one it gets one."""
        return self._json(
            "POST", f"{_path(model)}/act", _body(id=id or uuid.uuid4().hex, features=dict(features))
        )

    def reward(self, model: str, id: str, reward: float, *, weight: float | None = None) -> dict[str, Any]:
        """Tell what came of the label that was shown: 1 if it was right, else 0."""
        return self._json("POST", f"{_path(model)}/reward", _body(id=id, reward=reward, weight=weight))

    def predict_many(self, model: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Ask about many events ``{"features", "id"?}``; answers come in the order of the rows."""
        return self._lines(model, "predict", rows)

    def label_many(self, model: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Tell the truth about many events ``{"id", "label", "weight"?}``."""
        return self._lines(model, "label", rows)

    def learn_many(self, model: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Teach many examples ``{"features", "label", "id"?, "weight"?}``; those without an id get one."""
        return self._lines(model, "learn", map(_with_id, rows))

    def act_many(self, model: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Let a bandit choose labels for many events ``{"features", "id"?}``; those without an id get one."""
        return self._lines(model, "act", map(_with_id, rows))

    def reward_many(self, model: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Tell what came of many labels that were shown: ``{"id", "reward", "weight"?}``."""
        return self._lines(model, "reward", rows)

    # Looking and administration.

    def models(self) -> list[dict[str, Any]]:
        """All models."""
        found: list[dict[str, Any]] = self._json("GET", "/v1/models")["models"]
        return found

    def model(self, model: str) -> dict[str, Any]:
        """What a model is and how it stands."""
        return self._json("GET", _path(model))

    def scores(self, model: str, window: int = 1000) -> dict[str, Any]:
        """How well it does."""
        return self._json("GET", f"{_path(model)}/scores", query={"window": window})

    def report(self, model: str) -> dict[str, Any]:
        """What the library reports of it."""
        return self._json("GET", f"{_path(model)}/report")

    def events(self, model: str, state: str, limit: int = 100) -> list[dict[str, Any]]:
        """Records that wait or were put aside."""
        query = {"state": state, "limit": limit}
        found: list[dict[str, Any]] = self._json("GET", f"{_path(model)}/events", query=query)["events"]
        return found

    def queries(self, model: str, limit: int = 20) -> list[dict[str, Any]]:
        """Waiting events that most deserve a label, newest first."""
        found: list[dict[str, Any]] = self._json("GET", f"{_path(model)}/queries", query={"limit": limit})[
            "events"
        ]
        return found

    def create(self, name: str, /, **description: Any) -> dict[str, Any]:
        """Make a model: model, learner, params, learner_params, classes, categorical, seed, keep_events_s, limits."""
        return self._json("POST", "/v1/models", {"name": name, **description})

    def delete(self, model: str) -> dict[str, Any]:
        """Forget a model and all its records."""
        return self._json("DELETE", _path(model), query={"confirm": model})

    def snapshot(self, model: str) -> dict[str, Any]:
        """Write a snapshot now."""
        return self._json("POST", f"{_path(model)}/snapshots", {})

    def snapshots(self, model: str) -> dict[str, Any]:
        """The snapshots that are kept."""
        return self._json("GET", f"{_path(model)}/snapshots")

    def rollback(self, model: str, seq: int) -> dict[str, Any]:
        """Go back to the state after a record."""
        return self._json("POST", f"{_path(model)}/rollback", {"seq": seq})

    def allow(self, model: str, label: Any) -> dict[str, Any]:
        """Let a label become a class where new ones are asked for."""
        return self._json("POST", f"{_path(model)}/classes", {"label": label})

    def add_shadow(self, model: str, name: str, /, **description: Any) -> dict[str, Any]:
        """Let another model learn from the same examples."""
        return self._json("POST", f"{_path(model)}/shadows", {"name": name, **description})

    def promote(self, model: str, shadow: str) -> dict[str, Any]:
        """Let a shadow answer."""
        return self._json("POST", f"{_path(model)}/promote", {"shadow": shadow})

    def download(self, model: str, seq: int | None = None) -> bytes:
        """The model file, now or after a record."""
        query = {} if seq is None else {"seq": seq}
        data: bytes = self._ask("GET", f"{_path(model)}/file", query=query).content
        return data

    def upload(self, model: str, file: bytes) -> dict[str, Any]:
        """Let a model go on from a file."""
        response = self._ask("PUT", f"{_path(model)}/file", content=file)
        found: dict[str, Any] = response.json()
        return found

    def ready(self) -> bool:
        """Whether requests are welcome."""
        try:
            return bool(self._http.get("/readyz").status_code == 200)
        except self._lost:
            return False

    # How.

    def _json(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        content = None if body is None else json.dumps(body, allow_nan=False).encode()
        found: dict[str, Any] = self._ask(method, path, content, query).json()
        return found

    def _ask(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        query: Mapping[str, Any] | None = None,
        kind: str = "application/json",
    ) -> Any:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                response = self._http.request(
                    method, path, content=content, params=query, headers={"Content-Type": kind}
                )
            except self._lost:
                if last or not _repeatable(method, path, content):
                    raise
                time.sleep(min(5.0, 0.1 * 2**attempt))
                continue
            if response.status_code in (429, 503) and not last:
                time.sleep(min(5.0, float(response.headers.get("retry-after", 1))))
                continue
            if response.status_code >= 400:
                try:
                    error = response.json()["error"]
                except (ValueError, KeyError, TypeError):
                    error = {"code": "http", "message": response.text[:200] or "no answer"}
                raise ServiceError(response.status_code, error)
            return response
        raise AssertionError("unreachable")

    def _lines(self, model: str, verb: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """A bounded number of lines in each request, so that it can be repeated as a whole."""
        block: list[str] = []
        for row in rows:
            block.append(json.dumps(dict(row), allow_nan=False))
            if len(block) == LINES:
                yield from self._block(model, verb, block)
                block = []
        if block:
            yield from self._block(model, verb, block)

    def _block(self, model: str, verb: str, block: list[str]) -> Iterator[dict[str, Any]]:
        content = "\n".join(block).encode()
        response = self._ask("POST", f"{_path(model)}/{verb}", content, kind="application/x-ndjson")
        for line in response.text.splitlines():
            yield json.loads(line)


def _repeatable(method: str, path: str, content: bytes | None) -> bool:
    """Whether asking twice is the same as asking once: reading, and what has an id."""
    return method == "GET" or path.endswith(("/predict", "/label", "/learn", "/act", "/reward"))


def _with_id(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return row if row.get("id") else {**row, "id": uuid.uuid4().hex}


def _path(model: str) -> str:
    from urllib.parse import quote

    return f"/v1/models/{quote(model, safe='')}"


def _body(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}
