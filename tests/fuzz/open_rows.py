"""The laws over dicts and frames: texts, identifiers, dates, booleans; columns, values and classes that come late, at random.

Nominal columns have so few values that they become identifiers. However the rows come, the file of the model is the same to the
last bit.
"""

from __future__ import annotations

import copy
import datetime as dt
import pickle
import warnings
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import streamboost as sb
from streamboost.base.inputs import schema as schemas
from tests import catalogue as cases
from tests.catalogue import state
from tests.fuzz.models import chooser, fixed
from tests.options import Choose, drawn

Row = dict[str, Any]
WORDS = "free prize Étoile ПРИВЕТ win the iPhone12手机免费 すぐカメラへ ฟรีรางวัล a_b 7 o'clock x\u0301 👩‍👩‍👧 ကခ ලා ភាសា".split()
NUMBERS = ("size", "n1")


class OpenRows:
    """One stream of dicts, served in different ways."""

    name = "open-rows"
    cases = 10

    def attack(self, number: int) -> str:
        """Serve stream `number` of the endless list row by row, and in dicts and frames with interludes."""
        rng = np.random.default_rng([25, number])
        choose = chooser(rng)
        with warnings.catch_warnings(), mock.patch.object(schemas, "MANY_IN_DICTS", 12):
            warnings.simplefilter("ignore")
            entry, make = _maker(rng)
            rows, labels, weights, classes = _stream(rng, entry)
            first = {} if classes is None else {"classes": classes}
            try:
                make().learn_one(rows[0], labels[0], **first)
            except (
                ValueError
            ):  # options that do not go together, or a kind of column that the learner does not take
                return "refused"
            whole, said = make(), []
            for at, row in enumerate(rows):
                more = first if at == 0 else {}
                said.append(
                    _tried(whole, "test_then_train_one", row, labels[at], sample_weight=weights[at], **more)
                )
            served = make().set_params(n_jobs=choose([None, 2, 3]))
            served = _serve(served, rows, labels, weights, first, said, choose)
            if state(served) != state(whole):
                raise AssertionError(f"{whole} is another model")
            some = make()
            for at, row in enumerate(rows):
                if weights[at] > 0:
                    _tried(some, "learn_one", row, labels[at], weights[at], **(first if at == 0 else {}))
            if state(some) != state(whole):
                raise AssertionError(f"{whole} has learned from rows of weight 0")
        return "the same, rows refused" if any(kind for kind, _ in said) else "the same"


def _maker(rng: np.random.Generator) -> tuple[Any, Any]:
    """A model of the catalogue at random, and what makes it again and again; those that read words come more often."""
    choose = chooser(rng)
    default = [entry for entry in cases.FILED if entry.name.startswith("streamboost")]
    entry = choose(default if rng.random() < 0.3 else cases.FILED)
    options = {**drawn(getattr(sb, entry.class_name), choose), "random_state": int(rng.integers(1000))}
    learners, learner = cases.learners_of(entry), None
    if learners:
        of = choose(
            [one for one in learners if one.name == "hashed-logistic" or rng.random() < 0.5] or learners
        )
        learner = cases.learner(of, **{**drawn(getattr(sb, of.class_name), choose), **fixed(of.name)})
    if "text_features" in getattr(sb, entry.class_name)().get_params():
        options["text_features"] = choose([None, ["text"]])
        options["identifier_features"] = choose([None, ["user"]])
    if rng.random() < 0.3:
        options["categorical_features"] = ["n1"]
    return entry, lambda: cases.model(entry, copy.deepcopy(learner), **options)


