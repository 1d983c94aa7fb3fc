"""Models and rows of any make, in the form that the library's loops take: scikit-learn's, River's, arrays, frames, dicts."""

from streamboost.adapters.any_model import SlidingWindow, Stepwise

__all__ = ["SlidingWindow", "Stepwise"]
