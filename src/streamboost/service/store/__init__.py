"""``LearningStore``: what a model learns is in a log before it is acknowledged."""

from streamboost.service.store.errors import (
    BadRequest,
    Conflict,
    NotFound,
    QueueFull,
    ReadOnly,
    Refused,
    StoreError,
)
from streamboost.service.store.records import Answer, Outcome, Work
from streamboost.service.store.settings import Limits, Settings
from streamboost.service.store.store import LearningStore, Prediction

__all__ = [
    "Answer",
    "BadRequest",
    "Conflict",
    "LearningStore",
    "Limits",
    "NotFound",
    "Outcome",
    "Prediction",
    "QueueFull",
    "ReadOnly",
    "Refused",
    "Settings",
    "StoreError",
    "Work",
]
