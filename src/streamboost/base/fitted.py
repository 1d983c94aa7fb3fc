"""What a started model can say about itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.naming import ColumnNames, column_names
from streamboost.base.sharing import SharedModel


class FittedAttributes(SharedModel):
    """Public attributes that exist once the first rows have come; before that they raise AttributeError."""

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self._read(lambda session: session.schema.width, fitted=False)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if they have any."""
        names = self.columns_.names
        if names is None or not all(isinstance(name, str) for name in names):
            raise AttributeError("feature_names_in_: the columns have no names")
        return np.array(names, dtype=object)

    @property
    def columns_(self) -> ColumnNames:
        """Names of the columns (None: by position), and the categories of the nominal ones in order of their codes."""
        return self._read(lambda session: column_names(session.schema), fitted=False)

    @property
    def n_learned_(self) -> int:
        """Number of rows learned so far, those of weight 0 aside."""
        return self._read(lambda session: session.model.n_learned, fitted=False)

    def has_columns(self, names: Iterable[Any]) -> bool:
        """Whether all of these are columns of the model already."""
        if self._session is None:
            return False
        return self._read(lambda session: all(name in session.schema.index for name in names), fitted=False)

    def memory_bytes(self) -> int:
        """Return the size of the learned state in the core, in bytes; 0 before the first call."""
        if self._session is None:
            return 0
        return self._read(lambda session: session.model.memory_bytes(), fitted=False)

    def __sklearn_is_fitted__(self) -> bool:
        return self._session is not None and self._read(lambda session: session.knows_classes, fitted=False)
