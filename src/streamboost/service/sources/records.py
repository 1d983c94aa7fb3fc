"""What brokers bring, as work for the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from streamboost.service.http import bodies
from streamboost.service.store import BadRequest, LearningStore, QueueFull, ReadOnly, StoreError, Work
from streamboost.service.store.records import Kind
from streamboost.service.store.settings import Limits
from streamboost.service.store.store import check


def read(raw: bytes, limits: Limits) -> Work:
    """An example; without features it is a label, without a label an event."""
    fault: BadRequest
    try:
        example = bodies.read(raw, bodies.LabelledEvent)
        work = Work(Kind.EXAMPLE, example.id, example.features, example.label, example.weight)
    except BadRequest as error:
        fault = error
        try:
            truth = bodies.read(raw, bodies.Truth)
            work = Work(Kind.LABEL, truth.id, None, truth.label, truth.weight)
        except BadRequest:
            raise fault from None
    check(work, limits)
    return work


def record(
    store: LearningStore,
    model: str,
    raws: Iterable[bytes],
    offset: tuple[str, str, str],
    stopping: Callable[[], bool],
    complain: Callable[[str], None],
) -> bool:
    """Record a batch with the place where the source goes on after it; waits while the store cannot. False: not recorded."""
    limits = store.stream(model).limits
    work = []
    for raw in raws:
        try:
            work.append(read(raw, limits))
        except (
            StoreError
        ) as error:  # nothing that anybody could learn; the source must not stand still for it
            complain(f"a record is left out: {error.message}")
    while not stopping():
        try:
            store.submit(model, work, offset).result()
            return True
        except (QueueFull, ReadOnly):
            time.sleep(0.2)
    return False
