"""Brokers as sources of the same log: records as in ``/learn``, the offset in the same transaction.

A source asks the store where it goes on, not the broker: a crash neither loses nor repeats an example.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from streamboost.service.store import BadRequest, LearningStore

log = logging.getLogger("streamboost.sources")


def follow(
    store: LearningStore, urls: tuple[str, ...], model: str | None, stopping: Callable[[], bool]
) -> list[threading.Thread]:
    """Follow sources, each in a thread of its own, until the service stops."""
    threads = []
    for url in urls:
        act = make(store, url, model)
        thread = threading.Thread(
            target=act, args=(stopping,), name=f"source {url.split('?')[0]}", daemon=True
        )
        thread.start()
        threads.append(thread)
    return threads


def make(store: LearningStore, url: str, model: str | None) -> Callable[[Callable[[], bool]], None]:
    """Return what follows a source: ``kafka://host:9092/topic?group=g`` or ``redis://host:6379/stream``."""
    parts = urlsplit(url)
    topic = parts.path.strip("/")
    if not topic or "/" in topic:
        raise BadRequest(
            f"{url}: a source names one topic or stream: kafka://host:9092/topic.", field="source"
        )
    name = model or topic
    if parts.scheme == "kafka":
        from streamboost.service.sources.kafka import KafkaSource

        return KafkaSource(store, name, parts).run
    if parts.scheme in ("redis", "rediss"):
        from streamboost.service.sources.redis import RedisSource

        return RedisSource(store, name, parts).run
    raise BadRequest(f"{url}: sources begin with kafka:// or redis://.", field="source")
