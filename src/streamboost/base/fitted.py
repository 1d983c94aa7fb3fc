"""What a started model can say about itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.session import Session


class FittedAttributes:
    """Public attributes that exist once the first rows have come; before that they raise AttributeError."""

    _session: Session | None

    def _known(self) -> Session:
        if self._session is None:
            raise AttributeError(f"This {type(self).__name__} has not seen any data yet.")
        return self._session

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels known so far, sorted."""
        return self._known().labels.classes

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self._known().schema.width

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if they have any."""
        names = self._known().schema.names
        if names is None or not all(isinstance(name, str) for name in names):
            raise AttributeError("feature_names_in_: the columns have no names")
        return np.array(names, dtype=object)

    def memory_bytes(self) -> int:
        """Return the size of the learned state in the core, in bytes; 0 before the first call."""
        return 0 if self._session is None else self._session.model.memory_bytes()

    def __sklearn_is_fitted__(self) -> bool:
        return self._session is not None and self._session.knows_classes
