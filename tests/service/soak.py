"""A real server under load, killed again and again; then the clients' histories are held against the log.

python -m tests.service.soak --kills 1000 --out docs/results/serve-soak.md
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamboost.service.store import LearningStore, Settings
from streamboost.service.store.database import Database
from streamboost.service.store.records import decode_body
from tests.service.plain_store import taught
from tests.service.zygote import Zygote
from tests.waiting import PATIENCE, until

# A temperature learns from the answers that were given to events: then examples alone are not all of a replay.
DESCRIPTION = {
    "model": "osboost",
    "learner": "naive-bayes",
    "params": {"n_estimators": 5, "calibration": None},
}
WORDS = {
    "model": "osboost",
    "learner": "hashed-logistic",
    "params": {"n_estimators": 2, "calibration": None},
    "learner_params": {"bits": 10, "text_features": ["text"], "identifier_features": ["user"]},
}
SETTINGS = {"snapshot_every": 300, "snapshot_seconds": 1.0, "keep_log": True}


@dataclass
class Heard:
    """One request of a client and the answer it got; None: it never got one and gave up."""

    kind: str
    id: str
    body: dict[str, Any]
    answer: dict[str, Any] | None
    tries: int


@dataclass
class Client:
    """Sends examples, events and their labels; asks again with the same id until there is an answer."""

    number: int
    port: int
    stop: threading.Event
    words: bool = False
    history: list[Heard] = field(default_factory=list)

    def run(self) -> None:
        rng = random.Random(self.number)
        count = 0
        connection = None
        while not self.stop.is_set():
            count += 1
            id = f"{self.number}-{count}"
            x = rng.gauss(0, 1)
            features = {"x": x, "c": rng.choice("uvw")}
            label = "yes" if x + rng.gauss(0, 0.5) > 0 else "no"
            if self.words:
                text = f"{'free prize' if label == 'yes' else 'see you'}, {rng.choice(['Étoile', '7', '🙂'])}"
                features |= {"text": text, "user": f"u{rng.randrange(50)}"}
            requests = [("learn", {"id": id, "features": features, "label": label})]
            if count % 3 == 0:
                requests = [
                    ("predict", {"id": id, "features": features}),
                    ("label", {"id": id, "label": label}),
                ]
                if count % 2:
                    requests.reverse()  # the label comes first
            for kind, body in requests:
                answer, tries = None, 0
                while answer is None and not self.stop.is_set():
                    tries += 1
                    try:
                        if connection is None:
                            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                        connection.request(
                            "POST",
                            f"/v1/models/m/{kind}",
                            json.dumps(body),
                            {"Content-Type": "application/json"},
                        )
                        response = connection.getresponse()
                        data = response.read()
                        if response.status == 200:
                            answer = json.loads(data)
                        elif response.status not in (429, 503):
                            raise AssertionError(f"{response.status} {data!r}")
                    except (OSError, http.client.HTTPException):
                        if connection is not None:
                            connection.close()
                        connection = None
                        time.sleep(0.01)
                self.history.append(Heard(kind, id, body, answer, tries))
        if connection is not None:
            connection.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until_ready(port: int, seconds: float = PATIENCE) -> float:
    start = time.monotonic()
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return time.monotonic() - start
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        assert time.monotonic() - start < seconds, "the server does not come up"
        time.sleep(0.01)


def check(
    folder: Path, histories: list[list[Heard]], scratch: Path, description: dict[str, Any]
) -> dict[str, int]:
    """Hold what clients were told against what is there. Every count that matters is returned; faults raise."""
    db = Database(folder)
    rows = {
        seq: (learns, id, body) for seq, learns, id, body in db.each("SELECT seq, learns, id, body FROM log")
    }
    db.close()
    assert sorted(rows) == list(range(1, len(rows) + 1)), "the log has holes"
    learned = Counter(id for learns, id, _ in rows.values() if learns)
    found = {
        "records": len(rows),
        "examples": sum(learned.values()),
        "acknowledged": 0,
        "retried": 0,
        "repeated": 0,
    }
    found["lost"] = found["learned twice"] = 0
    found["learned twice"] = sum(n > 1 for n in learned.values())
    for history in histories:
        for heard in history:
            if heard.answer is None:
                continue
            found["acknowledged"] += 1
            found["retried"] += heard.tries > 1
            answer = heard.answer
            if heard.kind == "predict":
                found["repeated"] += bool(answer.get("duplicate"))
                found["lost"] += not any_row(rows, heard.id)
                continue
            found["repeated"] += bool(answer.get("duplicate")) or answer.get("state") == "duplicate"
            row = rows.get(answer["seq"])
            if row is None or row[1] != heard.id:
                found["lost"] += 1
                continue
            body = decode_body(row[2])
            told = answer.get("state", "learned")
            if (told in ("learned", "duplicate") and heard.kind == "learn") or told == "learned":
                found["lost"] += body.label != heard.body["label"] or not row[0]
    with LearningStore(folder, Settings(keep_log=True)) as store:
        file = store.file("m")
        n = store.scores("m")["n"]
    bodies = [decode_body(rows[seq][2]) for seq in sorted(rows) if rows[seq][0]]
    expected = taught([(b.features, b.label, b.weight) for b in bodies], description, scratch)
    assert file == expected, "the model is not the replay of its log"
    assert n == len(bodies), "the scores did not count every example once"
    return found


_ids: dict[int, set[str]] = {}


def any_row(rows: dict[int, Any], id: str) -> bool:
    """Whether a record under this id exists."""
    key = hash((len(rows), min(rows, default=0), max(rows, default=0)))
    if key not in _ids:
        _ids.clear()
        _ids[key] = {row[1] for row in rows.values()}
    return id in _ids[key]


def soak(
    kills: int, *, clients: int = 4, seed: int = 0, life: float = 0.3, words: bool = False
) -> dict[str, Any]:
    """Kill a server so many times; returns the counts. words: its model reads texts and identifiers."""
    description = WORDS if words else DESCRIPTION
    rng = random.Random(seed)
    scratch = Path(tempfile.mkdtemp())
    folder, port = scratch / "service", free_port()
    zygote = Zygote()
    stop = threading.Event()
    started: list[float] = []
    begin = time.monotonic()
    try:
        pid = zygote.start(folder, port, scratch / "log", **SETTINGS)
        wait_until_ready(port)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("POST", "/v1/models", json.dumps({"name": "m", **description}))
        assert connection.getresponse().status == 201
        connection.close()
        crowd = [Client(number, port, stop, words) for number in range(clients)]
        threads = [threading.Thread(target=client.run) for client in crowd]
        for thread in threads:
            thread.start()
        for kill in range(kills):
            time.sleep(rng.random() * life)
            if kill % 2:  # every other life is long enough to answer somebody, however slow the machine is
                before = answered(crowd)
                until(lambda before=before: answered(crowd) > before, "an answer")  # type: ignore[misc]
            if kill % 20 == 19:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.1)
                os.kill(pid, signal.SIGCONT)
                time.sleep(rng.random() * 0.02)
            os.kill(pid, signal.SIGKILL)
            gone(pid)
            pid = zygote.start(folder, port, scratch / "log", **SETTINGS)
            started.append(wait_until_ready(port))
            if kills >= 200 and kill % 50 == 49:
                print(f"{kill + 1} kills, {time.monotonic() - begin:.0f} s", flush=True)
        before = answered(crowd)
        until(lambda: answered(crowd) > before + len(crowd), "the last answers")
        stop.set()
        for thread in threads:
            thread.join()
        os.kill(pid, signal.SIGTERM)
        gone(pid)
        found: dict[str, Any] = check(folder, [client.history for client in crowd], scratch, description)
        started.sort()
        return {
            "kills": kills,
            "seconds": round(time.monotonic() - begin),
            **found,
            "restart ms, median": round(1000 * started[len(started) // 2]),
            "restart ms, longest": round(1000 * started[-1]),
        }
    finally:
        stop.set()
        zygote.close()
        shutil.rmtree(scratch)


def answered(crowd: list[Client]) -> int:
    """Requests that have been answered so far."""
    return sum(len(client.history) for client in crowd)


def gone(pid: int) -> None:
    """Wait until a process is no more; it is a child of the zygote, which reaps it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.002)
    raise AssertionError("the process does not end")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = soak(options.kills, clients=options.clients, seed=options.seed)
    lines = [
        "# A server that is killed under load",
        "",
        f"Printed by `make soak` ({options.clients} clients that repeat a request with the same id until it is answered; every",
        "twentieth time the process is stopped for 0.1 s first). The model was compared byte by byte with a replay of its log.",
        "A restart is that of the service alone: Python and its libraries are in memory already. *Repeated* requests had been",
        "recorded before, but their answer was lost with the process: they were told so and changed nothing.",
        "",
        "| what | number |",
        "|---|---|",
        *(f"| {key} | {value:,} |" for key, value in found.items()),
        "",
    ]
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines))
    assert found["lost"] == found["learned twice"] == 0


if __name__ == "__main__":
    main()
