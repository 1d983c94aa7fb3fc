"""Linear learners of other libraries, asked for probabilities before every row; those that are not installed are not listed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

Rows = Any
Run = Callable[[Any, int], Rows]


def vw_lines(X: Rows, nominal: Iterable[int]) -> list[str]:
    """Numbers as they are, a nominal value as a feature of its own, missing cells left out."""
    nominal = set(nominal)
    lines = []
    for row in X.tolist():
        cells = [
            f"n{j}_{x:g}" if j in nominal else f"{j}:{x:.9g}"
            for j, x in enumerate(row)
            if x == x and (j in nominal or x != 0)
        ]
        lines.append("| " + " ".join(cells))
    return lines


def _vw(*arguments: str) -> Run:
    def run(data: Any, n: int) -> Rows:
        import vowpalwabbit

        boosts = "--boosting" in arguments
        if boosts and data.k > 2:
            return None
        words = [word.replace("{n}", str(n)) for word in arguments]
        if data.k > 2:
            words += ["--oaa", str(data.k), "--probabilities"]
        else:
            words += ["--link", "logistic"] if not boosts else []
        machine = vowpalwabbit.Workspace(arg_list=["--quiet", "--loss_function", "logistic", *words])
        p = np.full((len(data.y), data.k), 1 / data.k)
        for t, (line, label) in enumerate(zip(vw_lines(data.X, data.nominal), data.y.tolist(), strict=True)):
            said = machine.predict(line)
            if data.k > 2:
                p[t] = said
            else:
                # Boosting answers -1 or 1, or a margin: squeezed, for log loss and AUC.
                one = said if not boosts else 1 / (1 + np.exp(-2 * np.clip(said, -5, 5)))
                p[t] = 1 - one, one
            machine.learn(f"{label + 1 if data.k > 2 else 2 * label - 1} {line}")
        machine.finish()
        return p

    return run


def _river(data: Any, n: int) -> Rows:
    from river import linear_model, preprocessing

    learner = linear_model.LogisticRegression() if data.k == 2 else linear_model.SoftmaxRegression()
    model = preprocessing.StandardScaler() | learner
    p = np.full((len(data.y), data.k), 1 / data.k)
    for t, (row, label) in enumerate(zip(data.one_hot().tolist(), data.y.tolist(), strict=True)):
        x = dict(enumerate(row))
        said = model.predict_proba_one(x)
        if said:
            p[t] = [said.get(bool(c) if data.k == 2 else c, 0.0) for c in range(data.k)]
        model.learn_one(x, bool(label) if data.k == 2 else label)
    return p


def _sgd(data: Any, n: int) -> Rows:
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    X, scaler, model = data.one_hot(), StandardScaler(), SGDClassifier(loss="log_loss", random_state=0)
    p = np.full((len(data.y), data.k), 1 / data.k)
    for begin, end in pairwise([*range(0, len(data.y), 50), len(data.y)]):
        if begin:
            p[begin:end] = model.predict_proba(scaler.transform(X[begin:end]))
        scaler.partial_fit(X[begin:end])
        model.partial_fit(scaler.transform(X[begin:end]), data.y[begin:end], classes=np.arange(data.k))
    return p


_ALL: dict[str, tuple[str, Run]] = {
    "vw": ("vowpalwabbit", _vw()),
    "vw boosting, adaptive": ("vowpalwabbit", _vw("--boosting", "{n}", "--alg", "adaptive")),
    "vw boosting, BBM": ("vowpalwabbit", _vw("--boosting", "{n}", "--alg", "BBM")),
    "river, scaled logistic": ("river", _river),
    "scikit-learn SGD, scaled, blocks of 50": ("sklearn", _sgd),
}
PEERS: dict[str, Run] = {
    name: run for name, (package, run) in _ALL.items() if importlib.util.find_spec(package) is not None
}
