"""Which columns matter, for the command line."""

from __future__ import annotations

from typing import Any

import numpy as np


def importances_of(model: Any) -> dict[str, float] | None:
    """The importances that a model keeps, the largest first; None if it keeps none."""
    if not getattr(model, "importances", False) or not hasattr(model, "columns_"):
        return None
    values = np.asarray(model.feature_importances_)
    names = model.columns_.names or range(values.size)
    found = {str(name): float(value) for name, value in zip(names, values.tolist(), strict=True)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))
