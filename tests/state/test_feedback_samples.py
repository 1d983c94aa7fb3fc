"""Files of models of label sets, of budgets and of rewards load for ever and answer as they did.

`python -m tests.state.test_feedback_samples` writes those that are missing, and never one that is there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streamboost
from streamboost import (
    ActiveClassifier,
    AdaOLMRClassifier,
    BanditBoostingClassifier,
    BinaryRelevanceClassifier,
    ClassifierChain,
    HoeffdingTree,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
)

FILES = Path(__file__).parent / "files" / "feedback"
RNG = np.random.default_rng(3)
X = RNG.integers(-8, 9, size=(80, 3)) / 4
Y = (X + RNG.normal(size=X.shape) > 0).astype(int)


def build() -> dict[str, Any]:
    """Name -> a model that has learned some rows."""
    tree = HoeffdingTree(grace_period=10)
    bagged = OnlineBaggingClassifier(n_estimators=2, calibration=None, random_state=1)
    sets = {
        "online-bmr": OnlineBMRClassifier(tree, n_estimators=3, edge=0.03, random_state=1),
        "ada-olmr": AdaOLMRClassifier(NaiveBayes(), n_estimators=3, random_state=1),
        "binary-relevance": BinaryRelevanceClassifier(bagged),
        "classifier-chain": ClassifierChain(bagged),
    }
    for model in sets.values():
        model.partial_fit(X[:60], Y[:60], labels=["a", "b", "c"])
    single = {
        "active": ActiveClassifier(bagged, budget=0.5, random_share=0.2, rule="paper", random_state=1),
        "active-quantile": ActiveClassifier(bagged, budget=0.5, random_state=1),
        "active-disagreement": ActiveClassifier(bagged, budget=0.5, query="disagreement", random_state=1),
        **{
            f"bandit-{base}": BanditBoostingClassifier(
                NaiveBayes(), labels=[0, 1, 2], base=base, n_estimators=3, random_state=1
            )
            for base in ("mbbm", "olm", "osboost")
        },
        "bandit-rewards": BanditBoostingClassifier(bagged, labels=[0, 1, 2], random_state=1),
    }
    for model in single.values():
        model.test_then_train(X[:60], Y[:60].sum(axis=1) % 3)
    return {**sets, **single}


def answers(model: Any) -> Any:
    return model.predict_proba(X[60:66]).tolist()


NAMES = sorted(path.stem for path in FILES.glob("*.sboost"))


def test_there_is_a_sample_of_every_one():
    assert sorted(build()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_old_files_answer_as_they_did_and_go_on(name):
    model = streamboost.load(FILES / f"{name}.sboost")
    assert answers(model) == json.loads((FILES / "answers.json").read_text())[name]
    fresh = build()[name]
    for one in (model, fresh):
        one.test_then_train(X[60:], Y[60:] if not name.startswith(("active", "bandit")) else Y[60:, 0])
    assert answers(model) == answers(fresh)


def main() -> None:
    FILES.mkdir(parents=True, exist_ok=True)
    book = FILES / "answers.json"
    known = json.loads(book.read_text()) if book.exists() else {}
    for name, model in build().items():
        if name not in known:
            model.save(FILES / f"{name}.sboost")
            known[name] = answers(model)
    book.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
