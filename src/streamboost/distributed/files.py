"""Model files cut into shards, and shard files joined into the very file that one process would have written."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamboost.base.files.archive import ModelFileError, open_regular, read_archive, write_archive
from streamboost.base.files.persist import PARAMETER
from streamboost.base.files.writing import write_file
from streamboost.distributed.parts import Arrays, Lanes, Plan, check_lanes, cut_state, even_lanes, join_states
from streamboost.models import restore

PathLike = str | os.PathLike[str]


def cut(path: PathLike, n: int, out: PathLike | None = None) -> list[Path]:
    """Cut a model file into `n` shard files: ``model-1-of-3.sboost`` and so on.

    Parameters
    ----------
    path : str or path
        A model that `save` wrote.
    n : int
        How many shards.
    out : str or path, optional
        The folder for them (default: beside the file).

    Returns
    -------
    list of Path
        The files, in the order of their lanes.
    """
    path = Path(path)
    folder = path.parent if out is None else Path(out)
    with open_regular(path) as file:
        raw, arrays = read_archive(file)
    if "shard" in raw:
        raise ModelFileError(f"{path} is a shard already: join the shards of the model first.")
    session = restore(raw, dict(arrays)).session  # every claim of the file is checked by loading it
    plan = Plan(session.plan)
    plan.check()
    lanes = even_lanes(plan.n_lanes, n, plan.grain())
    manifest = {
        name: value for name, value in raw.items() if name not in ("format", "format_version", "arrays")
    }
    parameters, state = _apart(arrays)
    written = []
    for i, part in enumerate(cut_state(state, lanes)):
        target = folder / f"{path.stem}-{i + 1}-of-{n}{path.suffix}"
        shard = {"lanes": list(lanes[i]), "of": plan.n_lanes, "digest": plan.digest}
        write_file(target, _bytes({**manifest, "shard": shard}, {**parameters, **part}))
        written.append(target)
    return written


def join(paths: Sequence[PathLike], out: PathLike) -> Path:
    """Join shard files into one model file, byte for byte the one that a single process would have written.

    Parameters
    ----------
    paths : sequence of str or path
        The shards, in any order.
    out : str or path
        The model file.

    Returns
    -------
    Path
        The model file.
    """
    manifest, arrays = read_shards(paths)
    data = _bytes(manifest, arrays)
    raw, again = read_archive(io.BytesIO(data))
    restore(raw, again)  # refuses what could not be loaded, before a file is written
    write_file(out, data)
    return Path(out)


def read_shards(paths: Sequence[PathLike]) -> tuple[dict[str, Any], Arrays]:
    """Return manifest and arrays of the model whose shards these are."""
    found: list[tuple[Lanes, dict[str, Any], Arrays]] = []
    for path in paths:
        with open_regular(path) as file:
            raw, arrays = read_archive(file)
        if "shard" not in raw:
            raise ModelFileError(f"{path} is not a shard of a model.")
        found.append((_lanes(raw["shard"], path), raw, arrays))
    if not found:
        raise ModelFileError("there is no shard to join.")
    found.sort(key=lambda entry: entry[0])
    manifests = [_without_shard(raw) for _, raw, _ in found]
    if any(other != manifests[0] for other in manifests[1:]):
        raise ModelFileError("these are shards of different models, or of different moments of one.")
    parameters, _ = _apart(found[0][2])
    try:
        check_lanes([lanes for lanes, _, _ in found], int(found[0][1]["shard"]["of"]))
        state = join_states([_apart(arrays)[1] for _, _, arrays in found])
    except ValueError as error:
        raise ModelFileError(str(error)) from error
    return manifests[0], {**parameters, **state}


def _lanes(shard: Any, path: PathLike) -> Lanes:
    try:
        begin, end = shard["lanes"]
        if set(shard) == {"lanes", "of", "digest"} and all(type(x) is int for x in (begin, end, shard["of"])):
            return begin, end
    except (TypeError, ValueError, KeyError):
        pass
    raise ModelFileError(f"{path}: the file does not say which lanes it holds.")


def _without_shard(raw: dict[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in raw.items() if n not in ("format", "format_version", "arrays", "shard")}


def _apart(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """Return the arrays that are parameters, and those that are state."""
    parameters = {name: array for name, array in arrays.items() if name.startswith(PARAMETER)}
    return parameters, {name: array for name, array in arrays.items() if name not in parameters}


def _bytes(manifest: dict[str, Any], arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    write_archive(buffer, manifest, arrays)
    return buffer.getvalue()
