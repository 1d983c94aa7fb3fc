"""Snapshots: a model file that is on the disk, whole, before the row that names it.

Rows that the model remembers lie in files of their own, which snapshots share (`base/files/rows_apart.py`): each snapshot
writes those that are new since the one before it. They are on the disk before the model's file, and go with the last
snapshot that needs them.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamboost.base.estimator import Estimator
from streamboost.base.files import persist, writing
from streamboost.base.files.archive import ModelFileError, open_regular
from streamboost.base.files.rows_apart import Place, RowShelf, pieces_of
from streamboost.base.system import remove_file
from streamboost.models import load
from streamboost.service.store.candidates import Candidate
from streamboost.service.store.database import Database

FOLDER = "snapshots"
log = logging.getLogger("streamboost.store")


@dataclass(frozen=True)
class Snapshot:
    """A model and its scores at a sequence number, ready to be written."""

    candidate: int
    seq: int
    model: Any
    scores: bytes


def take(candidate: Candidate) -> Snapshot | None:
    """Hold on to the state of now; None if nothing was learned."""
    candidate.publish_if_due(1.0, now=True)
    if not candidate.trained:
        return None
    return Snapshot(
        candidate.number, candidate.reader.seq, candidate.reader.model, candidate.scores.to_bytes()
    )


def write_file(folder: Path, snapshot: Snapshot) -> tuple[str, str]:
    """Write the files (a temporary name, synced, renamed, the folder synced); returns the model's name and checksum."""
    name = f"{snapshot.candidate}-{snapshot.seq}.sboost"
    path = folder / FOLDER / name
    if not isinstance(snapshot.model, Estimator):
        snapshot.model.save(path)
        return name, checksum(path)
    shelf = RowShelf(snapshot.candidate, _rows_there(folder, snapshot.candidate))
    data = persist.to_bytes(snapshot.model, shelf=shelf)
    if shelf.name:
        writing.write_file(folder / FOLDER / shelf.name, shelf.data)
    writing.write_file(path, data)
    return name, hashlib.sha256(data).hexdigest()


def _rows_there(folder: Path, candidate: int) -> dict[str, Place]:
    """Where the rows of the newest snapshot of a candidate lie. Whether they stay is seen when the next one is named."""
    files = (folder / FOLDER).glob(f"{candidate}-*.sboost")
    newest = max(files, key=lambda path: int(path.stem.partition("-")[2]), default=None)
    try:
        found = {} if newest is None else pieces_of(newest)
    except (OSError, ModelFileError):
        return {}
    there = {file for file in {file for file, _ in found.values()} if (folder / FOLDER / file).exists()}
    return {sha256: place for sha256, place in found.items() if place[0] in there}


def rows_of(folder: Path, name: str) -> set[str]:
    """The files of rows that a snapshot needs; none of one that is damaged."""
    try:
        return {file for file, _ in pieces_of(folder / FOLDER / name).values()}
    except (FileNotFoundError, ModelFileError):
        return set()


def is_whole(folder: Path, name: str) -> bool:
    """Whether the rows of a snapshot are still there: others may have been forgotten since it was begun."""
    return all((folder / FOLDER / file).exists() for file in rows_of(folder, name))


def add_row(db: Database, snapshot: Snapshot, name: str, sha256: str, at: float) -> None:
    """Name the file in the database; the caller holds the transaction."""
    db.run(
        "INSERT OR REPLACE INTO snapshots(candidate, seq, file, sha256, at, scores) VALUES(?, ?, ?, ?, ?, ?)",
        (snapshot.candidate, snapshot.seq, name, sha256, at, snapshot.scores),
    )


def prune(db: Database, folder: Path, candidate: int, keep: int, reach: float) -> list[Path]:
    """Forget what is not kept; returns the files to remove once that is committed."""
    rows = db.rows("SELECT seq, file, at FROM snapshots WHERE candidate=? ORDER BY seq DESC", (candidate,))
    kept = set(thinned([at for _, _, at in rows], keep, reach))
    old = [(seq, file) for i, (seq, file, _) in enumerate(rows) if i not in kept]
    for seq, _ in old:
        db.run("DELETE FROM snapshots WHERE candidate=? AND seq=?", (candidate, seq))
    needed = set().union(*(rows_of(folder, rows[i][1]) for i in kept))
    rows_files = (folder / FOLDER).glob(f"{candidate}-*.rows")
    return [folder / FOLDER / name for _, name in old] + [
        path for path in rows_files if path.name not in needed
    ]


def remove_all(folder: Path, candidate: int) -> None:
    """Remove all files of a candidate that is gone."""
    for path in (folder / FOLDER).glob(f"{candidate}-*"):
        remove_file(path)


def thinned(ats: list[float], keep: int, reach: float) -> list[int]:
    """Which snapshots to keep, given their times, newest first: many young ones, few old ones, back to ``reach`` seconds.

    The log is kept from the oldest one on, so that any record after it can be gone back to.
    """
    ages = [ats[0] - at for at in ats]
    kept = [i for i, age in enumerate(ages) if i < 2 or age <= reach or ages[i - 1] < reach]
    while len(kept) > keep:
        inner = range(2, len(kept) - 1) if keep > 2 else range(keep, len(kept))
        # The one whose neighbours are closest to each other, for their age.
        kept.pop(min(inner, key=lambda k: _gap(ages, kept, k)))
    return kept


def _gap(ages: list[float], kept: list[int], k: int) -> float:
    older = ages[kept[k + 1]] if k + 1 < len(kept) else ages[kept[k]]
    return (older - ages[kept[k - 1]]) / (ages[kept[k]] + 60.0)


def remove_strays(db: Database, folder: Path) -> None:
    """Remove files that no row names: they were written just before a crash."""
    named = {name for (name,) in db.rows("SELECT file FROM snapshots")}
    try:
        named |= set().union(*(rows_of(folder, name) for name in named))
    except OSError as error:  # files of rows stay until it is known what they are for
        log.error("a snapshot cannot be looked at: %s", error)
        named |= {path.name for path in (folder / FOLDER).glob("*.rows")}
    if (folder / FOLDER).is_dir():
        for path in (folder / FOLDER).iterdir():
            if path.name not in named:
                remove_file(path)


def read(folder: Path, name: str, sha256: str) -> Any | None:
    """Return the model of a file if its checksum holds and it loads; else None, which is logged."""
    path = folder / FOLDER / name
    try:
        if checksum(path) != sha256:
            raise ModelFileError("the checksum is not the one that was recorded")
        return load(path)
    except (OSError, ModelFileError) as error:
        log.error("snapshot %s cannot be used, an older one is taken: %s", name, error)
        return None


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
