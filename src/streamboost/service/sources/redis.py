"""A Redis stream: entries with one field ``data`` (or any first field) that holds a record in JSON."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult

from streamboost.service.sources.records import record
from streamboost.service.store import BadRequest, LearningStore

log = logging.getLogger("streamboost.sources")
BATCH = 500


class RedisSource:
    """One reader of one stream; the id of the last entry is in the store."""

    def __init__(self, store: LearningStore, model: str, url: SplitResult) -> None:
        try:
            import redis
        except ImportError as error:
            raise BadRequest('Redis needs the extra [redis]: pip install "streamboost[redis]".') from error
        self._errors = redis.RedisError
        self._store, self._model = store, model
        self._stream = url.path.strip("/")
        self._source = f"redis:{self._stream}"
        store.stream(model)
        self._client: Any = redis.Redis.from_url(url._replace(path="/0", query="").geturl())

    def run(self, stopping: Callable[[], bool]) -> None:
        """Follow until the service stops; a broker that is away is asked again."""
        last = self._store.offset(self._source).get("0", "0")
        try:
            while not stopping():
                try:
                    found = self._client.xread({self._stream: last}, count=BATCH, block=200)
                except self._errors as error:
                    log.warning("redis: %s", error)
                    time.sleep(0.5)
                    continue
                for entries in _entries(found):
                    after = entries[-1][0].decode()
                    raws = [fields.get(b"data", next(iter(fields.values()), b"")) for _, fields in entries]
                    place = (self._source, "0", after)
                    if not record(self._store, self._model, raws, place, stopping, log.warning):
                        return
                    last = after
        except Exception:
            log.exception("the source %s has stopped", self._source)
        finally:
            self._client.close()


def _entries(found: Any) -> list[list[tuple[bytes, dict[bytes, bytes]]]]:
    """The entries of the only stream, in the shape of either protocol."""
    groups = list(found.values()) if isinstance(found, dict) else [entries for _, entries in found or []]
    flat = [group[0] if group and isinstance(group[0], list) else group for group in groups]
    return [group for group in flat if group]