def _stream(
    rng: np.random.Generator, entry: Any
) -> tuple[list[Row], list[Any], list[float], list[int] | None]:
    """Rows, labels or numbers, weights, and the classes if they are declared."""
    n, k = int(rng.integers(5, 110)), int(rng.integers(2, 5))
    k = k if entry.max_classes is None else 2
    names = ("text", "user", "size", "shop", "flag", "n1", "when")
    late = {name: int(rng.integers(n)) if rng.random() < 0.3 else 0 for name in names}
    users, shops, dated = (int(rng.choice(sizes)) for sizes in ([5, 20, 80], [5, 20, 80], [0, 0, 0, 1]))
    rows: list[Row] = []
    labels: list[Any] = []
    for at in range(n):
        row = {
            "text": " ".join(rng.choice(WORDS, rng.integers(0, 6)).tolist()),
            "user": f"u{int(rng.random() ** 2 * users)}",
            "size": round(float(rng.normal()), 2),
            "shop": f"s{int(rng.random() * shops)}",
            "flag": bool(rng.random() < 0.1),
            "n1": float(rng.integers(4)),
            "when": dt.datetime(2024, 1, 1) + dt.timedelta(hours=int(rng.integers(9000))),
        }
        tells = int(row["user"][1:]) + ("free" in row["text"]) + (row["size"] > 0)
        labels.append(float(tells) if entry.task == "regression" else tells % (k if at > n // 3 else 2))
        for name in names:
            if at < late[name] or rng.random() < 0.06 or (name == "when" and not dated):
                if rng.random() < 0.5:
                    row[name] = None
                else:
                    del row[name]
        rows.append(row)
    weights = rng.choice([1.0, 1.0, 0.0, 0.5, 3.0], n).tolist()
    weights[0] = 1.0
    declared = entry.task != "regression" and (entry.declared or k == 2 or rng.random() < 0.4)
    return rows, labels, weights, list(range(k)) if declared else None


def _tried(model: Any, verb: str, *given: Any, **more: Any) -> tuple[str, Any]:
    """What a verb said: no error and its answer, or its error and why. What is refused is not learned."""
    before = getattr(model, "n_learned_", 0)
    try:
        return "", getattr(model, verb)(*given, **more)
    except (ValueError, TypeError) as error:
        if getattr(model, "n_learned_", 0) != before:
            raise AssertionError(f"{model} has learned what it refused: {error}") from error
        return type(error).__name__, str(error)


def _serve(
    model: Any,
    rows: list[Row],
    labels: list[Any],
    weights: list[float],
    first: Row,
    said: list[tuple[str, Any]],
    choose: Choose,
) -> Any:
    """Let a model have the rows one by one or in frames, with interludes; returns it."""
    at = 0
    while at < len(rows):
        part = slice(at, at + choose([1, 2, 5, 17, 64]))
        table = None if at == 0 or any(kind for kind, _ in said[part]) else _frame(model, rows[part])
        expected = said[at]
        if table is not None and choose([True, True, False]):
            answers = model.test_then_train(table, labels[part], sample_weight=weights[part]).tolist()
            told = [answer[0] if isinstance(answer, tuple) else answer for _, answer in said[part]]
            expected, got = ("", told), ("", answers)
            at += len(table)
        else:
            verb, more = choose(["learn_one", "test_then_train_one"]), first if at == 0 else {}
            got = _tried(model, verb, rows[at], labels[at], sample_weight=weights[at], **more)
            expected = ("", None) if verb == "learn_one" and not expected[0] else expected
            at += 1
        if repr(got) != repr(expected):
            raise AssertionError(f"{model} says {got}, not {expected}")
        if choose([True, False, False, False]):
            model = _interlude(model, rows, labels, choose)
    return model


def _frame(model: Any, rows: list[Row]) -> Any:
    """The rows as a frame if it can have the model's columns: without new ones and dates."""
    columns = [name for name in model.columns_.names if not name.endswith("as identifier")]
    if any(value is not None and name not in columns for row in rows for name, value in row.items()):
        return None
    if not set(columns) <= {*NUMBERS, "text", "user", "shop", "flag"}:
        return None
    table = pd.DataFrame([{name: row.get(name) for name in columns} for row in rows], dtype=object)
    return table.astype({name: float for name in NUMBERS if name in columns})


def _interlude(model: Any, rows: list[Row], labels: list[Any], choose: Choose) -> Any:
    """Something that changes nothing; returns the model to go on with."""
    before, jobs = state(model), model.n_jobs
    what = choose(["pickle", "file", "copy", "snapshot", "ask", "refused"])
    if what == "pickle":
        model = pickle.loads(pickle.dumps(model))
    elif what == "file":
        model = sb.load(model.to_bytes()).set_params(n_jobs=jobs)
    elif what == "copy":
        model = copy.deepcopy(model)
    elif what == "snapshot":
        model.snapshot().predict_one(choose(rows))
    elif what == "ask":
        model.predict_one(choose(rows))
        model.memory_bytes()
    else:
        bad = {**choose(rows), "size": float("inf"), "shop": "never seen", "brand new": "x"}
        if not _tried(model, "learn_one", bad, labels[0])[0]:
            raise AssertionError("infinity was learned")
    if state(model) != before:
        raise AssertionError(f"{what} has changed {model}")
    return model
