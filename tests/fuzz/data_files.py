"""Data files with bytes changed, put in, taken out, doubled or cut off, text and binary: read, or refused in one line.

Every row that comes out is finite and of the right width, a second pass gives the same rows, and what a reader says is a
`DataError` that names the file. The time of the processor is bounded.
"""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from streamboost.streams import DataError, open_stream

ROWS = 60
SLOW = 2.0  # seconds of the processor, for some thousand bytes
_ARFF = "@relation r\n@attribute a real\n@attribute b {x,y,z}\n@attribute label {p,q}\n@data\n"


def _files() -> dict[str, bytes]:
    rng = np.random.default_rng(11)
    rows = [(round(float(v), 3), "xyz"[i % 3], "pq"[i % 2]) for i, v in enumerate(rng.normal(size=ROWS))]
    cells = "".join(f"{a},{b},{y}\n" for a, b, y in rows)
    table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows], "label": [r[2] for r in rows]})
    parquet, packed, arrow, feather = (io.BytesIO() for _ in range(4))
    pa.parquet.write_table(table, parquet, compression="none")
    pa.parquet.write_table(table, packed, row_group_size=20)
    pa.feather.write_feather(table, feather, compression="uncompressed")
    with pa.ipc.new_stream(arrow, table.schema) as writer:
        writer.write_table(table)
    text = {
        "csv": f'a,b,label\n{cells}"1.5","x\ny",q\n',
        "arff": _ARFF + cells,
        "jsonl": "".join(json.dumps({"a": a, "b": b, "label": y}) + "\n" for a, b, y in rows),
        "libsvm": "".join(
            f"{len(y + b) * (i % 2)} 1:{a} {2 + i % 5}:1\n" for i, (a, b, y) in enumerate(rows)
        ),
        "vw": "".join(f"{1 - 2 * (i % 2)} {1 + i % 2} |n a:{a} {b}\n" for i, (a, b, _) in enumerate(rows)),
    }
    files = {name: content.encode() for name, content in text.items()}
    files["json"] = b"[" + files["jsonl"].strip().replace(b"\n", b",\n") + b"]"
    files["xlsx"] = _workbook(rows)
    files["csv.gz"] = gzip.compress(files["csv"], mtime=0)
    streams = {"parquet": parquet, "pq": packed, "arrow": arrow, "feather": feather}
    return files | {name: stream.getvalue() for name, stream in streams.items()}


def _workbook(rows: list[tuple[float, str, str]]) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in [("a", "b", "label"), *rows]:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _mutant(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for _ in range(1 + int(rng.integers(4))):
        at = int(rng.integers(len(changed) + 1))
        length = 1 + int(rng.integers(16))
        action = int(rng.integers(6))
        if action == 0:
            changed[at : at + 1] = rng.bytes(1)
        elif action == 1:
            changed[at:at] = rng.bytes(length)
        elif action == 2:
            del changed[at : at + length]
        elif action == 3:
            changed[at:at] = changed[at : at + 8 * length]
        elif action == 4:
            changed = changed[:at]
        else:
            changed[at : at + 4] = int(rng.choice([0, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000])).to_bytes(
                4, "little"
            )
    return bytes(changed)


class DataFiles:
    """Mutated data files of every format."""

    name = "data-files"
    cases = 300

    def __init__(self) -> None:
        self.files = _files()
        self.names = sorted(self.files)

    def attack(self, number: int) -> str:
        """Change file `number` of the endless list and read it twice."""
        rng = np.random.default_rng([21, number])
        name = self.names[number % len(self.names)]
        data = _mutant(self.files[name], rng)
        options: dict[str, Any] = {"on_bad_line": "skip"} if rng.random() < 0.5 else {}
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / f"data.{name}"
            path.write_bytes(data)
            outcome = self._read(path, options)
        if time.process_time() - began > SLOW:
            raise AssertionError(f"{name} took {time.process_time() - began:.0f} s")
        return outcome

    def _read(self, path: Path, options: dict[str, Any]) -> str:
        try:
            stream = open_stream(path, **options)
            if _rows(stream, 1000) != _rows(stream, 7):
                raise AssertionError("two passes differ")
        except DataError as error:
            if str(path) not in str(error) or "\n" in str(error):
                raise AssertionError(f"not a clear message: {error}") from error
            return "refused"
        return "read"


def _rows(stream: Any, size: int) -> list[Any]:
    found: list[Any] = []
    for chunk in stream.chunks(size):
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else chunk.X
        if X.shape != (len(chunk), stream.n_features) or np.isinf(X).any():
            raise AssertionError("a row that is not as it should be")
        found += zip(chunk.lines.tolist(), chunk.y.tolist(), np.nan_to_num(X, nan=-9e9).tolist(), strict=True)
    return found
