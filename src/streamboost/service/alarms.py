"""What an operator should hear of when it happens: drift, columns that change, an error above the baseline.

A thread of its own looks at the copies that readers use, so the writer never waits. Each alarm is a line in the log, a gauge,
a line on the page and, where an address was given, a JSON body that is posted to it.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.request
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from streamboost.service.store import LearningStore, StoreError
from streamboost.service.store.streams import Stream

log = logging.getLogger("streamboost.alarms")
KINDS = ("drift", "columns", "error")
EVERY = 2.0
"""Seconds between two looks."""
ENOUGH = 500
"""Examples before an error is compared with a baseline."""
DRIFT_LASTS = 1_000
"""Examples for which a drift counts as recent."""
TIMEOUT = 5.0
"""Seconds that a receiver of alarms may take; an alarm that is not taken is tried once more."""


@dataclass(frozen=True)
class Alarm:
    """One thing that has happened to a model."""

    model: str
    kind: str
    message: str
    seq: int
    at: float


class Alarms:
    """Looks at all models of a store from time to time."""

    def __init__(self, store: LearningStore, url: str | None = None, every: float = EVERY) -> None:
        self._store, self._url, self._every = store, url, every
        self.recent: deque[Alarm] = deque(maxlen=100)
        """The newest last."""
        self.active: dict[tuple[str, str], str] = {}
        """What holds now, by model and kind."""
        self.undelivered = 0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, name="streamboost-alarms", daemon=True)]
        self._to_tell: deque[Alarm] = deque(maxlen=100)
        self._told = threading.Semaphore(0)
        if url is not None:
            self._threads.append(threading.Thread(target=self._tell, name="streamboost-webhook", daemon=True))
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Look no more."""
        self._stop.set()
        self._told.release()

    def of(self, model: str) -> list[dict[str, Any]]:
        """What holds now for a model."""
        return [
            {"kind": kind, "message": text} for (name, kind), text in self.active.items() if name == model
        ]

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self.look()
            except StoreError:
                continue  # not ready yet, or no more
            except Exception as error:  # the thread that watches must not end
                log.error("alarms could not be looked for", exc_info=error)

    def look(self) -> None:
        """One round: alarms that were not raised before are sent."""
        now: dict[tuple[str, str], str] = {}
        for name in self._store.names:
            stream = self._store.stream(name)
            now |= {(name, kind): text for kind, text in found(stream).items()}
            for kind in KINDS:
                if (name, kind) in now and (name, kind) not in self.active:
                    self._raise(Alarm(name, kind, now[name, kind], stream.champion.reader.seq, time.time()))
        self.active = now

    def _raise(self, alarm: Alarm) -> None:
        log.warning("alarm: %s", alarm.message, extra={"model": alarm.model, "kind": alarm.kind})
        self.recent.append(alarm)
        if self._url is not None:
            self._to_tell.append(alarm)
            self._told.release()

    def _tell(self) -> None:
        while self._told.acquire() and not self._stop.is_set():
            alarm = self._to_tell.popleft()
            if not (self._post(alarm) or self._post(alarm)):
                self.undelivered += 1

    def _post(self, alarm: Alarm) -> bool:
        assert self._url is not None
        body = json.dumps(asdict(alarm)).encode()
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT):
                return True
        except (OSError, ValueError) as error:
            log.error("an alarm was not delivered: %s", error)
            return False


def found(stream: Stream) -> dict[str, str]:
    """What deserves a look at this moment, by kind."""
    model, scores = stream.champion.reader.model, stream.champion.scores.values()
    alarms = {}
    if model is not None:
        drifts = drifts_of(model)
        if drifts and int(model.n_learned_) - drifts[-1] <= DRIFT_LASTS:
            alarms["drift"] = (
                f"{stream.name}: the stream has changed around example {drifts[-1]:,}; learners were replaced."
            )
        changed = changed_columns(model)
        if changed:
            alarms["columns"] = f"{stream.name}: {' '.join(changed)}"
    error = scores["windowed"].get("error", scores["windowed"].get("mae"))
    names = {name: value for name, value in scores["baselines"].items() if value is not None}
    if scores["n"] >= ENOUGH and error is not None and names:
        best = min(names, key=names.__getitem__)
        if error > names[best]:
            alarms["error"] = (
                f"{stream.name}: the error of the last {scores['window']:,} examples is {error:.4g}; "
                f"the {best} alone gives {names[best]:.4g}."
            )
    return alarms


def drifts_of(model: Any) -> list[int]:
    """Examples at which learners were replaced."""
    return [int(row[0]) for row in model.report().replacements] if hasattr(model, "report") else []


def changed_columns(model: Any) -> list[str]:
    """Sentences about columns that are not what they were, of a model that keeps its health."""
    if not getattr(model, "keep_health", False):
        return []
    return [text for text in model.health().warnings if "column " in text]
