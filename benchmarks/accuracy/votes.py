"""Log loss of every classifier's votes, raw and tempered, beside the constant shares of the classes.

    python -m benchmarks.accuracy.votes

Ten learners each, of three kinds; test, then train, the first rows of sets of the folder STREAMBOOST_DATA.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.data import Data
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import catalogue
from streamboost.catalogue import ModelEntry

SETS = (
    "drift-sea", "drift-agr-abrupt", "drift-rbffast", "ijcnn1", "census-income-train", "covtype", "shuttle", "spam-499",
)  # fmt: skip
LEARNERS: tuple[Any, ...] = (sb.NaiveBayes, sb.HoeffdingTree, sb.Perceptron)
ROWS = 8000


def log_loss(proba: Any, y: Any) -> float:
    return float(-np.log(np.clip(proba[np.arange(len(y)), y], 1e-6, 1)).mean())


def by_label(labels: Any, y: Any, k: int) -> float:
    """The log loss of the best constant chances of each answered label, in hindsight, none above the label's own."""
    lost = 0.0
    for label in np.unique(labels):
        share = np.bincount(y[labels == label], minlength=k) / (labels == label).sum()
        tied = [label]  # with the label's: all that are more frequent
        while (most := max(set(range(k)) - set(tied), key=lambda c: share[c], default=None)) is not None:
            if share[most] <= share[tied].mean():
                break
            tied.append(most)
        chance = share.copy()
        chance[tied] = share[tied].mean()
        lost -= (labels == label).mean() * float(share[share > 0] @ np.log(chance[share > 0]))
    return lost


def run(entry: ModelEntry, learner: Any, data: Data) -> tuple[float, float, Any]:
    """The log loss of the raw votes and of the tempered ones, and the labels, which must be the same."""
    given: dict[str, Any] = {"estimator": learner()} if learner else {}
    if entry.sized:
        given["n_estimators"] = 10
    if data.nominal:
        given["categorical_features"] = data.nominal
    losses, answers = [], []
    for method in (None, "temperature"):
        model = getattr(sb, entry.class_name)(random_state=1, calibration=method, **given)
        labels, proba = model.test_then_train(data.X, data.y, classes=np.arange(data.k), output="both")
        losses.append(log_loss(proba, data.y))
        answers.append(labels)
    assert np.array_equal(*answers)
    return losses[0], losses[1], answers[0]


def main() -> None:
    args = parser("accuracy.votes", __doc__).parse_args()
    page = Page("votes", "Votes and probabilities", args)
    sets = [Data(name, ROWS) for name in (SETS[:2] if args.quick else SETS)]
    shares = {data.name: np.bincount(data.y, minlength=data.k) / len(data.y) for data in sets}
    constant = {name: float(-(s[s > 0] @ np.log(s[s > 0]))) for name, s in shares.items()}
    table = Table(
        "Log loss, means over sets and learners",
        ["classifier", "runs", "raw", "tempered", "class shares", "most over raw", "above the shares"],
    )
    above = Table(
        "Above the class shares by more than 0.002",
        [
            "classifier",
            "learner",
            "set",
            "raw",
            "tempered",
            "class shares",
            "by label",
            "accuracy",
            "of the largest class",
        ],
    )
    for entry in catalogue.MODELS:
        # The default's own pools are learned on the logarithmic loss.
        if not entry.streams or entry.experts or entry.name == "streamboost":
            continue
        found = []
        for data in sets:
            if entry.max_classes is not None and data.k > entry.max_classes:
                continue
            own = not entry.learner or entry.learner_task == "regression"
            for learner in (None,) if own else LEARNERS:
                raw, tempered, labels = run(entry, learner, data)
                found.append((raw, tempered, constant[data.name]))
                if tempered > constant[data.name] + 0.002:
                    above.add(
                        entry.name, learner.__name__ if learner else "-", data.name, *found[-1],
                        by_label(labels, data.y, data.k), float((labels == data.y).mean()), float(shares[data.name].max()),
                    )  # fmt: skip
        all_ = np.array(found)
        table.add(
            entry.name, len(found), *all_.mean(axis=0).tolist(), float((all_[:, 1] - all_[:, 0]).max()),
            int((all_[:, 1] > all_[:, 2] + 0.002).sum()),
        )  # fmt: skip
    page.preface.append("- Labels are the same, raw and tempered. Tempered is the default.")
    above.note = (
        "By label: the best constant chances of each answered label, in hindsight, none above the label's own. A label that "
        "is right in less than half of the cases costs more than the shares of the classes, whatever chances stand beside it."
    )
    page.add(table)
    page.add(above)
    page.write()


if __name__ == "__main__":
    main()
