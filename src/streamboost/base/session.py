"""Everything a model has learned, and the one way a block of rows reaches the core."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.inputs.arrays import CodedRows, largest_magnitude
from streamboost.base.inputs.codes import MOST_CATEGORIES
from streamboost.base.inputs.dicts import UNSCALED, FastRow
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Growth, Schema
from streamboost.base.params import BoosterPlan, LearnerPlan

JUDGED_AFTER = 1000
"""Examples learned before the behaviour of an ensemble says anything about it."""


class Session:
    """The state behind a started estimator: code maps in Python, numbers in the core."""

    def __init__(
        self,
        title: str,
        booster: BoosterPlan,
        learner: LearnerPlan,
        *,
        n_estimators: int,
        seed: int,
        tie: str,
        monitor: bool,
        threads: int = 1,
        labels: ClassCodes,
        schema: Schema,
        frozen: dict[str, Any],
    ) -> None:
        self.title = title
        self.booster = booster
        self.learner = learner
        self.seed = seed
        self.labels = labels
        self.schema = schema
        self.frozen = frozen
        self.monitor = monitor
        self.broken: str | None = None
        self.warned = False
        self.judged = False
        self.full = False  # whether it was said that memory is short
        self.capped: set[int] = set()
        self.fast: FastRow | None = None
        self.model = _core.Model(
            booster.name,
            booster.params,
            learner.bank,
            learner.params,
            n_estimators,
            seed,
            tie,
            monitor,
            lane_factory=learner.lane_factory,
            threads=1 if learner.lane_factory is not None else threads,  # Python learners hold the GIL
        )

    @property
    def knows_classes(self) -> bool:
        """Whether a class was declared or learned."""
        return len(self.labels) > 0

    def check_classes(self, new: list[Any]) -> None:
        """Refuse labels that this algorithm or its learner cannot take, before anything is learned."""
        total = len(self.labels) + len(new)
        known = [*self.labels.classes.tolist(), *new][:10]
        limit = self.booster.max_classes
        if limit is not None and total > limit:
            raise ValueError(
                f"Only binary classification is supported. {self.title} tells two classes apart but got {total}: "
                f"{known}. Use OnlineBoostingClassifier, or one model per class: "
                f"sklearn.multiclass.OneVsRestClassifier({self.title}(...))."
            )
        if self.booster.declared and not self.labels.declared:
            raise ValueError(
                f"{self.title} must know all classes before its first row: pass classes= to the first partial_fit, "
                f"test_then_train or learn_one, or use fit (found so far: {known})."
            )
        discovers = self.learner.discovers
        if self.labels.declared or discovers is None:
            return
        if total > max(discovers, limit or 0):
            raise ValueError(
                f"{self.learner.title} with {'more than two' if discovers else 'any'} classes must know them before "
                f"its first row: pass classes= to the first partial_fit, test_then_train or learn_one (found so far: {known})."
            )

    def check_scale(self, block: CodedRows) -> None:
        """Warn once about features that drown the others in a linear learner."""
        if self.warned or not self.learner.warns_unscaled:
            return
        largest = largest_magnitude(block, self.schema)
        if largest > UNSCALED:
            self.warned = True
            warnings.warn(
                f"X holds values as large as {largest:.3g}, and {self.learner.title} has scale='none'. Linear "
                f"learners expect features of about the same small size: scale X, or set scale='maxabs' or "
                "scale='standard'.",
                UserWarning,
                stacklevel=4,
            )

    def check_capped(self, growth: Growth) -> None:
        """Warn once about each column with more values than a model keeps."""
        for column in growth.capped:
            if column not in self.capped:
                self.capped.add(column)
                warnings.warn(
                    f"{self.schema.title(column)} has more than {MOST_CATEGORIES} different values; values that came after "
                    "those are treated as missing. A column of identifiers says little: leave it out, group its "
                    "values, or hash them into fewer (examples/text_hashing.py shows how).",
                    UserWarning,
                    stacklevel=5,
                )

    def reserve(self, growth: Growth, n_classes: int) -> None:
        """Let the core grow before a block."""
        counts = self.schema.n_values(growth)
        self.model.reserve(len(counts), counts, n_classes, self.labels.declared)
        scope = self.learner.scope
        if scope is not None:
            scope.n_classes = max(n_classes, self.booster.max_classes or 0)
            names = range(self.schema.width) if self.schema.names is None else self.schema.names
            scope.names = [*names, *growth.names]
            scope.values = [None if book is None else list(book.values) for book in self.schema.books]
            scope.values += [[] if nominal else None for nominal in growth.nominal]
            for column, new in growth.values.items():
                values = scope.values[column]
                if values is not None:
                    values += new

    def reserve_all(self) -> None:
        """Let the core take the size that the code maps have."""
        self.reserve(Growth(), len(self.labels))

    def learn(
        self,
        block: CodedRows,
        codes: NDArray[np.int32],
        weight: NDArray[np.float64] | None,
        new_labels: list[Any],
        answer: str,
    ) -> NDArray[Any] | None:
        """Learn a validated block, reserved for; code maps change only when the core has taken all of it."""
        self.check_capped(block.growth)
        knew_none = not self.knows_classes
        if weight is not None and not weight.any():
            # Nothing to learn: the same as asking, and no label needs a code.
            return self.ask(block, answer) if answer != "none" else None
        try:
            raw = self._run(block, codes, weight, answer)
        except BaseException as error:
            self.broken = f"{type(error).__name__}: {error}"
            self.fast = None
            raise
        self.schema.commit(block.growth)
        self.labels.extend(new_labels)
        self.refresh_fast()
        if raw is not None and knew_none:
            first = 0 if weight is None else int(np.argmax(weight > 0))
            raw[: first + 1] = -1 if answer == "label" else np.nan
        return raw

    def ask(self, block: CodedRows, answer: str) -> NDArray[Any]:
        """Answer for a block without touching the model."""
        if not self.knows_classes:
            if answer == "label":
                return np.full(block.n_rows, -1, np.int32)
            return np.full((block.n_rows, 1 if answer == "both" else 0), np.nan)
        raw = self._run(block, None, None, answer)
        if raw is None:
            raise RuntimeError("the core gave no answer")
        return raw

    def _run(
        self, block: CodedRows, y: NDArray[np.int32] | None, weight: NDArray[np.float64] | None, answer: str
    ) -> NDArray[Any] | None:
        if block.csr is not None:
            return self.model.run_csr(*block.csr, y, weight, answer)
        if block.dense is None:
            raise RuntimeError("a block is dense or CSR")
        return self.model.run(block.dense, y, weight, answer)

    def refresh_fast(self) -> None:
        """Prepare the short way for dict rows; Python-written learners take the long one."""
        watch = self.learner.warns_unscaled and not self.warned and self.schema.all_numeric
        if self.fast is not None and self.fast.covers(self.schema, self.labels):
            self.fast.watch_scale = watch
            return
        if self.learner.lane_factory is None and self.knows_classes and FastRow.fits(self.schema):
            self.fast = FastRow(self.schema, self.labels, self.model, watch)
        else:
            self.fast = None
