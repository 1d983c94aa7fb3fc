"""Alarms: what is found, who is told, and that nobody waits for it."""

from __future__ import annotations

import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from streamboost.service.alarms import Alarms
from streamboost.service.store import LearningStore, Work
from streamboost.service.store.records import Kind
from tests.service.test_http import Running
from tests.waiting import until

NB = {"model": "bagging", "learner": "naive-bayes", "params": {"n_estimators": 2}}


def teach_noise(store: LearningStore, n: int = 700) -> None:
    """Labels that come in runs and have nothing to do with the features: the label before is the better guess."""
    rng = random.Random(1)
    work = [Work(Kind.EXAMPLE, None, {"x": rng.random()}, "ab"[i // 50 % 2]) for i in range(n)]
    store.submit("m", work).result()
    store.reader("m", store.stream("m").champion.seq)


class Heard:
    """Takes what is posted; ``slow``: does not answer."""

    def __init__(self, slow: float = 0.0) -> None:
        self.bodies: list[dict[str, Any]] = []
        heard = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                time.sleep(slow)
                heard.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alarms"
        self._thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


def test_an_error_above_the_baseline_is_told_once(tmp_path: Path) -> None:
    heard = Heard()
    with LearningStore(tmp_path) as store:
        store.create("m", **NB)
        alarms = Alarms(store, heard.url, every=0.02)
        teach_noise(store)
        until(lambda: len(heard.bodies) > 0)
        time.sleep(0.2)
        assert [body["kind"] for body in heard.bodies] == ["error"]
        assert heard.bodies[0]["model"] == "m"
        assert "the last label alone gives" in heard.bodies[0]["message"]
        assert alarms.of("m")[0]["kind"] == "error"
        alarms.close()
    heard.close()


def test_nobody_waits_for_whoever_is_told(tmp_path: Path) -> None:
    heard = Heard(slow=3.0)
    with LearningStore(tmp_path) as store:
        store.create("m", **NB)
        alarms = Alarms(store, heard.url, every=0.02)
        teach_noise(store)
        until(lambda: len(alarms.recent) > 0)
        begin = time.monotonic()
        store.learn("m", {"x": 1.0}, "a")
        assert time.monotonic() - begin < 2.5
        assert not heard.bodies
        alarms.close()
    heard.close()


def test_nobody_there_to_be_told(tmp_path: Path) -> None:
    with LearningStore(tmp_path) as store:
        store.create("m", **NB)
        alarms = Alarms(store, "http://127.0.0.1:9/nobody", every=0.02)
        teach_noise(store)
        until(lambda: alarms.undelivered == 1)
        alarms.close()


def test_columns_that_change(tmp_path: Path) -> None:
    with LearningStore(tmp_path) as store:
        store.create("m", **{**NB, "params": {"n_estimators": 2, "keep_health": True}})
        rng = random.Random(1)
        work = [Work(Kind.EXAMPLE, None, {"x": rng.gauss(0, 1), "y": 1.0}, "ab"[i % 2]) for i in range(3000)]
        work += [
            Work(Kind.EXAMPLE, None, {"x": rng.gauss(50, 1), "y": None}, "ab"[i % 2]) for i in range(500)
        ]
        store.submit("m", work).result()
        store.reader("m", store.stream("m").champion.seq)
        alarms = Alarms(store, every=60.0)
        alarms.look()
        kinds = {alarm.kind: alarm.message for alarm in alarms.recent}
        assert "column 'x'" in kinds["columns"]
        alarms.close()


def test_gauges_and_the_live_view(tmp_path: Path) -> None:
    running = Running(tmp_path)
    try:
        running.store.create("m", **NB)
        teach_noise(running.store)
        running.app.service.alarms.look()
        text = running.http.get("/metrics").text
        assert 'streamboost_alarm{kind="error",model="m"} 1.0' in text
        assert 'streamboost_alarm{kind="drift",model="m"} 0.0' in text
        assert 'streamboost_model_baseline_error{baseline="last label",model="m"}' in text
        assert "streamboost_faults_total 0.0" in text
    finally:
        running.close()
