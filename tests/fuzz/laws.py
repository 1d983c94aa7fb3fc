"""The laws with everything at once: chunks, single rows, threads, files, snapshots and questions in between, at random.

However a stream is served, the file of the model is the same to the last bit.
"""

from __future__ import annotations

import warnings

import numpy as np

from tests.catalogue import Rows
from tests.fuzz.models import chooser, example, random_maker, random_rows
from tests.laws.serving import check_laws


class Laws:
    """One stream, served in different ways."""

    name = "laws"
    cases = 60

    def attack(self, number: int) -> str:
        """Serve stream `number` of the endless list in one call, and in pieces with interludes."""
        rng = np.random.default_rng([22, number])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make = random_maker(rng)
            X, y, weight = random_rows(rng, int(rng.integers(5, 120)))
            given = example(make(), X, y, weight)
            stream = Rows(X, given["y"], weight, [], given.get("classes"))
            happened = check_laws(make, stream, chooser(rng))
        return f"same through {len(happened)} interludes" if len(happened) < 3 else "same through 3 or more"
