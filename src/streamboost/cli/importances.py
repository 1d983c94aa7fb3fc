"""Which columns matter, on a terminal."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamboost.report.explanation import bars

TOP = 10


def importances_of(model: Any) -> dict[str, float] | None:
    """The importances that a model keeps, the largest first; None if it keeps none."""
    if not getattr(model, "importances", False) or not hasattr(model, "columns_"):
        return None
    values = np.asarray(model.feature_importances_)
    names = model.columns_.names or range(values.size)
    found = {str(name): float(value) for name, value in zip(names, values.tolist(), strict=True)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def importance_lines(importances: dict[str, float]) -> list[str]:
    """A headline and a bar for each of the first ten columns."""
    shown = list(importances.items())[:TOP]
    more = f", {TOP} of {len(importances)} columns" if len(importances) > TOP else ""
    return [f"What the model looks at{more}: mean size of a column's contribution", *bars(shown)]
