"""Columns of words: tokens and updates as the oracle has them, the laws, rows from files, frames and dicts, bad input."""

import copy
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from oracle.log_pool import LabelHistory, OuterPool, PoolOfAll
from oracle.words import HashedLogistic, PastShares, paces, target_statistics, tokens

import streamboost as sb
from streamboost.base.inputs.word_columns import guess_words, looks_like_codes
from streamboost.distributed import KeyedClassifier, Shards
from streamboost.ensemble.word_shares import WORD
from streamboost.streams import data_files, open_stream
from tests.inside.handles import encoded_model, hashed_model, shares_model

BITS = 18
WORDS = "free prize call now Étoile Ωmega ПРИВЕТ stop money win the a of home later ok see you at 7 o'clock".split()
WORDS += "iPhone12手机免费 すぐカメラへ ฟรีรางวัล".split()


def messages(n, k=2, seed=3):
    """Texts with missing ones, identifiers, a nominal column, a number; labels that the words tell."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(n)]
    users = [f"user-{rng.integers(0, 40)}" for _ in range(n)]
    y = np.array(
        [
            (("free" in t) + 2 * ("Étoile" in t) + (u > "user-3")) % k
            for t, u in zip(texts, users, strict=True)
        ]
    )
    return pd.DataFrame(
        {
            "text": [None if i % 17 == 5 else text for i, text in enumerate(texts)],
            "user": users,
            "shop": [f"s{i}" for i in rng.integers(0, 4, n)],
            "size": np.round(rng.normal(size=n), 2),
        }
    ), y


def default(**more):
    options = {
        "text_features": ["text"],
        "identifier_features": ["user"],
        "n_estimators": 3,
        "random_state": 7,
    }
    return sb.StreamBoostClassifier(**{**options, **more})


def hashed_rows(table, k):
    """Rows for a native model, what it must have room for, and their cells for the oracle."""
    shops = {}
    codes = [shops.setdefault(shop, len(shops)) for shop in table["shop"]]
    dense = np.column_stack([np.full((len(table), 2), np.nan), codes, table["size"]])
    words = [
        cell if isinstance(cell, str) else None
        for cell in table[["text", "user"]].to_numpy().ravel().tolist()
    ]
    kinds = ("text", "identifier", "nominal", "number")
    cells = [
        [*zip(kinds, (t, u, c, x), strict=True)]
        for (t, u), c, x in zip(table[["text", "user"]].to_numpy(), codes, table["size"], strict=True)
    ]
    return (dense, words), (np.array([-2, -3, len(shops), -1]), k, True, None), cells


@pytest.mark.parametrize("view", ["words", "pairs", "characters"])
@pytest.mark.parametrize("k", [2, 3])
def test_a_hashed_model_is_logistic_regression_over_the_tokens(view, k):
    table, y = messages(400, k)
    rows, room, cells = hashed_rows(table, k)
    answers = hashed_model(view, BITS).learn(rows, y.astype(np.int32), None, "proba", room)
    X = sp.lil_matrix((len(y), 2**BITS))
    for r, row in enumerate(cells):
        found = tokens(row, view, BITS)
        X[r, list(found)] = list(found.values())
    oracle = sb.SingleLearnerClassifier(sb.LogisticRegression(), random_state=1, calibration=None)
    expected = oracle.test_then_train(X.tocsr(), y, classes=range(k), output="proba")
    trained = ~np.isnan(expected).any(axis=1) & (np.arange(len(y)) > 0)
    np.testing.assert_allclose(answers[trained], expected[trained], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("view", "newton"),
    [("words", True), ("words", False), ("crosses", True), ("crosses", False), ("scaled", True)],
)
@pytest.mark.parametrize("k", [2, 3])
def test_identifiers_learn_at_the_rates_of_the_oracle(view, newton, k):
    table, y = messages(300, k)
    table["size"] = table["size"].where(table["size"] > 0, 0)  # a number that is 0 is no token
    rows, room, cells = hashed_rows(table, k)
    answers = hashed_model(view, BITS, newton=newton).learn(rows, y.astype(np.int32), None, "proba", room)
    oracle = HashedLogistic(k, newton)
    expected = []
    for row, label in zip(cells, y, strict=True):
        found = {at: x for at, x in tokens(row, view, BITS).items() if x != 0}
        expected.append(oracle.step(found, paces(row, BITS) if view == "crosses" else {}, label))
    np.testing.assert_allclose(answers, expected, rtol=1e-4, atol=1e-6)  # steps are within 1e-5 of the root


@pytest.mark.parametrize("of_words", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_past_shares_are_those_of_the_oracle(k, of_words):
    table, y = messages(300, k)
    table["shop"] = [f"s{i % 7}" for i in range(len(table))]
    rows, (kinds, _, _, more), cells = hashed_rows(table, k)
    weight = np.resize([1.0, 0.5, 2.0, 0.0, 1.0], len(y))
    codes = {label: code for code, label in enumerate(dict.fromkeys(y[weight > 0].tolist()))}
    labels = np.array([codes[label] for label in y])  # in the order of their appearance
    answers = shares_model(20, 50.0, words=of_words).learn(
        rows, labels.astype(np.int32), weight, "proba", (kinds, k, False, more)
    )
    oracle, known = PastShares(50.0, 20 if of_words else None), 0
    for row, label, w, told in zip(cells, labels, weight, answers, strict=True):
        expected = oracle.step(row, known, int(label), w)
        if expected is not None:
            np.testing.assert_allclose(told[:known], expected, rtol=1e-9, atol=1e-12)
        known = max(known, int(label) + 1) if w > 0 else known


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("k", [2, 4])
def test_chunks_threads_files_and_copies_change_nothing(k, declared):
    table, y = messages(300, k)
    weight = np.resize([1.0, 0.5, 2.0, 0.0, 1.0], len(y))
    classes = range(k) if declared else None
    whole = default(n_jobs=2)
    answers = whole.test_then_train(table, y, classes, weight, output="proba")
    parts = default()
    for first in range(0, len(y), 37):
        at = slice(first, first + 37)
        parts.partial_fit(table[at], y[at], classes, weight[at])
        if first == 111:
            parts = copy.deepcopy(pickle.loads(pickle.dumps(parts)))
    assert len(answers) == len(y)
    before = whole.predict_proba(table)
    assert np.array_equal(before, parts.predict_proba(table))
    assert np.array_equal(before, whole.predict_proba(table))  # asking changed nothing
    for name, array in whole.session.model.state().items():
        assert np.array_equal(array, parts.session.model.state()[name]), name


def test_lags_stand_beside_words():
    table, y = messages(300)
    whole, parts = default(lags=2).fit(table, y), default(lags=2)
    for first in range(0, len(y), 37):
        parts.partial_fit(table[first : first + 37], y[first : first + 37], classes=[0, 1])
    before = whole.predict_proba(table)
    assert np.array_equal(before, parts.predict_proba(table))
    assert not np.array_equal(before, default().fit(table, y).predict_proba(table))


def test_rows_of_a_file_a_frame_and_dicts_are_the_same(tmp_path):
    table, y = messages(1100)
    table["text"] = [f"{text} and so on {i}" for i, text in enumerate(table["text"])]
    table["user"] = [f"u{i % 300}" for i in range(len(y))]
    path = tmp_path / "messages.csv"
    table.assign(label=y).to_csv(path, index=False)
    stream = open_stream(path)
    by_file = sb.StreamBoostClassifier(n_estimators=3, random_state=7)
    for chunk in stream.chunks(400):
        by_file.partial_fit(chunk.rows, chunk.labels)
    by_frame = sb.StreamBoostClassifier(n_estimators=3, random_state=7).partial_fit(table, y)
    assert by_frame.session.schema.words == {0: "text", 1: "identifier"} == by_file.session.schema.words
    by_dicts = default()
    for row, label in zip(table.to_dict("records"), y.tolist(), strict=True):
        by_dicts.learn_one(row, label)
    proba = by_frame.predict_proba(table)
    assert np.array_equal(proba, by_file.predict_proba(table))
    np.testing.assert_allclose(
        [by_dicts.predict_proba_one(row)[1] for row in table[:50].to_dict("records")],
        proba[:50, 1],
        rtol=1e-9,
    )
    saved = tmp_path / "model.sb"
    by_file.save(saved)
    assert np.array_equal(sb.load(saved).predict_proba(table), proba)


def test_a_column_of_words_may_come_later():
    model = default(identifier_features=["user"])
    for i in range(60):
        model.learn_one(
            {"size": 1.0} if i < 20 else {"size": 1.0, "text": "free prize" if i % 2 else "see you"}, i % 2
        )
    assert model.session.schema.words == {1: "text"}
    assert model.predict_one({"text": "free prize"}) == 1


def test_explanations_count_words_in():
    table, y = messages(300)
    model = default().fit(table, y)
    told = model.explain(table[:3], n_orders=4)
    assert np.abs(told.contributions[:, 0]).sum() > 0
    scores = model.decision_function(table[:3])
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), told.score, atol=1e-9)
    np.testing.assert_allclose(told.score, scores, atol=1e-9)


def test_numbers_are_predicted_from_words():
    table, _ = messages(600)
    y = np.array([10.0 + 3 * ("free" in str(t)) for t in table["text"]])
    model = sb.StreamBoostRegressor(
        n_estimators=3, random_state=7, text_features=["text"], identifier_features=["user"]
    )
    answers = model.test_then_train(table, y)
    assert np.mean((answers[300:] - y[300:]) ** 2) < 0.5 * y.var()
    again = sb.StreamBoostRegressor(
        n_estimators=3, random_state=7, text_features=["text"], identifier_features=["user"]
    )
    for first in range(0, len(y), 71):
        again.partial_fit(table[first : first + 71], y[first : first + 71])
    assert np.array_equal(model.predict(table), again.predict(table))


def test_the_pools_fade_by_information():
    """The pool of all experts = the oracle's pool over their answers, each run apart; so is the one inside it."""
    table, y = messages(400)
    text = table[["text"]].fillna("nothing here")
    options = {"companions": ("history",), "n_estimators": 2, "drift": None, "random_state": 2}
    model = sb.StreamBoostClassifier(**options, text_features=["text"])
    model.partial_fit(text, y, classes=[0, 1])
    nothing = np.full((len(y), 1), np.nan)
    hashed, cells = [], text["text"].tolist()
    for view in ("words", "pairs", "characters"):
        expert = hashed_model(view, BITS)
        room = (np.array([-2]), 2, True, None)
        hashed.append(expert.learn((nothing, cells), y.astype(np.int32), None, "proba", room))
    counts = shares_model(BITS, 4000.0, words=True)
    hashed.append(counts.learn((nothing, cells), y.astype(np.int32), None, "proba", room))
    alone = sb.StreamBoostClassifier(**{**options, "companions": ()})
    score = hashed_model("words", BITS - 2).learn((nothing, cells), y.astype(np.int32), None, "proba", room)
    seen = log_odds(score[:, 1:])
    forest = np.nan_to_num(alone.test_then_train(seen, y, classes=[0, 1], output="proba"), nan=0.5)
    fading = {"referee": False, "information": 0.03}
    pool, outer, history = PoolOfAll(5), OuterPool(2, **fading), LabelHistory()
    for t in range(len(y)):
        inside = np.stack([forest[t], history.answer(2)])
        opinions = np.stack([outer.answer(inside), *(proba[t] for proba in hashed)])
        pool.learn(opinions, [int(p[1] > p[0]) for p in opinions], int(y[t]))
        outer.learn(inside, [int(p[1] > p[0]) for p in inside], int(y[t]))
        history.learn(int(y[t]))
    totals = model.session.model.report()
    names = ("columns", *(f"hashed-{view}" for view in ("words", "pairs", "characters", "shares")))
    np.testing.assert_allclose([totals[f"pool_weight/{name}"] for name in names], pool.beta, atol=1e-6)
    assert totals["recently_right/pool"] == pytest.approx(pool.q[-1], abs=1e-6)
    assert totals["pool_weight/history"] == pytest.approx(outer.beta[1], abs=1e-6)
    assert totals["temperature"] == pytest.approx(outer.w, abs=1e-6)


