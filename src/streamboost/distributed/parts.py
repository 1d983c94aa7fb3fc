"""An ensemble in parts: which lanes each part has, how a state is cut, and how states come together again.

Arrays of a state are of three kinds. Per lane: two axes, the last one lanes. Ragged: the cells of all lanes end to end, beside
their lengths (``name`` and ``name.length``). Shared: everything else, the same in all parts, except for the combiner's, which is
the last part's. What answers beside the ensemble (companions, a pool) or after it lives with the last part alone.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core

Arrays = dict[str, NDArray[Any]]
Lanes = tuple[int, int]

_MAINS = ("columns/online/main/", "columns/main/", "columns/", "online/main/", "main/")
"""The ensemble's own fields, where companions answer beside it; of wide rows behind the columns that it sees."""
_OF_LANES = ("bank/", "lane/", "monitor/", "guard/", "spare/")
_OF_PARTS = (*_OF_LANES, "intake/", "combiner/", "rows/", "tokens/")
_OF_ALL = ("class_weight/", "lags/", "encoded/")
"""Around the ensemble, and yet in every part: what learners are given depends on it."""
_STAGES_OF_ALL = ("class_weight", "class_weight_keep", "target")
_BESIDE = (
    "companions",
    "pool",
    "outer_companions",
    "outer_pool",
    "experts",
    "referee",
    "whole_companions",
    "whole_pool",
)
_LENGTH = ".length"
_VECTOR = 16  # lanes of a bank come in multiples of this


@dataclass(frozen=True)
class Plan:
    """The arguments of the core's model, of which each part of an ensemble is made."""

    core: dict[str, Any]

    @property
    def n_lanes(self) -> int:
        """Learners of the whole ensemble."""
        return int(self.core["n_estimators"])

    @property
    def digest(self) -> str:
        """The same for the same model, whatever its lanes and threads."""
        described = {
            name: _told(value) for name, value in self.core.items() if name not in ("threads", "lane_factory")
        }
        return hashlib.sha256(repr(sorted(described.items())).encode()).hexdigest()

    @property
    def answers(self) -> bool:
        """Whether something after the vote needs the answers to every row."""
        return any(self.core.get(name) for name in (*_BESIDE, "stages"))

    def check(self) -> None:
        """Refuse a model whose learners cannot leave this process."""
        if self.core.get("lane_factory") is not None:
            raise ValueError(
                "Shards cannot hold learners written in Python: they live in this process. Use one of streamboost's own "
                "learners, or the model without shards."
            )
        if "detectors" in self.core.get("guard", {}):
            raise ValueError(
                "Shards cannot hold drift detectors written in Python: they live in this process. Use one of streamboost's own "
                "detectors, or the model without shards."
            )

    def check_learning(self) -> None:
        """Refuse a model that parts of it cannot learn as the whole does."""
        self.check()
        if self.core.get("unlabeled"):
            raise ValueError(
                'Shards do not take unlabeled="statistics": their log holds rows that were learned. Use unlabeled="ignore", or '
                "the model without shards."
            )
        if (self.core.get("stages") or {}).get("importances_half_life") is not None:
            raise ValueError(
                "Shards do not take importances=True: rows are explained by all learners at once, and no shard has all of them. "
                "Explain rows with a copy in one process (to_model), or use the model without shards."
            )

    def model(self, lanes: Lanes) -> _core.Model:
        """Return the part with these lanes."""
        core = {**self.core, "threads": 1, "lanes": lanes}
        if lanes[1] < self.n_lanes:  # what answers beside or after the ensemble lives with the last part
            for name in _BESIDE:
                core.pop(name, None)
            stages = self.core.get("stages") or {}
            core["stages"] = {name: stages[name] for name in _STAGES_OF_ALL if name in stages}
        return _core.Model(**core)

    def whole(self) -> _core.Model:
        """Return the ensemble in one piece."""
        return _core.Model(**self.core)

    def grain(self) -> int:
        """Return the number of lanes that must stay together."""
        return _core.Stage(self.model((0, self.n_lanes))).grain


def _told(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((str(name), _told(item)) for name, item in value.items())
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_told(item) for item in value] if isinstance(value, list | tuple) else value


