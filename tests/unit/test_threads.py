"""A model shared by threads: one learns or many read, and nobody sees the inside of a call."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from streamboost import (
    ActiveClassifier,
    BanditBoostingClassifier,
    BinaryRelevanceClassifier,
    ClassifierChain,
    HoeffdingTree,
    LearningInterrupted,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    Perceptron,
    ReorderedBoostingClassifier,
    StackedClassifier,
    StreamBoostClassifier,
    StreamBoostRegressor,
)
from streamboost.base.inputs.sources import TableRows
from streamboost.distributed import KeyedClassifier
from tests.inside.handles import core_of, model_of_all, noticed, session_of
from tests.waiting import PATIENCE

RNG = np.random.default_rng(3)
N = 400
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
ROWS = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]


def trained(learner=None, **options):
    model = OSBoostClassifier(learner or NaiveBayes(), n_estimators=8, random_state=1, **options)
    return model.partial_fit(X, Y, classes=[0, 1])


def by_name(learner=None):
    model = OnlineBoostingClassifier(learner or NaiveBayes(), n_estimators=8, random_state=1)
    for row, label in zip(ROWS[:50], Y[:50].tolist(), strict=True):
        model.learn_one({**row, "kind": "k0"}, label)
    return model


def sums_to_one(proba):
    assert np.allclose(proba.sum(axis=1), 1.0)


def new_category(model, turn):
    # Not without end: where Python has no lock it has thousands of turns while the other thread has twelve.
    model.learn_one({**ROWS[turn % N], "kind": f"k{turn % 4000}"}, int(Y[turn % N]))


WRITERS = {
    "partial_fit": (trained, lambda model, turn: model.partial_fit(X, Y)),
    "test_then_train": (
        trained,
        lambda model, turn: sums_to_one(model.test_then_train(X, Y, output="proba")),
    ),
    "fit": (trained, lambda model, turn: model.fit(X, Y)),
    "learn_one": (
        by_name,
        lambda model, turn: model.learn_one({**ROWS[turn % N], "kind": "k0"}, int(Y[turn % N])),
    ),
    "learn_one, new categories": (by_name, new_category),
}


def one_row(model):
    return {**ROWS[7], "kind": "k0"} if model.columns_.names else dict(enumerate(X[7].tolist()))


def block(model):
    if model.columns_.names is None:
        return X
    import pandas as pd

    return pd.DataFrame([{**row, "kind": "k0"} for row in ROWS[:40]], columns=list(model.columns_.names))


READERS = {
    "predict_proba": lambda model: sums_to_one(model.predict_proba(block(model))),
    "predict": lambda model: set(model.predict(block(model)).tolist()) <= {0, 1} or pytest.fail("odd labels"),
    "predict_one": lambda model: model.predict_one(one_row(model)) in (0, 1) or pytest.fail("odd label"),
    "predict_proba_one": lambda model: sums_to_one(
        np.array([list(model.predict_proba_one(one_row(model)).values())])
    ),
    "report": lambda model: model.report(),
    "pickle": lambda model: pickle.loads(pickle.dumps(model)).predict(block(model)),
    "copy": lambda model: copy.deepcopy(model).classes_,
    "snapshot": lambda model: sums_to_one(model.snapshot().predict_proba(block(model))),
    "memory": lambda model: (model.memory_bytes(), model.n_learned_, model.n_features_in_, model.columns_),
}


def together(*jobs, at_least=12):
    """Run jobs over and over, each in a thread of its own, until all had some turns; raise what one of them raised."""
    failures, turns = [], [0] * len(jobs)

    def work(number):
        try:
            while min(turns) < at_least and not failures:
                jobs[number](turns[number])
                turns[number] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"a deadlock, or somebody is kept waiting: {turns}"
    if failures:
        raise failures[0]
    return turns


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("writer", WRITERS)
def test_readers_beside_a_writer(writer, reader):
    make, write = WRITERS[writer]
    model = make()

    def read(_):
        try:
            READERS[reader](model)
        except ValueError as error:  # the width of a frame was asked for before a new column came
            if "feature names" not in str(error):
                raise

    together(lambda turn: write(model, turn), read)


@pytest.mark.parametrize("one", WRITERS)
@pytest.mark.parametrize("two", WRITERS)
def test_two_writers(one, two):
    make = WRITERS[one][0]
    model = make()
    if make is not WRITERS[two][0]:
        pytest.skip("arrays and dicts do not mix in one model")
    together(lambda turn: WRITERS[one][1](model, 2 * turn), lambda turn: WRITERS[two][1](model, 2 * turn + 1))
    pickle.loads(pickle.dumps(model))


def test_writers_lose_nothing():
    model = OnlineBaggingClassifier(n_estimators=5, random_state=2)
    threads = [
        threading.Thread(
            target=lambda: [model.partial_fit(X[:50], Y[:50], classes=[0, 1]) for _ in range(20)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.n_learned_ == 4 * 20 * 50


def test_a_fit_that_ends_during_a_first_call_stays():
    """The first rows of one thread are learned into a model that another thread's fit has replaced meanwhile."""
    model = OnlineBaggingClassifier(n_estimators=3, random_state=1)
    fitted = threading.Event()

    class Slow:
        """Rows whose coding takes until the other thread is done."""

        def __init__(self):
            self.rows = TableRows(X[:10], "x")
            self.n_rows = 10

        def first_schema(self, *features):
            return self.rows.first_schema(*features)

        def coded(self, schema, active, grow):
            thread = threading.Thread(target=lambda: (model.fit(X, Y), fitted.set()))
            thread.start()
            thread.join(PATIENCE)
            return self.rows.coded(schema, active, grow)

    model._learn(Slow(), Y[:10], None, None)
    assert fitted.is_set()
    assert model.n_learned_ == N


