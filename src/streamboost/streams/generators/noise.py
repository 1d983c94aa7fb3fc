"""Label noise for generated streams."""

from __future__ import annotations

from streamboost.streams.base import DataError
from streamboost.streams.generators.base import (
    NOISE_PURPOSE,
    GeneratedStream,
    Rows,
    real,
    with_wrong_labels,
)
from streamboost.streams.generators.wrapper import WrappedStream


class LabelNoiseStream(WrappedStream):
    """A generator, with wrong labels.

    Parameters
    ----------
    stream : GeneratedStream
        Where the rows come from.
    rate : float
        The share of rows whose label is replaced by another one, each other label being as likely.
    seed : int, optional
        Key of the coin; that of the stream if it is left out.

    Examples
    --------
    >>> from streamboost.streams import LabelNoiseStream, WaveformStream
    >>> clean = WaveformStream()
    >>> noisy = LabelNoiseStream(clean, 0.25)
    >>> float((noisy.arrays(10_000)[1] != clean.arrays(10_000)[1]).mean().round(2))
    0.25
    """

    key = "label-noise"

    def __init__(self, stream: GeneratedStream, rate: float, *, seed: int | None = None) -> None:
        if not isinstance(stream, GeneratedStream):
            raise DataError(f"Labels of a generator can be made wrong, not those of {type(stream).__name__}.")
        self.stream = stream
        self.rate = real("label_noise", rate, 0.0, 1.0)
        super().__init__([stream], seed)

    def _canonical_name(self) -> str:
        return f"{self.stream.name} with {self.rate:g} label noise"

    def _make(self, first: int, n: int) -> Rows:
        X, y = self.stream.rows(first, n)
        return X, with_wrong_labels(y, self._coin(first, n, NOISE_PURPOSE), self.rate, self.n_classes)