def log_odds(p):
    """Of probabilities, as trees see them; missing where a class is not known."""
    odds = np.log(np.clip(p, 1e-6, 1)) - np.log(np.clip(1 - p, 1e-6, 1))
    return np.where(p > 0, odds, np.nan)


@pytest.mark.parametrize("k", [0, 2, 3, 6])
def test_trees_see_the_score_of_the_words(k):
    """A model over rows with texts = one over the other columns, and what a learner of the words says before each row."""
    table, y = messages(400, max(k, 2))
    dense = np.column_stack([np.full(len(y), np.nan), table["size"]])
    cells = [cell if isinstance(cell, str) else None for cell in table["text"]]
    truth = y + 0.25 * (table["size"].to_numpy() > 0) if k == 0 else y.astype(np.int32)
    weight = np.resize([1.0, 0.5, 0.0, 2.0], len(y))
    answer, room = "number" if k == 0 else "proba", (np.array([-2, -1]), k, k > 0, None)
    said = hashed_model("words", 10, numbers=k == 0).learn((dense, cells), truth, weight, answer, room)
    found = encoded_model(numbers=k == 0, score_bits=10).learn((dense, cells), truth, weight, answer, room)
    scores = said.reshape(-1, 1) if k == 0 else log_odds(said[:, 1:4])
    wide = np.column_stack([dense[:, 1:], scores])
    room = (np.full(wide.shape[1], -1), k, k > 0, None)
    plain = encoded_model(numbers=k == 0, encoding={})
    np.testing.assert_allclose(found[20:], plain.learn(wide, truth, weight, answer, room)[20:], rtol=1e-7)