def test_a_reader_sees_whole_calls_only():
    """Every call brings the same rows: whatever the interleaving, a reader finds a multiple of them."""
    model = trained(HoeffdingTree())
    before = model.n_learned_
    seen = set()
    together(lambda _: model.partial_fit(X, Y), lambda _: seen.add(model.n_learned_ - before))
    assert {count % N for count in seen} == {0}


class Careless(GaussianNB):
    """A Python learner that lets other threads run in the middle of an update."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        time.sleep(0.0005)
        return self


def test_learners_written_in_python_neither_deadlock_nor_tear():
    model = OnlineBaggingClassifier(Careless(), n_estimators=2, random_state=1)
    model.partial_fit(X[:20], Y[:20], classes=[0, 1])
    together(
        lambda turn: model.partial_fit(X[:5], Y[:5]),
        lambda turn: sums_to_one(model.predict_proba(X[:5])),
        lambda turn: pickle.loads(pickle.dumps(model)).predict(X[:3]),
    )


class Curious(GaussianNB):
    """A Python learner that asks the model it belongs to."""

    owner = None

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if type(self).owner is not None:
            type(self).owner.predict(X)
        return super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)


def test_calling_back_into_the_own_model_is_an_error_and_no_deadlock():
    model = OnlineBaggingClassifier(Curious(), n_estimators=2, random_state=1)
    model.partial_fit(X[:20], Y[:20], classes=[0, 1])
    Curious.owner = model
    try:
        with pytest.raises(RuntimeError, match="from inside one of its own calls"):
            model.partial_fit(X[:5], Y[:5])
    finally:
        Curious.owner = None
    with pytest.raises(RuntimeError, match=r"broken.*own calls"):
        model.predict(X)
    model.fit(X, Y).predict(X)


# Snapshots.


def test_a_snapshot_stays_as_it_was_and_does_not_learn(tmp_path):
    for model in (trained(), by_name(), OnlineBaggingClassifier(GaussianNB(), n_estimators=2).fit(X, Y)):
        rows = block(model)
        before = model.predict_proba(rows)
        snapshot = model.snapshot()
        assert type(snapshot) is type(model)
        if model.columns_.names:
            model.learn_one({**ROWS[0], "kind": "other", "more": 1.0}, 1)
        else:
            model.partial_fit(X, 1 - Y)
        assert not np.array_equal(model.predict_proba(block(model)), before)
        assert np.array_equal(snapshot.predict_proba(rows), before)
        assert snapshot.n_learned_ < model.n_learned_
        for learn in (
            lambda s=snapshot: s.partial_fit(X, Y),
            lambda s=snapshot: s.fit(X, Y),
            lambda s=snapshot, m=model: s.learn_one(one_row(m), 1),
        ):
            with pytest.raises(RuntimeError, match="a snapshot, which never learns"):
                learn()
        model.set_params(random_state=9)
        snapshot.predict(rows)
        copied = copy.deepcopy(snapshot)
        copied.learn_one(one_row(copied), 1)
        assert copied.n_learned_ == snapshot.n_learned_ + 1
    trained().snapshot().save(tmp_path / "s.sboost")


def test_a_snapshot_never_waits():
    model = trained(HoeffdingTree())
    snapshot = model.snapshot()
    with session_of(model).writing:
        answers = []
        thread = threading.Thread(target=lambda: answers.append(snapshot.predict(X)))
        thread.start()
        thread.join(PATIENCE)
        assert len(answers) == 1


# Forks.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_nobody_learns():
    model = trained()
    reader = threading.Thread(target=lambda: [model.predict(X) for _ in range(50)])
    reader.start()
    child = os.fork()
    if child == 0:
        try:
            model.partial_fit(X, Y)
            os._exit(0 if len(model.predict(X)) == N else 1)
        except BaseException:
            os._exit(2)
    reader.join()
    assert os.waitpid(child, 0)[1] == 0
    model.partial_fit(X, Y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_another_thread_learns():
    model = trained()
    holds, done = threading.Event(), threading.Event()

    def learn():
        with session_of(model).writing:
            holds.set()
            done.wait()

    thread = threading.Thread(target=learn)
    thread.start()
    holds.wait()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            model.predict(X)
        except RuntimeError as error:
            code = 2
            if "when the process was forked" in str(error):
                model.fit(X, Y)
                code = 0 if len(model.predict(X)) == N else 3
        os._exit(code)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(model.predict(X)) == N  # the parent goes on


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_learns_with_threads_of_its_own():
    """Those of the parent end with its calls: the child starts others."""
    many = np.repeat(X, 5, axis=0), np.repeat(Y, 5)
    model, alone = (
        OnlineBaggingClassifier(HoeffdingTree(), n_estimators=60, n_jobs=jobs, random_state=1).partial_fit(
            *many
        )
        for jobs in (3, 1)
    )
    assert core_of(model).threads()["cost"]
    expected = alone.partial_fit(*many).predict_proba(X)
    child = os.fork()
    if child == 0:
        try:
            os._exit(not np.array_equal(model.partial_fit(*many).predict_proba(X), expected))
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(model.partial_fit(*many).predict_proba(X), expected)


# Interpreters that end.


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    "work", ["partial_fit(X, y)", "predict_proba(X)", "partial_fit(X[:60], y[:60])", "snapshot()"]
)
def test_an_interpreter_ends_while_threads_learn_or_answer(work, jobs):
    code = f"""
