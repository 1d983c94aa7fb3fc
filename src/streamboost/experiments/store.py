"""Finished runs, one small file each, written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.files.writing import write_file
from streamboost.experiments.plan import FORMAT, Run

DONE, REFUSED, FAILED = "done", "refused", "failed"


@dataclass(frozen=True)
class Record:
    """The record of a finished run.

    ``status`` is "done"; "refused" if the model said that it cannot take this data, with its reason in ``message``; or
    "failed". ``wrong`` has one bit per row in the order of the run, 1 for a wrong answer: curves over any window can be
    drawn from it. Where numbers were predicted it has the absolute error of every row instead (NaN: no answer). In
    cross-validation the test rows of all orders follow each other.
    """

    status: str
    message: str = ""
    figures: dict[str, Any] | None = None
    wrong: npt.NDArray[Any] | None = None

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.status == DONE

    def figure(self, name: str) -> Any:
        """One of the figures of a run that is done."""
        if self.figures is None:
            raise ValueError(f"A run that was {self.status} has no figures.")
        return self.figures[name]

    def measure(self, name: str) -> float:
        """A metric of a run that is done: one that was asked for, or one that every run has."""
        asked: dict[str, float] = self.figure("metrics")
        if name == "error" or (name == "mae" and name not in asked):
            return float(np.mean(self.figure("errors")))
        return float(asked[name] if name in asked else self.figure(name))

    def errors_of_rows(self) -> npt.NDArray[Any]:
        """Which rows were answered wrongly, or how far off their answers were."""
        if self.wrong is None:
            raise ValueError(f"A run that was {self.status} has no answers.")
        if self.wrong.dtype.kind == "f":
            return self.wrong
        return np.unpackbits(self.wrong, count=self.figure("n_answers")).astype(np.bool_)


class RunStore:
    """A folder of records. Failed runs are not kept: they are tried again."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, run: Run) -> Path:
        """Where the record of a run is, or will be."""
        return self.folder / f"{run.key}.npz"

    def read(self, run: Run) -> Record | None:
        """The record of a run that was finished; None if there is none that can be read."""
        try:
            with open(self.path(run), "rb") as raw, np.load(raw, allow_pickle=False) as file:
                about = json.loads(bytes(file["about"]).decode())
                if about["format"] != FORMAT:
                    return None
                return Record(about["status"], about["message"], about["figures"], file["wrong"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def write(self, run: Run, record: Record) -> None:
        """Keep a record: under another name first, so that a file with the right name is a whole one."""
        if record.status == FAILED:
            return
        about = {
            "format": FORMAT,
            "run": run.identity(),
            "status": record.status,
            "message": record.message,
            "figures": record.figures,
        }
        buffer = io.BytesIO()
        text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        np.savez_compressed(
            buffer, about=text, wrong=np.zeros(0, np.uint8) if record.wrong is None else record.wrong
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        write_file(self.path(run), buffer.getvalue())
