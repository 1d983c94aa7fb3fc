"""Stores of models by key with bytes or rows changed: refused as a damaged file, or opened and then used for every key."""

from __future__ import annotations

import json
import sqlite3
import struct
import tempfile
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from streamboost.distributed import KeyedClassifier
from tests.distributed.test_keyed_store import rows
from tests.distributed.test_messages import mutant

_HEADS = [
    "",
    "{",
    "[]",
    "null",
    "7",
    '{"n": 3}',
    '{"n": -1, "own": 0, "global": 0}',
    '{"n": 1e999, "own": 0, "global": 0}',
    '{"n": "x", "own": null, "global": {}}',
    '{"n": 9007199254740993, "own": NaN, "global": 0}',
    '{"counts": 7}',
    '{"counts": [[1, "a"]]}',
    "[" * 5000,
]


def _model() -> Any:
    return sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)


class KeyedStores:
    """Stores of a few keys, mutated."""

    name = "keyed-stores"
    cases = 40

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with KeyedClassifier(_model(), "who", folder=folder) as keyed:
                for x, y in rows(120, keys=5):
                    keyed.learn_one(x, y)
            with sqlite3.connect(Path(folder) / "models.sqlite") as db:
                db.execute("PRAGMA journal_mode=DELETE")
            db.close()
            self._file = (Path(folder) / "models.sqlite").read_bytes()

    def attack(self, number: int) -> str:
        """Change a store, open it and go on."""
        rng = np.random.default_rng(number)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "models.sqlite"
            path.write_bytes(self._file)
            _change_bytes(path, rng) if number % 3 == 0 else _change_rows(path, rng)
            try:
                keyed = KeyedClassifier(_model(), "who", folder=folder, max_models=2)
            except ValueError:
                return "refused"
            refused = 0
            for x, y in rows(30, keys=6, seed=number):
                try:
                    keyed.predict_proba_one(x)
                    keyed.learn_one(x, y)
                except ValueError:
                    refused += 1
            keyed._closed = True
            keyed._store._db.close()
            return "some keys refused" if refused else "used"


def _change_bytes(path: Path, rng: np.random.Generator) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(int(rng.integers(1, 8))):
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    if rng.random() < 0.2:
        del data[int(rng.integers(len(data))) :]
    path.write_bytes(data)


def _change_rows(path: Path, rng: np.random.Generator) -> None:
    db = sqlite3.connect(path)
    found = db.execute("SELECT key, head, data FROM models").fetchall()
    for _ in range(int(rng.integers(1, 4))):
        key, head, data = found[int(rng.integers(len(found)))]
        kind = int(rng.integers(6))
        if kind == 0:
            head = _HEADS[int(rng.integers(len(_HEADS)))]
        elif kind == 1 and len(data) > 120 and (len(data) - 40) % 8 == 0:  # its numbers, signed again
            data = data[:40] + mutant(rng, data[40:])
        elif kind == 2:
            data = mutant(rng, data[: len(data) // 8 * 8].ljust(256, b"\0"))
        elif kind == 3 and data[:4] == b"SBMT":  # its counts, signed again
            place = 8 + 4 * int(rng.integers(6))
            data = data[:place] + struct.pack("<i", int(rng.integers(-(2**31), 2**31))) + data[place + 4 :]
            rest = data[8:40]
            data = data[:4] + zlib.crc32(rest).to_bytes(4, "little") + data[8:]
        elif kind == 4:
            data = str(json.dumps(head)) if rng.random() < 0.5 else 7
        else:
            noise = bytes(rng.integers(0, 256, 50, dtype=np.uint8))
            db.execute("UPDATE texts SET text = text || ?", (noise,))
        db.execute("UPDATE models SET head = ?, data = ? WHERE key = ?", (head, data, key))
    db.commit()
    db.close()