@pytest.mark.parametrize("k", [0, 2, 3, 6])
def test_trees_see_target_statistics(k):
    """A model over rows with identifiers and codes = one over the other columns and what the oracle says of their values."""
    table, y = messages(500, max(k, 2))
    item = np.random.default_rng(1).integers(100, 140, len(y)).astype(float)
    item[::9] = np.nan
    dense = np.column_stack([np.full(len(y), np.nan), item, table["size"]])
    users = [None if i % 11 == 3 else user for i, user in enumerate(table["user"])]
    truth = (y + 0.25 * (item == 100)).astype(float) if k == 0 else y.astype(np.int32)
    weight = np.resize([1.0, 0.5, 0.0, 2.0], len(y))
    seen = target_statistics([users, [None if x != x else x for x in item]], truth, weight, k)
    coded, plain = encoded_model(numbers=k == 0), encoded_model(numbers=k == 0, encoding={})
    answer = "number" if k == 0 else "proba"
    room = (np.array([-3, -4, -1]), k, k > 0, None)
    found = coded.learn((dense, users), truth, weight, answer, room)
    wide = np.column_stack([dense[:, 1:], seen])
    room = (np.full(wide.shape[1], -1), k, k > 0, None)
    expected = plain.learn(wide, truth, weight, answer, room)
    np.testing.assert_allclose(found[20:], expected[20:], rtol=1e-7)


