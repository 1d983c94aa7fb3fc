"""scikit-learn without its slow imports: what a stream never calls is imported when somebody calls it.

Most of the time of ``import sklearn.base`` goes to `scipy.stats`, to `pandas` where it is installed, and to what SciPy's
``from numpy import *`` brings along (`numpy.f2py`, `numpy.testing`); it binds their names and does nothing else with them.
While it is imported they are placeholders, which import the real thing when they are asked for something. Only the
command line and its workers do this: in a session of Python the imports belong to the user.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

POSTPONED = ("scipy.stats", "pandas", "numpy.f2py", "numpy.testing")


class _Placeholder(ModuleType):
    """A module that is imported when somebody asks for something in it."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_sklearn() -> None:
    """Import scikit-learn's base classes without what they do not need."""
    if "sklearn.base" in sys.modules:
        return
    placeholders = [_put_placeholder(name) for name in POSTPONED if name not in sys.modules]
    importlib.import_module("sklearn.base")
    for placeholder in placeholders:
        # From here on others that import the module get the module.
        if placeholder is not None and sys.modules.get(placeholder.__name__) is placeholder:
            del sys.modules[placeholder.__name__]


def _put_placeholder(name: str) -> ModuleType | None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    placeholder = _Placeholder(name)
    placeholder.__spec__, placeholder.__file__ = spec, spec.origin
    placeholder.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[name] = placeholder
    parent, _, own = name.rpartition(".")
    if parent == "numpy":  # or it would look the name up again at every use
        setattr(sys.modules[parent], own, placeholder)
    return placeholder