import threading, time
import numpy as np
from streamboost import HoeffdingTree, OnlineBaggingClassifier
X = np.random.default_rng(0).normal(size=(20_000, 4)); y = (X[:, 0] > 0).astype(int)
model = OnlineBaggingClassifier(HoeffdingTree(), n_estimators=60, n_jobs={jobs}, random_state=1)
model.partial_fit(X[:500], y[:500])
begun = threading.Event()
def work():
    begun.set()
    while True: model.{work}
threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.05)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")


# Interrupts.


def interrupted(call, after=0.3):
    """Send this process a Ctrl-C while `call` runs; return the exception and how much processor time it came later.

    Time of the processor, because a busy machine does not stretch it.
    """
    sent = []

    def press():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt as error:
        return error, time.process_time() - sent[0]
    pytest.fail("the call was over before the interrupt")


def interrupted_midway(call):
    """The same; again if the interrupt came before the first row, which a busy machine may take long to begin."""
    for after in (0.2, 1, 5, 20):
        error, late = interrupted(call, after)
        if isinstance(error, LearningInterrupted) and error.n_rows_learned:
            return error, late
    raise AssertionError("not a row was learned in 20 seconds")


@pytest.mark.parametrize(
    "make",
    [
        lambda: OnlineBoostingClassifier(HoeffdingTree(), n_estimators=100, random_state=1),
        lambda: OSBoostClassifier(Perceptron(), n_estimators=20_000, random_state=1, n_jobs=2),
        lambda: OnlineBaggingClassifier(GaussianNB(), n_estimators=3, random_state=1),
    ],
    ids=["native", "threads", "python"],
)
def test_an_interrupt_stops_between_rows(make):
    model = make()
    big, labels = np.tile(X, (800, 1)), np.tile(Y, 800)
    model.partial_fit(big[:30], labels[:30], classes=[0, 1])
    error, _ = interrupted_midway(lambda: model.partial_fit(big, labels))
    n = error.n_rows_learned
    assert 0 < n < len(big)
    assert f"{n} of {len(big)} rows" in str(error)
    twin = make().partial_fit(big[:30], labels[:30], classes=[0, 1]).partial_fit(big[:n], labels[:n])
    assert model.n_learned_ == 30 + n
    assert np.array_equal(model.predict_proba(X), twin.predict_proba(X))
    model.partial_fit(big[n : n + 50], labels[n : n + 50])
    twin.partial_fit(big[n : n + 50], labels[n : n + 50])
    assert np.array_equal(model.predict_proba(X), twin.predict_proba(X))