def test_kinds_are_guessed():
    assert guess_words({f"a message of words {i}" for i in range(900)}, 1000) == "text"
    assert guess_words({f"http://example.org/{i}" for i in range(900)}, 1000) == "text"
    assert guess_words({f"u{i}" for i in range(300)}, 1000) == "identifier"
    assert guess_words({f"name{i}" for i in range(960)}, 1000) == "text"  # a value that never comes again
    assert guess_words({f"a{i % 9}-{i}@b.org" for i in range(920)}, 1000) == "text"  # whose parts come again
    assert guess_words({f"name{i}" for i in range(920)}, 1000) == "identifier"
    assert guess_words({f"a{i % 9}-{i}@b.org" for i in range(880)}, 1000) == "identifier"
    assert guess_words({f"name{i}" for i in range(30)}, 30) is None
    assert guess_words({"red", "green", "blue"}, 1000) is None


def test_names_tell_codes_from_quantities():
    """Numbers from 1 on, as tables of a data base count: only their name says that they stand for things."""
    numbers = set(np.arange(1.0, 500))
    for name in (
        "user",
        "Item",
        "movie_id",
        "userId",
        "UserID",
        "Store",
        "store_nbr",
        "lastCustomer",
        "zip",
        "src ip",
    ):
        assert looks_like_codes(name, numbers, 1000), name
        assert not looks_like_codes(name, set(np.arange(1.0, 11)), 1000), name
        assert not looks_like_codes(name, {number + 0.5 for number in numbers}, 1000), name
    for name in ("users", "items", "customers", "velocity", "paid", "discard", "bookstores", "a", "grid", 3):
        assert not looks_like_codes(name, numbers, 1000), name


