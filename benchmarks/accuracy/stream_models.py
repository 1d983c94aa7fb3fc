"""Models for ``benchmarks.accuracy.streams``: ours, baselines, and other libraries' behind the loop's ``test_then_train``."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.data import Data, Floats
from benchmarks.accuracy.peer import MoaRows, Peer
from streamboost.baselines import MajorityClassifier, NoChangeClassifier


@dataclass(frozen=True)
class Entry:
    """A model of the comparison."""

    make: Callable[[Data, int], Any]
    """From a stream, for what must be known of its columns, and a seed."""
    package: str = "streamboost"
    two_classes: bool = False
    """Whether it takes no more than two."""
    ours: bool = False

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None


class ClassPeer(Peer):
    """One that gives a chance to each class: ``ask`` answers a number per class, not all of them 0; or None."""

    clock = staticmethod(time.process_time)

    def __init__(self, data: Data, seed: int) -> None:
        self.data, self.seed = data, seed
        self.classes_ = np.arange(data.k)
        self.start()

    def start(self) -> None: ...

    def final_bytes(self) -> float:
        """Size of the model at the end, as well as the library can tell."""
        return float("nan")

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> Any:
        """Answer each row, then learn it unless its weight is 0."""
        p = np.full((len(y), self.data.k), np.nan)
        answers = np.empty(len(y), dtype=object)
        for t, said in enumerate(self.said(X, y, sample_weight)):
            if said is not None:
                p[t, : len(said)] = said
                p[t] = np.nan_to_num(p[t]) / np.nansum(p[t])
                answers[t] = int(p[t].argmax())
        return (answers, p) if output == "both" else answers


class VowpalWabbit(ClassPeer):
    """One against all of logistic losses, or one logistic loss; everything else at its default."""

    def start(self) -> None:
        import vowpalwabbit

        many = ["--oaa", str(self.data.k), "--probabilities"]
        words = many if self.data.k > 2 else ["--link", "logistic"]
        self.machine = vowpalwabbit.Workspace(arg_list=["--quiet", "--loss_function", "logistic", *words])

    def rows(self, X: Floats) -> Iterator[str]:
        """Numbers as they are, a nominal value as a feature of its own, missing cells left out."""
        nominal = set(self.data.nominal)
        for row in X.tolist():
            cells = [
                f"n{j}_{x:g}" if j in nominal else f"{j}:{x:.9g}"
                for j, x in enumerate(row)
                if x == x and (j in nominal or x != 0)
            ]
            yield "| " + " ".join(cells)

    def ask(self, row: Any) -> Any:
        said = self.machine.predict(row)
        return said if self.data.k > 2 else (1 - said, said)

    def learn(self, row: Any, label: int) -> None:
        self.machine.learn(f"{label + 1 if self.data.k > 2 else 2 * label - 1} {row}")


class River(ClassPeer):
    """A class of ``river.forest`` or ``river.ensemble`` by its name; nominal values are texts, missing ones absent."""

    def __init__(self, data: Data, seed: int, module: str, name: str) -> None:
        self._module, self._name = module, name
        super().__init__(data, seed)

    def start(self) -> None:
        self.model = getattr(importlib.import_module(self._module), self._name)(seed=self.seed)

    def rows(self, X: Floats) -> Iterator[Any]:
        nominal = set(self.data.nominal)
        for row in X.tolist():
            yield {j: str(x) if j in nominal else x for j, x in enumerate(row) if x == x}

    def ask(self, row: Any) -> Any:
        said = self.model.predict_proba_one(row)
        return [said.get(c, 0.0) for c in range(self.data.k)] if sum(said.values()) > 0 else None

    def learn(self, row: Any, label: int) -> None:
        self.model.learn_one(row, label)

    def final_bytes(self) -> float:
        return float(self.model._raw_memory_usage)


class Moa(ClassPeer):
    """A learner of MOA by its command line, in the JVM that CapyMOA starts."""

    def __init__(self, data: Data, seed: int, cli: str) -> None:
        self._cli = cli
        super().__init__(data, seed)

    def start(self) -> None:
        self._make()
        self.learner.setModelContext(self._rows.header)
        self.learner.prepareForUse()

    def _make(self) -> None:
        from benchmarks.peers import run_moa as moa

        values = [
            int(np.nanmax(self.data.X[:, j])) + 1 if j in self.data.nominal else None
            for j in range(self.data.X.shape[1])
        ]
        self._moa, self._rows = moa, MoaRows(values, self.data.k)
        self._heap = moa.used_heap()
        self.learner = moa.ClassOption.cliStringToObject(self._cli, moa.Classifier, None)
        if self.learner.isRandomizable():
            self.learner.setRandomSeed(self.seed)

    def rows(self, X: Floats) -> Iterator[Any]:
        return self._rows.of(X)

    def ask(self, row: Any) -> Any:
        said = np.array(self.learner.getVotesForInstance(row))[: self.data.k]
        return said if said.size and np.isfinite(said).all() and said.sum() > 0 else None

    def learn(self, row: Any, label: int) -> None:
        row.setClassValue(float(label))
        self.learner.trainOnInstance(row)

    def final_bytes(self) -> float:
        return float(self._moa.used_heap() - self._heap)


class Retrained:
    """LightGBM with its own defaults, refitted on all the past each time it has grown by a fifth, from row 100 on.

    Until then it answers the class shares. Rows between two fits are answered in one call. ``pause``: CPU of the longest fit.
    """

    first, least_step, growth = 100, 50, 1.2

    def __init__(self, data: Data, seed: int) -> None:
        self.data, self.seed = data, seed
        self.classes_ = np.arange(data.k)
        self.shares = np.full(data.k, 0.5)
        self.learned: list[Floats] = []
        self.labels: list[int] = []
        self.next, self.pause, self.seconds = self.first, 0.0, 0.0
        self.model: Any = None

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> Any:
        began, asked = time.process_time(), 0
        p = np.empty((len(y), self.data.k))
        for t, label in enumerate(y.tolist()):
            p[t] = self.shares / self.shares.sum()
            if sample_weight is not None and not sample_weight[t] > 0:
                continue
            self.shares[label] += 1
            self.learned.append(X[t])
            self.labels.append(label)
            if len(self.labels) == self.next:
                self.answer(X, asked, t + 1, p)
                asked = t + 1
                self.refit()
        self.answer(X, asked, len(y), p)
        self.seconds += time.process_time() - began
        labels = p.argmax(axis=1).astype(object)
        return {"label": labels, "proba": p, "both": (labels, p)}[output]

    def partial_fit(self, X: Any, y: Any) -> None:
        self.test_then_train(X, y)

    def answer(self, X: Floats, begin: int, end: int, p: Floats) -> None:
        """A class that the trees have not seen has one chance in a million."""
        if self.model is None or begin == end:
            return
        p[begin:end] = 1e-6
        p[begin:end, self.model.classes_] = self.model.predict_proba(X[begin:end])
        p[begin:end] /= p[begin:end].sum(axis=1, keepdims=True)

    def refit(self) -> None:
        from lightgbm import LGBMClassifier

        n = len(self.labels)
        self.next = max(n + self.least_step, int(n * self.growth))
        if len(set(self.labels)) < 2:
            return
        began = time.process_time()
        self.model = LGBMClassifier(random_state=self.seed, n_jobs=1, verbose=-1)
        X, y = np.array(self.learned), np.array(self.labels)
        self.model.fit(X, y, categorical_feature=self.data.nominal or "auto")
        self.pause = max(self.pause, time.process_time() - began)

    def final_bytes(self) -> float:
        return float("nan")


def _ours(make: Callable[..., Any], *, two_classes: bool = False, **params: Any) -> Entry:
    def made(data: Data, seed: int) -> Any:
        nominal = {"categorical_features": data.nominal} if data.nominal else {}
        return make(random_state=seed, **nominal, **params)

    return Entry(made, two_classes=two_classes, ours=True)


def _moa(cli: str, *, two_classes: bool = False) -> Entry:
    return Entry(lambda data, seed: Moa(data, seed, cli), "capymoa", two_classes)


ENTRIES: dict[str, Entry] = {
    "StreamBoost": _ours(sb.StreamBoostClassifier),
    "with the labels' past": _ours(
        sb.StreamBoostClassifier, companions=("linear", "naive-bayes", "neighbors", "replay", "history")
    ),
    "without replay": _ours(sb.StreamBoostClassifier, companions=("linear", "naive-bayes", "neighbors")),
    "its forest alone": _ours(sb.StreamBoostClassifier, companions=()),
    "ARF 30": _ours(sb.AdaptiveRandomForestClassifier, n_estimators=30),
    "SRP 10": _ours(sb.StreamingRandomPatchesClassifier, n_estimators=10),
    "LevBag 10": _ours(sb.LeveragingBaggingClassifier, n_estimators=10),
    "Oza boosting 10": _ours(sb.OnlineBoostingClassifier, estimator=sb.HoeffdingTree(), n_estimators=10),
    "OSBoost 100": _ours(sb.OSBoostClassifier, two_classes=True),
    "logistic": _ours(sb.SingleLearnerClassifier, estimator=sb.LogisticRegression()),
    "MOA ARF 30": _moa("meta.AdaptiveRandomForest -s 30"),
    "MOA SRP 10": _moa("meta.StreamingRandomPatches -s 10"),
    "MOA LevBag 10": _moa("meta.LeveragingBag"),
    "MOA OzaBoost 10": _moa("meta.OzaBoost"),
    "MOA SGBT 100": _moa("meta.StreamingGradientBoostedTrees", two_classes=True),
    "River ARF 10": Entry(lambda d, s: River(d, s, "river.forest", "ARFClassifier"), "river"),
    "River SRP 10": Entry(lambda d, s: River(d, s, "river.ensemble", "SRPClassifier"), "river"),
    "VW": Entry(VowpalWabbit, "vowpalwabbit"),
    "LightGBM, retrained": Entry(Retrained, "lightgbm"),
    "no-change": Entry(lambda data, seed: NoChangeClassifier()),
    "majority": Entry(lambda data, seed: MajorityClassifier()),
}
"""Name in the tables -> how it is made. Numbers in names are learners of an ensemble."""