@pytest.mark.parametrize(
    ("make", "threads"),
    [
        (lambda: OnlineBoostingClassifier(HoeffdingTree(), n_estimators=100, random_state=1), 1),
        (lambda: OSBoostClassifier(Perceptron(), n_estimators=20_000, random_state=1, n_jobs=2), 2),
        (lambda: OnlineBaggingClassifier(GaussianNB(), n_estimators=3, random_state=1), 1),
    ],
    ids=["native", "threads", "python"],
)
def test_an_interrupt_is_at_most_100_ms_late(make, threads):
    """The best of some: the process may be torn away while it plans the next piece."""
    model = make()
    big, labels = np.tile(X, (800, 1)), np.tile(Y, 800)
    model.partial_fit(big[:300], labels[:300], classes=[0, 1])
    late = []
    while not late or (min(late) >= 0.1 * threads and len(late) < 10):
        late.append(interrupted(lambda: model.partial_fit(big, labels))[1])
    assert min(late) < 0.1 * threads, late


def test_an_interrupted_model_has_discovered_only_what_it_has_learned():
    import pandas as pd

    n = 300_000
    frame = pd.DataFrame({"a": np.tile(X[:, 0], n // N), "kind": [f"k{i // 1000}" for i in range(n)]})
    frame["kind"] = frame["kind"].astype("category")
    labels = np.array([i // 30_000 for i in range(n)])
    model = OnlineBaggingClassifier(n_estimators=1000, random_state=1)
    error, _ = interrupted_midway(lambda: model.partial_fit(frame, labels))
    learned = error.n_rows_learned
    twin = OnlineBaggingClassifier(n_estimators=1000, random_state=1)
    twin.partial_fit(frame[:learned], labels[:learned])
    assert model.classes_.tolist() == twin.classes_.tolist()
    with session_of(model).reading, session_of(twin).reading:
        assert model.to_bytes() == twin.to_bytes()


def test_an_interrupted_fit_keeps_what_it_has_learned():
    model = OnlineBoostingClassifier(HoeffdingTree(), n_estimators=100, random_state=1)
    big, labels = np.tile(X, (500, 1)), np.tile(Y, 500)
    error, _ = interrupted_midway(lambda: model.fit(big, labels))
    assert model.n_learned_ == error.n_rows_learned


SETS = np.column_stack([Y, X[:, 2] > 0, 1 - Y]).astype(float)
BAG = OnlineBaggingClassifier(n_estimators=2, random_state=1)


def one_table(rows):
    return X[rows], Y[rows]


# What is made of models, the verb by which all of them learn, and rows for it.
MADE_OF_MODELS = {
    "relevance": (BinaryRelevanceClassifier(BAG), "partial_fit", lambda rows: (X[rows], SETS[rows])),
    "chain": (ClassifierChain(BAG), "partial_fit", lambda rows: (X[rows], SETS[rows])),
    "bandit": (
        BanditBoostingClassifier(BAG, labels=[0, 1], random_state=1),
        "learn_bandit",
        lambda rows: (X[rows], Y[rows], X[rows, 2] > 0, np.full(len(Y[rows]), 0.5)),
    ),
    "bandit, played": (
        BanditBoostingClassifier(BAG, labels=[0, 1], random_state=1),
        "test_then_train",
        one_table,
    ),
    "active": (ActiveClassifier(BAG, budget=0.3, random_state=1), "test_then_train", one_table),
}


@pytest.mark.parametrize("press", [1, 3, 5])
@pytest.mark.parametrize("kind", MADE_OF_MODELS)
def test_models_that_learn_together_are_interrupted_together(kind, press):
    """Ctrl-C comes while one of them learns: all have learned the rows that the exception counts, and no others."""
    given, verb, rows = MADE_OF_MODELS[kind]
    model, twin = copy.deepcopy(given), copy.deepcopy(given)
    n_rows = 4000
    for one in (model, twin):
        getattr(one, verb)(*rows(np.arange(30)))
    calls = []

    def press_at_last(learner):
        calls.append(learner)
        if len(calls) == press:
            signal.raise_signal(signal.SIGINT)

    with noticed(after=press_at_last), pytest.raises(LearningInterrupted) as stopped:
        getattr(model, verb)(*rows(np.arange(n_rows) % N))
    n = stopped.value.n_rows_learned
    assert 0 < n < n_rows
    getattr(twin, verb)(*rows(np.arange(n) % N))
    for one in (model, twin):
        getattr(one, verb)(*rows(np.arange(10)))
    assert model.to_bytes() == twin.to_bytes()


def test_the_model_of_a_key_and_that_of_all_are_interrupted_together():
    model = KeyedClassifier(BAG, "key")

    def press_early(learner):
        if learner is model_of_all(model):  # the model of the key is next
            signal.raise_signal(signal.SIGINT)

    with model:
        rows = [{"key": "k", **row} for row in ROWS[:9]]
        model.partial_fit(rows[:2], Y[:2])
        with noticed(after=press_early), pytest.raises(LearningInterrupted) as stopped:
            model.partial_fit(rows, Y[:9])
        learned = 2 + stopped.value.n_rows_learned
        assert (model.own("k").n_learned_, model_of_all(model).n_learned_) == (learned, learned)


def test_what_was_asked_for_is_counted_when_active_learning_is_interrupted():
    model = ActiveClassifier(OnlineBoostingClassifier(HoeffdingTree(), n_estimators=100), random_state=1)
    model.partial_fit(X[:30], Y[:30])
    interrupted_midway(lambda: model.partial_fit(np.tile(X, (800, 1)), np.tile(Y, 800)))
    assert model.n_asked_ == model.n_rows_ == model.model_.n_learned_ > 30


def test_models_of_any_make_say_so_when_they_are_out_of_step():
    bayes = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2, random_state=1)
    model = StackedClassifier([BAG, bayes]).partial_fit(X, Y)
    # The second Ctrl-C, in the second model, does not wait.
    with noticed(before=lambda _: signal.raise_signal(signal.SIGINT)), pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, Y)
    with pytest.raises(RuntimeError, match="no longer in step"):
        model.partial_fit(X, Y)


def test_what_a_chain_has_no_room_for_no_part_learns():
    """The last model has the most columns: it refuses first."""
    chain = ClassifierChain(OnlineBaggingClassifier(NaiveBayes(), max_bytes=60_000, random_state=1))
    kept = []

    def learn_until_it_refuses():
        for k in range(1000):
            chain.learn_one({"a": 1.0, f"n{k}": 2.0, "c": f"v{k}"}, {"x": True, "y": False, "z": True})
            kept.append(chain.to_bytes())

    with pytest.raises(ValueError, match="max_bytes"):
        learn_until_it_refuses()
    assert chain.to_bytes() == kept[-1]


def test_an_interrupt_ends_the_waiting_for_a_lock():
    model = trained()
    held, release = threading.Event(), threading.Event()

    def hold():
        with session_of(model).writing:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        error, _ = interrupted(lambda: model.partial_fit(X, Y), after=0.2)
        assert not isinstance(error, LearningInterrupted)
    finally:
        release.set()
        thread.join()
    model.partial_fit(X, Y)


@pytest.mark.parametrize("pieces", [1, 7, 64])
def test_pieces_change_nothing(pieces, monkeypatch):
    """Labels, categories and weights that come late, in pieces of any size: the same bits and the same answers."""
    import pandas as pd

    n = 200
    rng = np.random.default_rng(pieces)
    frame = pd.DataFrame({"a": rng.normal(size=n), "k": pd.Categorical([f"k{i // 9}" for i in range(n)])})
    labels = np.array([f"c{i // 40}" for i in range(n)])
    weight = rng.integers(0, 2, size=n).astype(float)
    weight[:10] = 0

    def run(rows):
        from streamboost.base import pieces as module

        monkeypatch.setattr(module.Pace, "took", lambda self, n_rows, seconds, growing=0.0: None)
        monkeypatch.setattr(
            module.Pace, "__init__", lambda self, threads=1: vars(self).update(rows=rows, threads=threads)
        )
        model = OnlineBaggingClassifier(n_estimators=5, random_state=1)
        return model, model.test_then_train(frame, labels, sample_weight=weight, output="both")

    (one, (label, proba)), (two, (label2, proba2)) = run(10**6), run(pieces)
    assert one.to_bytes() == two.to_bytes()
    assert label.tolist() == label2.tolist()
    assert np.array_equal(proba, proba2, equal_nan=True)
    assert np.array_equal(one.predict_proba(frame), two.predict_proba(frame))


def test_signal_handlers_that_use_the_model_get_an_error_instead_of_a_deadlock():
    code = """
import numpy as np, signal, threading, os
from streamboost import OnlineBoostingClassifier, HoeffdingTree
X = np.random.default_rng(0).normal(size=(200_000, 4)); y = (X[:, 0] > 0).astype(int)
model = OnlineBoostingClassifier(HoeffdingTree(), n_estimators=100, random_state=1).partial_fit(X[:100], y[:100])
said = []
def handler(*_):
    try: model.learn_one(dict(enumerate(X[0].tolist())), 1)
    except RuntimeError as error: said.append(str(error))
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
for after in (0.2, 1, 5, 20):  # a busy machine may take long to begin
    said.clear()
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try: model.partial_fit(X, y)
    except KeyboardInterrupt as error:
        if getattr(error, "n_rows_learned", 0):
            print("inside one of its own calls" in said[0])
            break
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True"], done.stderr


@pytest.mark.parametrize("options", [{}, {"lags": [1, 2]}])
@pytest.mark.parametrize("kind", [StreamBoostClassifier, StreamBoostRegressor])
def test_models_are_cut_for_threads(kind, options):
    def learned(n_jobs):
        model = kind(n_jobs=n_jobs, random_state=1, **options)
        return model, [model.test_then_train(X, Y) for _ in range(3)]

    (one, expected), (many, answers) = learned(1), learned(4)
    np.testing.assert_array_equal(answers, expected)
    assert many.set_params(n_jobs=1).to_bytes() == one.to_bytes()
    assert len(core_of(many).threads()["cost"]) > 12


@pytest.mark.parametrize("kind", [StreamBoostClassifier, StreamBoostRegressor])
def test_stations_that_take_turns_learn_and_answer_the_same(kind):
    model, other = (kind(n_jobs=jobs, random_state=1).partial_fit(X, Y) for jobs in (1, 4))
    core_of(other).take_turns(True)
    for _ in range(2):
        np.testing.assert_array_equal(other.test_then_train(X, Y), model.test_then_train(X, Y))
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert core_of(other).threads()["together"] > 0


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_lanes_that_belong_together_are_never_cut(jobs):
    """The chain that reorders is one group of lanes, whatever the number of threads."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    one, many = (
        ReorderedBoostingClassifier(HoeffdingTree(grace_period=10), n_estimators=8, n_jobs=n, random_state=1)
        for n in (None, jobs)
    )
    answers = one.test_then_train(X, y, classes=[0, 1], output="proba")
    np.testing.assert_array_equal(many.test_then_train(X, y, classes=[0, 1], output="proba"), answers)
