"""Prediction of real-valued sequences by a mixture of linear predictors of all orders."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from streamboost.base.files.archive import ModelFileError, write_archive
from streamboost.base.files.manifest import check_version
from streamboost.base.files.metadata import checked, entry, read
from streamboost.base.files.writing import write_model
from streamboost.report import Bound

if TYPE_CHECKING:
    from typing_extensions import Self

NAME, VERSION = "universal-predictor", 1
_LARGEST = 1e75  # squares of squares stay finite


class UniversalPredictor(BaseEstimator):
    r"""Universal prediction of a sequence (Singer and Feder): nearly as good as the best order in hindsight.

    Linear predictors of orders 1 to `max_order`, each fitted to the past by recursive least squares, are mixed by
    the exponential of their losses so far.

    When to use it: one real number at a time (load, temperature, a price), the next one wanted, and no idea how much
    of the past matters. Not a classifier.


    Parameters
    ----------
    max_order : int, default=8
        Longest memory.
    scale : float or None, default=None
        The constant c of the mixture. ``4 * A**2`` where no number will exceed A in size gives the guarantee below;
        None uses the largest number seen so far for A.
    ridge : float, default=1e-3
        Weight of the squared coefficients in the least squares.

    Notes
    -----
    With :math:`\ell_k` the summed squared error of order k, predictions being clipped to :math:`[-A, A]`,

    .. math:: \hat x = \sum_k \mu_k \hat x_k, \qquad \mu_k \propto e^{-\ell_k / (2c)}, \qquad
              \sum_t (x_t - \hat x_t)^2 \le \min_k \ell_k + 2 c \ln M,

    the last for every sequence within :math:`[-A, A]`, :math:`c = 4 A^2`. Cost :math:`O(M^3)` per number.

    References
    ----------
    A. Singer and M. Feder, Universal linear prediction by model order weighting, *IEEE Transactions on Signal
    Processing* 47 (1999).

    Examples
    --------
    >>> from streamboost import UniversalPredictor
    >>> model = UniversalPredictor(max_order=3)
    >>> for t in range(200):
    ...     model.learn_one((-0.9) ** t)
    >>> abs(model.predict_one() - (-0.9) ** 200) < 1e-6
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_order": [Interval(Integral, 1, 512, closed="both")],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
        "ridge": [Interval(Real, 0, None, closed="neither")],
    }
    _state: dict[str, NDArray[Any]] | None = None
    _metadata: Mapping[str, Any] = {}

    def __init__(self, max_order: int = 8, *, scale: float | None = None, ridge: float = 1e-3) -> None:
        self.max_order = max_order
        self.scale = scale
        self.ridge = ridge

    # Learning.

    def fit(self, x: ArrayLike, y: Any = None) -> Self:
        """Forget everything and learn a sequence."""
        self._state = None
        return self.partial_fit(x)

    def partial_fit(self, x: ArrayLike, y: Any = None) -> Self:
        """Learn the next numbers of the sequence."""
        self.test_then_train(x)
        return self

    def learn_one(self, x: float) -> None:
        """Learn the next number."""
        self.test_then_train([x])

    def test_then_train(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the prediction of each number before it is learned."""
        numbers = np.asarray(x, dtype=np.float64)
        if numbers.ndim != 1:
            raise ValueError(f"x must be a sequence of numbers, got an array of {numbers.ndim} axes.")
        if not (np.abs(numbers) <= _LARGEST).all():
            raise ValueError(f"x holds a number that is not finite or larger than {_LARGEST:g} in size.")
        if self._state is None:
            self._validate_params()
            self._state = self._start()
        out = np.empty(len(numbers))
        for t, value in enumerate(numbers.tolist()):
            out[t] = self._step(self._state, value)
        return out

    def _start(self) -> dict[str, NDArray[Any]]:
        m = int(self.max_order)
        inside = np.tri(m)  # row k: the coordinates that order k + 1 uses
        return {
            "past": np.zeros(m),
            "coefficients": np.zeros((m, m)),
            "covariance": np.eye(m) * inside[:, :, None] / float(self.ridge),
            "losses": np.zeros(m),
            "totals": np.zeros(3),  # loss of the mixture, largest size so far, numbers beyond the known bound
            "n_learned": np.zeros((), np.int64),
        }

    def _largest(self, state: dict[str, NDArray[Any]]) -> float:
        return math.sqrt(self.scale) / 2 if self.scale is not None else float(state["totals"][1])

    def _experts(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
        limit = self._largest(state)
        predictions: NDArray[np.float64] = np.clip(state["coefficients"] @ state["past"], -limit, limit)
        return predictions

    def _weights(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
        c = 4 * self._largest(state) ** 2
        gap = state["losses"] - state["losses"].min()
        mixture = np.exp(-gap / (2 * c)) if c > 0 else np.ones(len(gap))
        shares: NDArray[np.float64] = mixture / mixture.sum()
        return shares

    def _step(self, state: dict[str, NDArray[Any]], value: float) -> float:
        experts = self._experts(state)
        prediction = float(self._weights(state) @ experts)
        past, totals = state["past"], state["totals"]
        state["losses"] += (value - experts) ** 2
        totals[0] += (value - prediction) ** 2
        totals[2] += abs(value) > self._largest(state) * (1 + 1e-12)
        totals[1] = max(totals[1], abs(value))
        rows = past * np.tri(len(past))
        covariance = state["covariance"]
        direction = np.einsum("kij,kj->ki", covariance, rows)
        gain = direction / (1 + (rows * direction).sum(axis=1))[:, None]
        state["coefficients"] += gain * (value - state["coefficients"] @ past)[:, None]
        covariance -= gain[:, :, None] * direction[:, None, :]
        state["covariance"] = (covariance + covariance.transpose(0, 2, 1)) / 2
        state["past"] = np.concatenate([[value], past[:-1]])
        state["n_learned"] += 1
        return prediction

    # Answering.

    def predict_one(self) -> float:
        """Return the prediction of the next number; 0 before the first. Changes nothing."""
        if self._state is None:
            return 0.0
        return float(self._weights(self._state) @ self._experts(self._state))

    @property
    def order_weights_(self) -> NDArray[np.float64]:
        """Weights of the orders 1, 2, ... in the next prediction."""
        if self._state is None:
            raise AttributeError("This UniversalPredictor has learned nothing yet.")
        return self._weights(self._state)

    def bounds(self) -> tuple[Bound, ...]:
        """Return the guarantee against what happened."""
        if self._state is None:
            return ()
        totals, losses = self._state["totals"], self._state["losses"]
        c = 4 * self._largest(self._state) ** 2
        return (
            Bound(
                "loss of the mixture",
                float(totals[0]),
                float(losses.min() + 2 * c * math.log(len(losses))),
                "no number larger than was known before it",
                bool(totals[2] == 0),
                statement="summed squared error <= that of the best order + 2 c ln M",
            ),
        )

    # Files.

    def save(
        self, path: str | os.PathLike[str] | BinaryIO, *, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Write the model to a path or an opened file; read it back with :func:`streamboost.load`."""
        write_model(path, self.to_bytes(metadata=metadata))

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        if self._state is None:
            raise ValueError("This UniversalPredictor has learned nothing yet: there is nothing to save.")
        params = {
            "max_order": int(self.max_order),
            "scale": None if self.scale is None else float(self.scale),
            "ridge": float(self.ridge),
        }
        buffer = io.BytesIO()
        model = {"name": NAME, "version": VERSION, "params": params}
        facts = self._metadata if metadata is None else checked(metadata)
        write_archive(buffer, {"model": model, **entry(facts)}, self._state)
        return buffer.getvalue()

    @property
    def metadata_(self) -> dict[str, Any]:
        """The user's own facts that the model was loaded with."""
        return dict(self._metadata)


def is_predictor(manifest: dict[str, Any]) -> bool:
    """Whether a file holds a predictor."""
    model = manifest.get("model")
    return isinstance(model, dict) and model.get("name") == NAME


def read_predictor(manifest: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> UniversalPredictor:
    """Return the predictor of a file, or raise `ModelFileError`."""
    head = manifest["model"]
    params = head.get("params")
    if type(head.get("version")) is not int or not isinstance(params, dict):
        raise ModelFileError(f"the head of a {NAME!r} is damaged")
    check_version(NAME, head["version"], VERSION)
    if set(params) != {"max_order", "scale", "ridge"} or type(params["max_order"]) is not int:
        raise ModelFileError(f"the parameters of a {NAME!r} are not {sorted(params)}")
    model = UniversalPredictor(**params)
    try:
        model._validate_params()
    except ValueError as error:
        raise ModelFileError(str(error)) from error
    if sum(array.nbytes for array in arrays.values()) < 8 * params["max_order"] ** 3:
        raise ModelFileError("the arrays of the file are smaller than its model")
    fresh = model._start()
    if set(arrays) != set(fresh):
        raise ModelFileError(f"the arrays of the file are not those of a {NAME!r}")
    for name, array in arrays.items():
        if (
            array.dtype != fresh[name].dtype
            or array.shape != fresh[name].shape
            or not np.isfinite(array).all()
        ):
            raise ModelFileError(
                f"array {name!r} has the wrong type or shape, or a number that is not finite"
            )
    if (arrays["losses"] < 0).any() or (arrays["totals"] < 0).any() or arrays["n_learned"] < 0:
        raise ModelFileError("a sum of squares is negative")
    model._state = arrays
    model._metadata = read(manifest.get("metadata", {}))
    return model
