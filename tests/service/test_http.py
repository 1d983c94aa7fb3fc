"""The service over HTTP: routes, one error form, tokens, bad bodies, lines, slow and greedy clients."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from streamboost.service.http import guard, make_app, server, tokens
from streamboost.service.http.connections import HeadTimeoutProtocol
from streamboost.service.store import LearningStore, Settings
from tests.waiting import PATIENCE

DESCRIPTION = {"model": "osboost", "learner": "naive-bayes", "params": {"n_estimators": 3}}
LINES = {"Content-Type": "application/x-ndjson"}


class Running:
    """A server in a thread."""

    def __init__(
        self,
        folder: Path,
        *,
        open_to_all: bool = True,
        patience: float = PATIENCE,
        protocol: type = HeadTimeoutProtocol,
        **settings: Any,
    ) -> None:
        self.store = LearningStore(folder, Settings(**settings))
        self.app = make_app(self.store, open_to_all=open_to_all, patience=patience)
        self.socket = server._bind("127.0.0.1", 0)
        self.port = self.socket.getsockname()[1]
        config = uvicorn.Config(
            self.app,
            http=protocol,
            ws="none",
            log_config=None,
            access_log=False,
            timeout_keep_alive=3600,  # a connection that ends while a request is on its way is not tried here
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)
        while not self.server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()
        self.store.close()

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.http.post(path, json=body, **more)


@pytest.fixture(scope="module")
def running(tmp_path_factory: Any) -> Iterator[Running]:
    found = Running(tmp_path_factory.mktemp("service"))
    assert found.post("/v1/models", {"name": "m", **DESCRIPTION}).status_code == 201
    yield found
    found.close()


def error_of(response: httpx.Response) -> dict[str, Any]:
    found = response.json()
    assert set(found) == {"error"}
    assert set(found["error"]) == {"code", "message", "hint", "field"}
    assert "Traceback" not in response.text
    return found["error"]


def test_a_day_in_the_life(running: Running) -> None:
    post = running.post
    post("/v1/models", {"name": "day", **DESCRIPTION})
    first = post("/v1/models/day/learn", {"id": "a", "features": {"x": 1, "c": "u"}, "label": "yes"}).json()
    assert (first["duplicate"], first["answer_before"]["label"]) == (False, None)
    assert post("/v1/models/day/learn", {"id": "a", "features": {"x": 1, "c": "u"}, "label": "yes"}).json()[
        "duplicate"
    ]
    asked = post(
        f"/v1/models/day/predict?at_least_seq={first['seq']}", {"id": "b", "features": {"x": 2, "c": "u"}}
    ).json()
    assert asked["label"] == "yes"
    assert asked["probabilities"] == {"yes": 1.0}
    assert asked["logged"] is True
    assert asked["seq"] >= first["seq"]
    assert post("/v1/models/day/label", {"id": "b", "label": "no"}).json()["state"] == "learned"
    assert post("/v1/models/day/label", {"id": "b", "label": "yes"}).json() == {
        "seq": asked["seq"] + 2,
        "state": "duplicate",
        "differs": True,
    }
    assert post("/v1/models/day/label", {"id": "zz", "label": "no"}).json()["state"] == "early"
    assert post("/v1/models/day/predict", {"features": {"x": 1}}).json()["label"] in ("yes", "no")
    scores = running.http.get("/v1/models/day/scores?window=10").json()
    assert (scores["n"], scores["window"]) == (2, 2)
    last = running.store.stream("day").champion.seq
    assert post(f"/v1/models/day/predict?at_least_seq={last}", {"features": {}}).status_code == 200
    assert running.http.get("/v1/models/day/report").json()["n_learned"] == 2
    assert [e["id"] for e in running.http.get("/v1/models/day/events?state=early").json()["events"]] == ["zz"]
    seq = post("/v1/models/day/snapshots", {}).json()["seq"]
    kept = running.http.get("/v1/models/day/snapshots").json()
    assert kept["snapshots"][0]["seq"] == seq
    file = running.http.get("/v1/models/day/file").content
    assert post("/v1/models/day/rollback", {"seq": first["seq"]}).status_code == 200
    assert running.http.get("/v1/models/day").json()["champion"]["learned"] == 1
    assert post("/v1/models/day/rollback", {"seq": seq}).status_code == 200
    assert running.http.get("/v1/models/day/file").content == file
    assert running.http.put("/v1/models/day/file", content=file).status_code == 200
    assert post("/v1/models/day/shadows", {"name": "other", "model": "bagging"}).status_code == 201
    assert post("/v1/models/day/promote", {"shadow": "other"}).status_code == 200
    assert running.http.get("/v1/models/day").json()["champion"]["name"] == "other"
    assert running.http.delete("/v1/models/day/shadows/day").status_code == 200
    assert error_of(running.http.delete("/v1/models/day"))["field"] == "confirm"
    assert running.http.delete("/v1/models/day?confirm=day").status_code == 200
    assert running.http.get("/v1/models/day").status_code == 404
    assert "day" not in [m["name"] for m in running.http.get("/v1/models").json()["models"]]


BAD_BODIES = [
    (b"", 400, "bad_json"),
    (b"{", 400, "bad_json"),
    (b"[]", 400, "bad_request"),
    (b'{"features": {"x": NaN}, "label": "a"}', 400, "bad_json"),
    (b'{"features": {"x": Infinity}, "label": "a"}', 400, "bad_json"),
    (b'{"features": {"x": 1, "x": 2}, "label": "a"}', 400, "duplicate_key"),
    (b'{"features": {"x": 1}, "label": "a", "label": "b"}', 400, "duplicate_key"),
    (b'{"features": {"x:y": 1, "x:y": 2}, "label": "a"}', 400, "duplicate_key"),
    (b'{"features": {"x": [1]}, "label": "a"}', 400, "bad_request"),
    (b'{"features": {"x": {"y": 1}}, "label": "a"}', 400, "bad_request"),
    (b'{"features": {"x": 1}}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": null}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "more": 1}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "weight": -1}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "weight": "1"}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "id": ""}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "id": 7}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "id": "' + b"i" * 129 + b'"}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "a", "id": "a\\u0000"}', 400, "bad_request"),
    (b'{"features": {"x": 1}, "label": "\xff"}', 400, "bad_json"),
    (b'{"features": {"x": "\\ud800"}, "label": "a"}', 400, "bad_json"),
    (b'{"features": {"x": 1e999}, "label": "a"}', 400, "bad_request"),
    (b'{"features": {"x": 1e300}, "label": "a"}', 422, "refused"),
    (b'{"features": {"x": 1}, "label": 1.5}', 422, "refused"),
    (b'{"features": {"x": 1}, "label": 123456789012345678901234567890}', 422, "refused"),
    (b'{"features": ' + b"[" * 100_000 + b"}", 400, "bad_request"),
    (b'{"features": {"x": "' + b"t" * 10_001 + b'"}, "label": "a"}', 400, "bad_request"),
    (
        b'{"features": {' + b",".join(b'"f%d":1' % i for i in range(10_001)) + b'}, "label": "a"}',
        400,
        "bad_request",
    ),
    (b" " * 1_000_001, 413, "too_large"),
]


def test_hints_of_bodies_with_words(running: Running) -> None:
    json_body = {"Content-Type": "application/json"}
    for half in (rb"a\ud800", rb"\udfffb", rb"\ud83d\ud83d\ude00"):
        body = b'{"features": {"x": "' + half + b'"}, "label": "a"}'
        answer = running.http.post("/v1/models/m/learn", content=body, headers=json_body)
        assert "half a surrogate pair" in error_of(answer)["hint"], half
    answer = running.http.post("/v1/models", json={"name": "sms", "text_features": ["text"]})
    assert error_of(answer)["hint"] == 'Parameters of a model stand in "params": {"text_features": ...}.'


@pytest.mark.parametrize(("body", "status", "code"), BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bad_bodies(running: Running, body: bytes, status: int, code: str) -> None:
    path = "/v1/models/m/learn"
    running.post(path, {"features": {"x": 1}, "label": "yes"})
    before = running.http.get("/v1/models/m").json()["counts"]["learned"]
    response = running.http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status, response.text
    assert error_of(response)["code"] in (code, "bad_json" if status == 400 else code)
    assert running.http.get("/v1/models/m").json()["counts"]["learned"] == before
    if status == 413:
        return
    line = running.http.post(path, content=body.replace(b"\n", b" ") + b"\n", headers=LINES)
    assert line.status_code == 200
    assert body == b"" or "error" in json.loads(line.text.splitlines()[0])


def test_explanations_add_up(running: Running) -> None:
    running.post("/v1/models", {"name": "why", **DESCRIPTION})
    assert error_of(running.post("/v1/models/why/explain", {"features": {"x": 1}}))["code"] == "conflict"
    for i in range(40):
        seq = running.post(
            "/v1/models/why/learn", {"features": {"x": i % 5, "c": "uv"[i % 2]}, "label": i % 5 > 2}
        ).json()["seq"]
    running.post(f"/v1/models/why/predict?at_least_seq={seq}", {"features": {}})
    found = running.post("/v1/models/why/explain", {"features": {"x": 4, "c": "u"}}).json()
    assert set(found["contributions"]) == {"x", "c"}
    assert found["base"] + sum(found["contributions"].values()) == pytest.approx(found["score"])


@pytest.mark.parametrize(("made", "status"), [({"model": "streamboost"}, 422), (DESCRIPTION, 200)])
def test_wide_events_are_explained_where_that_is_cheap(
    running: Running, made: dict[str, Any], status: int
) -> None:
    """A small body must not keep a core busy for minutes: without a closed form the cost is the square of the features."""
    name = f"wide-{made['model']}"
    running.post("/v1/models", {"name": name, **made})
    features = {f"c{i}": i for i in range(1001)}
    for label in ("no", "yes"):  # of one class alone there is nothing to add up
        seq = running.post(f"/v1/models/{name}/learn", {"features": features, "label": label}).json()["seq"]
    running.post(f"/v1/models/{name}/predict?at_least_seq={seq}", {"features": {}})
    response = running.post(f"/v1/models/{name}/explain", {"features": features})
    assert response.status_code == status, response.text
    if status == 422:
        assert "at most 1,000" in error_of(response)["message"]
        few = dict(list(features.items())[:20])
        assert running.post(f"/v1/models/{name}/explain", {"features": few}).status_code == 200


@pytest.mark.parametrize("name", ["..%2f..%2fetc", "a%00b", "%2e%2e", "x" * 70, "ü", "a b", "%5c"])
def test_path_tricks(running: Running, name: str) -> None:
    assert running.http.get(f"/v1/models/{name}").status_code in (400, 404)
    assert running.http.get(f"/page/{name}").status_code == 404
    assert running.post("/v1/models", {"name": name, **DESCRIPTION}).status_code == 400
    assert running.http.put(f"/v1/models/{name}/file", content=b"x").status_code in (400, 404)


def test_every_error_has_one_form(running: Running) -> None:
    http = running.http
    for response in (
        http.get("/nothing"),
        http.patch("/v1/models/m"),
        http.get("/v1/models/none/scores"),
        http.get("/v1/models/m/scores?window=0"),
        http.get("/v1/models/m/scores?window=x"),
        http.get("/v1/models/m/events"),
        http.get("/v1/models/m/events?state=odd"),
        http.get("/v1/models/m/events?state=late&limit=1001"),
        http.post("/v1/models/m/predict?at_least_seq=-1", json={"features": {}}),
        http.post("/v1/models/m/learn", content=b"x=1", headers={"Content-Type": "text/plain"}),
        http.post("/v1/models/m/learn", content=b"x", headers={"Content-Encoding": "gzip"}),
        http.post("/v1/models/m/rollback", json={"seq": 10**9}),
        http.post("/v1/models/m/rollback", json={"seq": -1}),
        http.post("/v1/models/m/promote", json={"shadow": "nobody"}),
        http.post("/v1/models/m/explain", json={"features": {"x": "text"}}),
        http.put("/v1/models/m/file", content=b"not a model"),
        http.post("/v1/models", json={"name": "m", **DESCRIPTION}),
        http.post("/v1/models", json={"name": "n", "model": "forest"}),
        http.post("/v1/models", json={"name": "n", "learner": "my.module.Learner"}),
        http.post("/v1/models", json={"name": "n", "limits": {"classes": 0}}),
        http.get("/v1/models/m", headers={"Origin": "https://elsewhere.example"}),
        http.get("/v1/models/m", headers={"Host": "elsewhere.example"}),
    ):
        assert 400 <= response.status_code < 500, response.text
        assert error_of(response)["message"]


def test_lines_are_answered_in_order_and_a_bad_one_stops_nothing(running: Running) -> None:
    running.post("/v1/models", {"name": "lines", **DESCRIPTION})
    n = 5000
    sent = []
    for i in range(n):
        if i % 1000 == 7:
            sent.append("{bad")
        else:
            sent.append(
                json.dumps({"id": f"l{i}", "features": {"x": i % 5}, "label": "yes" if i % 5 > 2 else "no"})
            )
    response = running.http.post("/v1/models/lines/learn", content="\n".join(sent).encode(), headers=LINES)
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert len(answers) == n
    assert [i for i, answer in enumerate(answers) if "error" in answer] == [
        i for i in range(n) if i % 1000 == 7
    ]
    seqs = [answer["seq"] for answer in answers if "seq" in answer]
    assert seqs == sorted(seqs)
    again = running.http.post("/v1/models/lines/learn", content="\n".join(sent[:7]).encode(), headers=LINES)
    assert all(json.loads(line)["duplicate"] for line in again.text.splitlines())
    mixed = running.http.post(
        f"/v1/models/lines/predict?at_least_seq={seqs[-1]}",
        content=b'{"features":{"x":4}}\n\n{"features":{"x":4},"id":"e"}\n{"features":{"x":"t"}}\n',
        headers=LINES,
    )
    first, second, third = (json.loads(line) for line in mixed.text.splitlines())
    assert (first["label"], first["id"], second["id"], second["logged"]) == ("yes", None, "e", True)
    assert third["error"]["code"] == "refused"
    labels = running.http.post("/v1/models/lines/label", content=b'{"id":"e","label":"no"}', headers=LINES)
    assert json.loads(labels.text)["state"] == "learned"


def test_a_line_without_end_is_cut(running: Running) -> None:
    def body() -> Iterator[bytes]:
        for _ in range(40):
            yield b"x" * 100_000
        yield b'\n{"features":{"x":4},"label":"yes"}\n'

    response = running.http.post("/v1/models/m/learn", content=body(), headers=LINES)
    first, second = (json.loads(line) for line in response.text.splitlines())
    assert first["error"]["code"] == "too_large"
    assert "seq" in second


def test_lines_come_back_while_others_are_still_sent(running: Running) -> None:
    line = json.dumps({"features": {"x": 1}, "label": "yes"}).encode() + b"\n"
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as connection:
        connection.sendall(
            b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for _ in range(3):
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            got = b""
            while b'"seq"' not in got:
                piece = connection.recv(65536)
                assert piece, "hung up before the line was answered"
                got += piece
        connection.sendall(b"0\r\n\r\n")


def test_an_endless_chunked_body_is_refused_early(running: Running) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as connection:
        connection.sendall(
            b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        piece = b"%x\r\n%s\r\n" % (100_000, b" " * 100_000)
        sent = 0
        try:
            for _ in range(10_000):  # 1 GB if nobody stops it
                connection.sendall(piece)
                sent += 1
        except OSError:
            pass
        assert sent < 2_000  # what fits into the buffers between here and there is sent in vain
    assert running.http.get("/healthz").status_code == 200


def test_who_never_reads_is_let_go_and_hurts_nobody(running: Running) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"GET /v1/models/m/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(5):
            assert running.post("/v1/models/m/predict", {"features": {"x": 1}}).status_code == 200
            time.sleep(0.05)


def test_live_views_come_each_second(running: Running) -> None:
    with running.http.stream("GET", "/v1/models/m/live") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        views = []
        for line in response.iter_lines():
            if line.startswith("data: "):
                views.append(json.loads(line[6:]))
            if len(views) == 2:
                break
    assert views[1]["at"] - views[0]["at"] > 0.5
    assert {"scores", "curve", "rates", "queue", "lanes", "bounds", "shadows", "events"} <= set(views[0])


def test_health_metrics_headers(running: Running) -> None:
    running.post("/v1/models/m/learn", {"features": {"x": 1}, "label": "yes"})
    assert running.http.get("/healthz").json() == {"status": "alive"}
    ready = running.http.get("/readyz")
    assert ready.status_code == 200
    assert {"version", "schema", "record_format"} <= set(ready.json())
    text = running.http.get("/metrics").text
    assert 'streamboost_model_seq{model="m"}' in text
    assert 'streamboost_requests_total{route="/v1/models/{model}/learn",status="200"}' in text
    page = running.http.get("/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "access-control-allow-origin" not in page.headers
    assert page.headers["x-content-type-options"] == "nosniff"


NEEDS = [
    ("POST", "/v1/models/m/predict", "predict"),
    ("POST", "/v1/models/m/label", "label"),
    ("POST", "/v1/models/m/learn", "learn"),
    ("POST", "/v1/models/m/explain", "explain"),
    ("GET", "/v1/models", "read"),
    ("GET", "/v1/models/m", "read"),
    ("GET", "/v1/models/m/scores", "read"),
    ("GET", "/v1/models/m/report", "read"),
    ("GET", "/v1/models/m/events?state=late", "read"),
    ("GET", "/v1/models/m/snapshots", "read"),
    ("GET", "/metrics", "read"),
    ("POST", "/v1/models", "admin"),
    ("DELETE", "/v1/models/m", "admin"),
    ("POST", "/v1/models/m/snapshots", "admin"),
    ("POST", "/v1/models/m/rollback", "admin"),
    ("POST", "/v1/models/m/shadows", "admin"),
    ("DELETE", "/v1/models/m/shadows/s", "admin"),
    ("POST", "/v1/models/m/promote", "admin"),
    ("GET", "/v1/models/m/file", "admin"),
    ("PUT", "/v1/models/m/file", "admin"),
]


def test_tokens(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(tokens, "RELOAD", 0.0)
    running = Running(tmp_path / "s", open_to_all=False)
    try:
        running.store.create("m", **DESCRIPTION)
        running.store.create("other", **DESCRIPTION)
        made = {scope: tokens.create(tmp_path / "s", [scope], name=scope) for scope in tokens.SCOPES}
        bound = tokens.create(tmp_path / "s", ["predict"], name="bound", model="m")

        def status(method: str, path: str, token: str | None) -> int:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            return running.http.request(method, path, headers=headers, content=b"{").status_code

        for method, path, needed in NEEDS:
            assert status(method, path, None) == 401
            for scope, token in made.items():
                found = status(method, path, token)
                assert (found in (401, 403)) is (scope not in (needed, "admin")), (method, path, scope, found)
        assert status("POST", "/v1/models/m/predict", bound) == 400
        assert status("POST", "/v1/models/other/predict", bound) == 403
        for path in ("/healthz", "/readyz", "/"):
            assert status("GET", path, None) == 200
        for wrong in ("x", made["admin"][:-1] + "z", made["admin"] + "a", "sb_00000000_00", "sb__"):
            assert status("GET", "/v1/models", wrong) == 401
        tokens.revoke(tmp_path / "s", bound)
        assert status("POST", "/v1/models/m/predict", bound) == 401
        short = tokens.create(tmp_path / "s", ["predict"], name="short", expires_s=3600)
        assert status("POST", "/v1/models/m/predict", short) == 400
        monkeypatch.setattr(tokens, "time", Clock(now=time.time() + 3601))
        assert status("POST", "/v1/models/m/predict", short) == 401
        monkeypatch.setattr(tokens, "time", time)
        headers = {"Authorization": f"Bearer {made['admin']}"}
        running.http.post("/v1/models/m/shadows", json={"name": "s"}, headers=headers)
        said = running.http.get("/v1/models/m/events?state=command", headers=headers).json()["events"][0]
        assert (said["command"]["act"], said["command"]["by"]) == ("shadow", "admin")
        database = (tmp_path / "s" / "log.db").read_bytes() + (tmp_path / "s" / "log.db-wal").read_bytes()
        assert all(token.split("_")[2].encode() not in database for token in made.values())
    finally:
        running.close()


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    monotonic = time


def test_rates(monkeypatch: Any) -> None:
    clock = Clock()
    monkeypatch.setattr(tokens, "time", clock)
    bucket = tokens.Bucket(10.0)
    for _ in range(10):
        bucket.take()
    with pytest.raises(Exception, match="10 times a second") as caught:
        bucket.take()
    assert caught.value.retry_after == pytest.approx(0.1)  # type: ignore[attr-defined]
    clock.now = 0.15
    bucket.take()
    with pytest.raises(Exception, match="10 times a second"):
        bucket.take()


def test_another_address_needs_tokens(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="this machine only"):
        server.serve(server.Options(tmp_path / "s", host="0.0.0.0", port=0, open_to_all=True))


def test_read_only_and_full_queue_say_when_to_come_again(running: Running, monkeypatch: Any) -> None:
    writer = running.store._writer
    monkeypatch.setattr(writer, "_recover", lambda: None)  # the disk is well, and it would find out
    writer.read_only = "a test"
    try:
        response = running.post("/v1/models/m/learn", {"features": {"x": 1}, "label": "yes"})
        assert (response.status_code, error_of(response)["code"]) == (503, "read_only")
        assert int(response.headers["retry-after"]) >= 1
        assert running.http.get("/readyz").status_code == 503
        asked = running.post("/v1/models/m/predict", {"id": "ro", "features": {"x": 1}})
        assert (asked.status_code, asked.json()["logged"]) == (200, False)
    finally:
        writer.read_only = None
    assert guard.BODY == 1_000_000
