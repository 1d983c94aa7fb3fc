"""Base class of streams made of other generated streams."""

from __future__ import annotations

from collections.abc import Sequence

from streamboost.streams.generators.base import Floats, GeneratedStream, uniforms


class WrappedStream(GeneratedStream):
    """A stream over one or more generators with the same columns; it has the length of the first."""

    def __init__(self, inner: Sequence[GeneratedStream], seed: int | None) -> None:
        head = inner[0]
        assert head.feature_names is not None
        assert head.nominal is not None
        # A wrapper inside a wrapper needs draws of its own, or one would undo what the other did.
        self._depth: int = 1 + max(getattr(stream, "_depth", -1) for stream in inner)
        super().__init__(
            seed=head.seed if seed is None else seed,
            n_rows=head.n_rows,
            columns=head.feature_names,
            nominal=head.nominal,
            n_classes=head.n_classes,
        )

    def _coin(self, first: int, n: int, purpose: int) -> Floats:
        """One uniform per row."""
        return uniforms(self.seed, first, n, self._depth + 1, purpose)[:, self._depth]