@pytest.mark.skipif(not data_files(), reason="the folder STREAMBOOST_DATA is not there")
def test_streams_of_numbers_have_no_codes():
    """Experts over hashed tokens join none of the 23 streams that drift: they cost nothing there."""
    from benchmarks.accuracy.streams import STREAMS

    for found in data_files():
        if found.name in STREAMS and found.name != "ijcnn1":  # a sparse file, which has no kinds
            assert open_stream(found.path, limit=2000).kinds == {}, found.name


def test_what_is_missing_does_not_count_among_the_texts(tmp_path):
    """A remark in every third row is a text all the same, in every kind of file."""
    remarks = pd.Series([f"remark {i} about something" if i % 3 == 0 else None for i in range(900)])
    table = pd.DataFrame({"size": np.arange(900.0), "remark": remarks, "label": np.arange(900) % 2})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    table.to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert open_stream(tmp_path / name).kinds == {"remark": "text"}
        assert open_stream(tmp_path / name, identifier=["remark"]).kinds == {"remark": "identifier"}


@pytest.mark.parametrize(
    "text", ["", "\0\x01\x7f", "x" * 3_000_000, " ".join(map(str, range(200_000))), "🙂" * 50]
)
def test_odd_texts_are_learned(text):
    model = default()
    for i in range(4):
        model.learn_one({"text": text if i % 2 else "see you", "user": "u"}, i % 2)
    assert 0 <= model.predict_proba_one({"text": text, "user": "u"})[1] <= 1


def test_bad_words_are_refused_and_nothing_is_learned():
    table, y = messages(40)
    model = default().partial_fit(table, y, classes=[0, 1])
    for bad, error in (("\ud800", ValueError), (b"bytes", TypeError), ([1], TypeError)):
        with pytest.raises(error, match=r"text|words"):
            model.learn_one({"text": bad}, 1)
    assert model.n_learned_ == len(y)
    with pytest.raises(ValueError, match="array-like"):
        sb.StreamBoostClassifier(text_features="text").fit(table, y)
    with pytest.raises(ValueError, match="subject"):
        sb.StreamBoostClassifier(text_features=["subject"]).fit(table, y)


HASHED = sb.HashedLogisticRegression(10, text_features=["text"], identifier_features=["user"])


@pytest.mark.parametrize(
    "make",
    [
        partial(default, n_estimators=5),
        partial(sb.OSBoostClassifier, HASHED, n_estimators=5, random_state=3),
    ],
)
def test_shards_learn_words(make):
    table, y = messages(200)
    whole = make().partial_fit(table[:120], y[:120])
    with Shards(make(), 2, engine="local") as model:
        model.partial_fit(table[:120], y[:120])
        assert np.array_equal(model.predict_proba(table), whole.predict_proba(table))
        again = model.to_model()
    for one in (whole, again):
        one.partial_fit(table[120:], y[120:])
    assert np.array_equal(again.predict_proba(table), whole.predict_proba(table))