def even_lanes(n_lanes: int, n: int, grain: int = 1) -> list[Lanes]:
    """Return the lanes of `n` parts of about the same size; no vector stays half empty if there are lanes enough."""
    most = n_lanes // grain
    if not 1 <= n <= most:
        raise ValueError(
            f"n={n} is not allowed: an ensemble of {n_lanes} learners has 1 to {most} shards"
            + (f", because {grain} of them belong together." if grain > 1 else ".")
        )
    wide = math.lcm(_VECTOR, grain)
    unit = wide if n_lanes >= 2 * n * wide else grain
    edges = [n_lanes * i // n // unit * unit for i in range(n)] + [n_lanes]
    return list(itertools.pairwise(edges))


def check_lanes(lanes: Sequence[Lanes], n_lanes: int) -> None:
    """Refuse parts that are not the whole ensemble, each lane once."""
    ends = [0, *(end for _, end in lanes)]
    if [begin for begin, _ in lanes] != ends[:-1] or ends[-1] != n_lanes or any(b >= e for b, e in lanes):
        raise ValueError(
            f"the shards have the lanes {list(lanes)}, which are not all of 0 to {n_lanes}, each once."
        )


def _main_of(state: Mapping[str, Any]) -> str:
    """Return how the names of the ensemble's own fields begin."""
    return next((main for main in _MAINS if any(name.startswith(main) for name in state)), "")


def cut_state(state: Mapping[str, NDArray[Any]], lanes: Sequence[Lanes]) -> list[Arrays]:
    """Return the states of parts with these lanes."""
    n_lanes = lanes[-1][1]
    check_lanes(lanes, n_lanes)
    main = _main_of(state)
    parts: list[Arrays] = [{} for _ in lanes]
    for name, array in state.items():
        own = name.removeprefix(main)
        if name.startswith(_OF_ALL):
            for part in parts:
                part[name] = array
            continue
        if not name.startswith(main) or not own.startswith(_OF_PARTS):
            parts[-1][name] = array
            continue
        pieces = _pieces(name, array, state, lanes) if own.startswith(_OF_LANES) else None
        for i in range(len(lanes)):
            key = name if i == len(lanes) - 1 else own
            parts[i][key] = array if pieces is None else np.ascontiguousarray(pieces[i])
    return parts


def _pieces(
    name: str, array: NDArray[Any], state: Mapping[str, NDArray[Any]], lanes: Sequence[Lanes]
) -> list[NDArray[Any]] | None:
    if array.ndim == 2:
        return [array[:, begin:end] for begin, end in lanes]
    if name.endswith(_LENGTH) and name.removesuffix(_LENGTH) in state:
        return [array[begin:end] for begin, end in lanes]
    if name + _LENGTH in state:
        at = np.concatenate([[0], np.cumsum(state[name + _LENGTH])])
        return [array[at[begin] : at[end]] for begin, end in lanes]
    return None


def join_states(parts: Sequence[Mapping[str, NDArray[Any]]]) -> Arrays:
    """Return the state of the whole ensemble. Parts that have not learned the same rows are refused."""
    last = parts[-1]
    main = _main_of(last)
    names = {name.removeprefix(main) for name in last if name.startswith(main)}
    joined: Arrays = {}
    for name, array in last.items():
        own = name.removeprefix(main)
        if name.startswith(_OF_ALL) and any(
            not np.array_equal(part.get(name, array), array) for part in parts[:-1]
        ):
            raise ValueError(f"the shards have not learned the same rows: {name} differs.")
        if not name.startswith(main) or not own.startswith(_OF_PARTS):
            joined[name] = array
            continue
        found = [part.get(own) for part in parts[:-1]]
        if any(other is None or other.ndim != array.ndim or other.dtype != array.dtype for other in found):
            raise ValueError(f"the shards do not belong together: {own} is not in all of them.")
        all_parts: list[NDArray[Any]] = [other for other in found if other is not None] + [array]
        ragged = own + _LENGTH in names or (own.endswith(_LENGTH) and own.removesuffix(_LENGTH) in names)
        if own.startswith(_OF_LANES) and (array.ndim == 2 or ragged):
            joined[name] = np.ascontiguousarray(np.concatenate(all_parts, axis=array.ndim - 1))
        else:
            if not own.startswith("combiner/") and any(not np.array_equal(a, array) for a in all_parts[:-1]):
                raise ValueError(f"the shards have not learned the same rows: {own} differs.")
            joined[name] = array
    return joined
