"""Hypothesis strategies for small streams, and for the ways to cut them.

Hypothesis chooses shapes, kinds and a seed; NumPy fills in the values. So examples are cheap and generic (few accidental
ties), while `grid` asks for coarse values, repeated rows and equal columns on purpose.
"""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

NAMES = ([0, 1, 2, 3], [7, -2, 5, 3], ["b", "d", "a", "c"])


@dataclass
class Stream:
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    categorical: list
    classes: list | None  # declared labels, or None: discovered
    labels: list = field(default_factory=list)

    def __len__(self):
        return len(self.y)

    def rows(self, select):
        """The rows of a slice or mask, as keyword arguments of the learning verbs."""
        return {"X": self.X[select], "y": self.y[select], "sample_weight": self.weight[select]}

    @property
    def everything(self):
        return self.rows(slice(None))

    def codes(self):
        """Class codes as the model gives them out; -1 for labels that only rows of weight 0 show."""
        order = sorted(self.classes) if self.classes is not None else []
        if self.classes is None:
            for label, w in zip(self.y.tolist(), self.weight.tolist(), strict=True):
                if w > 0 and label not in order:
                    order.append(label)
        return [order.index(label) if label in order else -1 for label in self.y.tolist()], order


@st.composite
def streams(
    draw,
    kinds=("numeric",),
    n_classes=(2, 2),
    min_rows=1,
    max_rows=14,
    weights=True,
    declared=None,
    missing=True,
    declare_above=None,
):
    """A stream whose labels may appear late and whose cells may be missing.

    kinds: which of numeric, nominal, mixed, counts (whole numbers, mostly 0). n_classes: (fewest, most). declared: True,
    False or None (either).
    declare_above: with more classes than that they are always declared.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(kinds))
    n, d = draw(st.integers(min_rows, max_rows)), draw(st.integers(2 if kind == "mixed" else 1, 4))
    k = draw(st.integers(*n_classes))
    names = draw(st.sampled_from(NAMES))[:k]
    grid = draw(st.booleans())

    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 2.0], size=d)
    X = np.clip(np.round(X) if grid else X, -8, 8)
    if kind == "counts":
        X = np.floor(np.abs(X) * rng.integers(0, 2, size=(n, d)) * 2)
    if kind in ("numeric", "counts"):
        categorical = []
    else:
        categorical = list(range(d)) if kind == "nominal" else sorted({0, *rng.choice(d - 1, 1).tolist()})
        for j in categorical:
            X[:, j] = rng.choice([4.0, 0.0, 9.0, 2.0][: rng.integers(1, 5)], size=n)
    if missing and draw(st.booleans()):
        X[rng.random((n, d)) < 0.2] = np.nan
    if draw(st.booleans()):
        # labels follow the data, so that learners become good and boosting weights spread out
        codes = (np.nan_to_num(X).sum(axis=1) > rng.normal()).astype(int) * rng.integers(1, max(k, 2), size=n)
        codes = np.minimum(codes, k - 1)
    else:
        codes = rng.integers(0, k, size=n)
    late = rng.integers(0, max(1, n // 2), size=k)
    late[rng.integers(k)] = 0
    codes = np.array([c if t >= late[c] else int(np.argmin(late)) for t, c in enumerate(codes)], dtype=int)

    how = draw(st.sampled_from(["ones", "zeros", "fractions", "wide"])) if weights else "ones"
    weight = {
        "ones": np.ones(n),
        "zeros": rng.choice([0.0, 1.0], size=n, p=[0.3, 0.7]),
        "fractions": rng.choice([0.0, 0.25, 0.5, 1.0, 1.7], size=n),
        "wide": np.round(10 ** rng.uniform(-2, 1.5, size=n), 3),
    }[how]
    if len(weight) and weight[0] == 0:
        weight[0] = 1.0  # rows of weight 0 start no model
    declare = draw(st.booleans()) if declared is None else declared
    declare |= declare_above is not None and k > declare_above
    return Stream(
        X, np.array(names)[codes], weight, categorical, list(names) if declare else None, list(names)
    )


def chunkings(n):
    """Slices that cover rows 0..n-1 in order."""
    cuts = st.lists(st.integers(1, max(1, n - 1)), max_size=4, unique=True).map(sorted)
    return cuts.map(lambda at: [slice(a, b) for a, b in zip([0, *at], [*at, n], strict=True) if a < b])


def lane_cuts(n_estimators):
    """Where to cut the lanes: any ascending numbers inside."""
    if n_estimators < 2:
        return st.just(())
    return st.lists(st.integers(1, n_estimators - 1), unique=True, max_size=4).map(
        lambda at: tuple(sorted(at))
    )


seeds = st.integers(0, 2**31 - 1)