def test_any_booster_learns_from_tokens():
    """A booster over hashed rows = the same over sparse rows of the oracle's tokens."""
    table, y = messages(300)
    hashed = sb.HashedLogisticRegression(
        12, text="pairs", text_features=["text"], identifier_features=["user"]
    )
    model = sb.OSBoostClassifier(hashed, n_estimators=4, random_state=3)
    found = model.test_then_train(table, y, classes=[0, 1], output="proba")
    codes = pd.factorize(table["shop"])[0].tolist()
    kinds = ("text", "identifier", "nominal", "number")
    X = sp.lil_matrix((len(y), 2**12))
    for r, cells in enumerate(zip(table["text"], table["user"], codes, table["size"], strict=True)):
        row = tokens([*zip(kinds, cells, strict=True)], "pairs", 12)
        X[r, list(row)] = list(row.values())
    plain = sb.OSBoostClassifier(sb.LogisticRegression(), n_estimators=4, random_state=3)
    expected = plain.test_then_train(X.tocsr(), y, classes=[0, 1], output="proba")
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert np.mean(found[150:].argmax(axis=1) == y[150:]) > 0.6


def test_sparse_rows_of_many_columns():
    """Any chunks give the same; trees see the columns that came first, and the answer follows the others as well."""
    rng = np.random.default_rng(2)
    X = sp.random(600, 400, 0.02, "csr", random_state=rng)
    y = np.asarray(X[:, ::2].sum(axis=1) > X[:, 1::2].sum(axis=1)).ravel().astype(int)
    whole = sb.StreamBoostClassifier(n_estimators=3, random_state=7, n_jobs=2)
    answers = whole.test_then_train(X, y, classes=[0, 1])
    parts = sb.StreamBoostClassifier(n_estimators=3, random_state=7)
    for first in range(0, 600, 83):
        parts.partial_fit(X[first : first + 83], y[first : first + 83], classes=[0, 1])
        parts = pickle.loads(pickle.dumps(parts))
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))
    assert np.array_equal(whole.predict_proba(X[:5].toarray()), parts.predict_proba(X[:5]))
    assert np.mean(answers[300:] == y[300:]) > 0.6
    numbers = sb.StreamBoostRegressor(n_estimators=3, random_state=7).partial_fit(X, y.astype(float))
    assert np.isfinite(numbers.predict(X)).all()


def test_rows_of_nothing_but_words_can_be_saved(tmp_path):
    """The trees beside the words see no column at all."""
    table, y = messages(600)
    model = default().partial_fit(table[["text", "user"]], y)
    model.save(tmp_path / "m.sboost")
    loaded = sb.load(tmp_path / "m.sboost")
    assert np.array_equal(
        loaded.predict_proba(table[["text", "user"]]), model.predict_proba(table[["text", "user"]])
    )


@pytest.mark.parametrize("lags", [0, 2])
def test_pending_answers_about_words(lags):
    """A record holds what every expert said, those behind the words as well: one file, one chunk or many."""
    table, y = messages(240)
    whole, parts = default(lags=lags).partial_fit(table[:120], y[:120]), default(lags=lags)
    parts.partial_fit(table[:120], y[:120])
    pending = whole.predict_pending(table[120:])
    whole.partial_fit(table[120:], y[120:], pending=pending)
    for first in range(120, 240, 40):
        parts.partial_fit(
            table[first : first + 40], y[first : first + 40], pending=pending[first - 120 : first - 80]
        )
    assert np.array_equal(whole.predict_proba(table), parts.predict_proba(table))
    numbers = sb.StreamBoostRegressor(n_estimators=3, random_state=7, text_features=["text"])
    numbers.partial_fit(table, y.astype(float))
    numbers.partial_fit(table, y.astype(float), pending=numbers.predict_pending(table))
    assert np.isfinite(numbers.predict(table)).all()


