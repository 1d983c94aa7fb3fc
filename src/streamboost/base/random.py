"""From ``random_state`` to the key of all draws.

Every draw of a model is a pure function of (seed, example, lane, purpose, attempt); this module only makes the seed.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from streamboost import _core

BLACK_BOX_SEED = 8  # purpose number, part of the file format


def draw_seed(random_state: Any) -> int:
    """Return the key of a new model: an integer is its own key, anything else is drawn from."""
    if isinstance(random_state, Integral):
        return int(random_state)
    generator = check_random_state(random_state)
    high, low = generator.randint(0, 2**32, size=2, dtype=np.uint64)
    return int(high) << 32 | int(low)


def known_state(seed: int) -> int | None:
    """Return the ``random_state`` of a model that has been loaded with this key; None if it was drawn."""
    return seed if seed < 2**32 else None


def lane_seed(seed: int, lane: int) -> int:
    """Return the seed of one Python-written learner, in the range scikit-learn accepts."""
    return int(_core.uniform(seed, 0, lane, BLACK_BOX_SEED) * 2**32)