def test_codes_of_a_frame_and_of_a_file_are_the_same(tmp_path):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"userId": rng.integers(1, 90, 400), "size": rng.normal(size=400)})
    table.assign(label=rng.integers(0, 2, 400)).to_csv(tmp_path / "a.csv", index=False)
    assert open_stream(tmp_path / "a.csv").kinds == {"userId": "code"}
    for frame in (table, table.astype(float), table.assign(shop="a")):
        assert default(text_features=None, identifier_features=None).fit(
            frame, np.arange(400) % 2
        ).session.schema.codes == (0,)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("無料プレゼント今すぐ電話。", {"無料", "プレゼント", "今", "すぐ", "電話"}),
        ("明天开会", {"明天", "开会"}),
        ("मुफ़्त इनाम", {"मुफ़्त", "इनाम"}),  # vowel signs are no letters, and stand inside words
        ("ฟรีรางวัล วันนี้", {"ฟรีรางวัล", "วันนี้"}),
        ("Überraschung🎁 für dich", {"überraschung🎁", "für", "dich"}),
    ],
)
def test_explanations_name_the_words_that_are_hashed(text, pieces):
    """A phrase in a script that is written without spaces is told apart where its scripts change."""
    model = default(text_features=["text"], identifier_features=None)
    for i in range(60):
        model.learn_one({"text": text if i % 2 else f"{i} and more"}, i % 2)
    told = model.explain_one({"text": text})
    assert set(told.words["text"]) == pieces
    assert sum(told.words["text"].values()) == pytest.approx(told.contributions["text"])


EDGES_OF_WORDS = (
    0x00, 0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B, 0xAA, 0xAB, 0xB5, 0xB6, 0xBA, 0xBB, 0xC0,
    0xD7, 0xD8, 0xF7, 0xF8, 0x1680, 0x1681, 0x2000, 0x200B, 0x2010, 0x2070, 0x20A0, 0x2C00, 0x3000, 0x3040, 0x30A0, 0x4E00,
    0xFE10, 0xFE70, 0xFF00, 0xFF10, 0xFF1A, 0xFF21, 0x20000,
)  # fmt: skip


@pytest.mark.parametrize("edge", EDGES_OF_WORDS, ids=hex)
def test_what_stands_in_a_word_is_what_the_core_hashes(edge):
    """Where blocks begin and end: the learner of words learns from a character, or it has none to learn from."""
    for character in map(chr, (max(edge - 1, 0), edge)):
        model = sb.SingleLearnerClassifier(sb.HashedLogisticRegression(text="words", text_features=["text"]))
        model.partial_fit(pd.DataFrame({"text": ["a", "b", character]}), [0, 1, 1])
        told = [model.predict_proba_one({"text": text})[1] for text in (character, "")]
        assert (told[0] != told[1]) == bool(WORD.match(character)), hex(ord(character))


def test_a_phrase_without_spaces_is_learned_by_its_characters():
    """Two sentences that share no phrase, but the characters that tell."""
    model = default(identifier_features=None)
    spam, ham = "免奖送", "会家明"
    for i in range(200):
        rest = "".join(chr(0x4E00 + 7 * i + j) for j in range(3))
        model.learn_one({"text": rest + (spam, ham)[i % 2][i % 3] + rest[::-1]}, ("spam", "ham")[i % 2])
    assert model.predict_proba_one({"text": "我们免你"})["spam"] > 0.8
    assert model.predict_proba_one({"text": "你们家我"})["spam"] < 0.2


def test_explanations_name_words_and_identifiers():
    """The words of a text share its contribution; an identifier stands there with its value."""
    table, y = messages(400)
    model = default().fit(table, ["free" in str(text) for text in table["text"]])
    row = {"text": "You win a FREE prize, free!", "user": "user-7", "shop": "s1", "size": 0.5}
    told = model.explain_one(row)
    assert set(told.words["text"]) == {"you", "win", "a", "free", "prize"}
    assert sum(told.words["text"].values()) == pytest.approx(told.contributions["text"])
    assert max(told.words["text"], key=lambda word: abs(told.words["text"][word])) == "free"
    shown = dict(told.largest(50))
    assert sum(shown.values()) == pytest.approx(told.score - told.base)
    assert "text: free" in shown
    assert "user = user-7" in shown
    assert told.words == model.explain_one(row).words
    many = model.explain(table[:20], words=True)
    assert [set(words) for words in many.words] == [
        {"text"} if text else set() for text in table["text"][:20].fillna("")
    ]
    assert dict(many.top_words(100))["free"] != 0
    assert not model.explain(table[:3]).words
    several = default(n_estimators=2).fit(table, messages(400, 4)[1]).explain_one(row)
    assert sum(several.words["text"].values()) == pytest.approx(several.contributions["text"])
    numbers = sb.StreamBoostRegressor(n_estimators=3, random_state=7, text_features=["text"])
    numbers.partial_fit(table[["text", "size"]], y.astype(float))
    told = numbers.explain_one({"text": "free " + " ".join(map(str, range(100))), "size": 1.0})
    assert len(told.words["text"]) == 65  # with all others as one
    assert sum(told.words["text"].values()) == pytest.approx(told.contributions["text"])


def test_keyed_models_read_words(tmp_path):
    """Each key has its own words; models that went to the store come back as they were."""
    table, y = messages(150)
    made = partial(
        KeyedClassifier, default(text_features=["text"]), key="shop", folder=tmp_path / "keys", max_models=2
    )
    rows = table.to_dict("records")
    with made() as model:
        for row, label in zip(rows, y.tolist(), strict=True):
            model.learn_one(row, label)
        answers = [model.predict_proba_one(row) for row in rows[:12]]
    with made() as again:
        assert [again.predict_proba_one(row) for row in rows[:12]] == answers


def test_named_sparse_rows_are_numbers(tmp_path):
    """Rows of Vowpal Wabbit's format have names and are sparse: nothing is guessed of their columns."""
    path = tmp_path / "rows.vw"
    path.write_text("1 |a free prize\n-1 |a see you\n" * 20)
    model = sb.StreamBoostClassifier(n_estimators=2)
    for chunk in open_stream(path).chunks():
        model.partial_fit(chunk.rows, chunk.labels)
    assert model.session.schema.words == {}


@pytest.mark.parametrize("numbers", [False, True])
def test_dicts_may_bring_any_number_of_columns(numbers, tmp_path):
    """Trees see the first columns, and from then on the score of all; saved in the middle it goes on as if it had not been."""
    rng, width = np.random.default_rng(3), 40
    rows = [
        {f"w{min(int(word), 4 * i)}": 1.0 for word in 400 * rng.random(6) ** 2} | {"x": float(rng.normal())}
        for i in range(160)
    ]
    truth = [(float if numbers else int)("w3" in row or "w150" in row) for row in rows]
    kind = sb.StreamBoostRegressor if numbers else sb.StreamBoostClassifier
    model = kind(n_estimators=3, random_state=7, max_tree_columns=width)
    loaded = None
    for row, y in zip(rows, truth, strict=True):
        if loaded is None and row is not rows[0] and model.session.schema.width > width + 50:
            model.save(tmp_path / "m.sb")
            loaded = sb.load(tmp_path / "m.sb")
        model.learn_one(row, y)
        if loaded is not None:
            loaded.learn_one(row, y)
    assert model.session.schema.width > 150
    assert loaded is not None
    for row in rows[:20]:
        assert model.predict_one(row) == loaded.predict_one(row)
    state, again = model.session.model.state(), loaded.session.model.state()
    assert state.keys() == again.keys()
    assert all(np.array_equal(state[name], again[name]) for name in state)
    assert any(name.startswith("encoded/scores/") for name in state)


def test_few_columns_of_dicts_are_seen_as_they_are():
    table, y = messages(200)
    rows = table[["shop", "size"]].assign(more=np.arange(200) % 7)
    by_frame = default(text_features=None, identifier_features=None).partial_fit(rows, y)
    by_dicts = default(text_features=None, identifier_features=None)
    for row, label in zip(rows.to_dict("records"), y.tolist(), strict=True):
        by_dicts.learn_one(row, label)
    assert np.array_equal(by_frame.predict_proba(rows), by_dicts.predict_proba(rows))
