"""Nominal columns with too many values become identifiers: the laws, the oracle, files, frames and arrays, refusals."""

import itertools
import json
import pickle
import warnings
import zipfile
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from oracle.words import target_statistics, tokens

import streamboost as sb
from streamboost.base.files.archive import ModelFileError
from streamboost.base.inputs import schema as schemas
from streamboost.distributed import KeyedClassifier, Shards
from tests.inside.handles import encoded_model, session_of, state_of

MOST = 12


@pytest.fixture(autouse=True)
def few_values(monkeypatch):
    """So that a short stream has too many."""
    monkeypatch.setattr(schemas, "MANY_IN_DICTS", MOST)


def visits(n=240, k=2, seed=5):
    """Users, of which ever more come; pages, which are too many a little later; a number, and what it is about."""
    rng = np.random.default_rng(seed)
    users = [f"u{int(i)}" for i in rng.random(n) ** 2 * np.linspace(6, 90, n)]
    pages = [f"p{int(i)}" for i in rng.random(n) * np.linspace(3, 40, n)]
    size = np.round(rng.normal(size=n), 2)
    y = [(len(u) + int(p[1:]) + (x > 0)) % k for u, p, x in zip(users, pages, size, strict=True)]
    table = pd.DataFrame({"user": users, "size": size, "page": pages})
    table.loc[5::13, "page"] = None
    return table, np.array(y)


def classifier(**more):
    return sb.StreamBoostClassifier(**{"n_estimators": 3, "random_state": 7, **more})


def regressor(**more):
    return sb.StreamBoostRegressor(**{"n_estimators": 3, "random_state": 7, **more})


def one_by_one(model, table, y, weight):
    for row, truth, w in zip(table.to_dict("records"), y.tolist(), weight.tolist(), strict=True):
        model.learn_one(row, truth, sample_weight=w)
    return model


def same(a, b):
    ours, theirs = state_of(a), state_of(b)
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        assert np.array_equal(values, theirs[name], equal_nan=True), name


HASHED = partial(
    sb.OSBoostClassifier, sb.HashedLogisticRegression(10, pairs=True), n_estimators=2, random_state=3
)


@pytest.mark.parametrize(("make", "k"), [(classifier, 2), (classifier, 4), (regressor, 3), (HASHED, 2)])
def test_one_row_at_a_time_any_chunks_threads_and_files_are_the_same(make, k, tmp_path):
    table, y = visits(k=k)
    y = y.astype(float) if make is regressor else y
    weight = np.resize([1.0, 0.5, 0.0, 2.0, 1.0], len(y))
    weight[0] = 1
    whole = one_by_one(make(), table, y, weight)
    columns = session_of(whole).schema
    assert columns.names == ["user", "size", "page", "user as identifier", "page as identifier"]
    assert columns.twins == {3: 0, 4: 2}
    assert [len(columns.books[c]) for c in (0, 2)] == [MOST, MOST]
    for threads, cuts in ((1, [1, 240]), (2, [1, 40, 90, 240]), (3, [1, 17, 18, 100, 101, 240])):
        parts = one_by_one(make(n_jobs=threads), table[:1], y[:1], weight[:1])
        for first, end in itertools.pairwise(cuts):
            parts.partial_fit(table[first:end], y[first:end], sample_weight=weight[first:end])
            parts.save(tmp_path / "m.sboost")
            parts = sb.load(tmp_path / "m.sboost")
        assert session_of(parts).schema.twins == columns.twins
        same(whole, parts)
    ask = whole.predict if make is regressor else whole.predict_proba
    answers = ask(table)
    assert np.isfinite(answers).all()
    assert np.array_equal(answers, ask(table))
    said = [whole.predict_one(row) for row in table[:20].to_dict("records")]
    assert said == whole.predict(table[:20]).tolist()
    same(whole, parts)


def test_answers_before_learning_are_the_same_in_any_chunks():
    table, y = visits()
    weight = np.resize([1.0, 0.0, 1.0], len(y))
    answers = []
    for cuts in (range(1, 241), [1, 70, 240]):
        model = classifier()
        model.learn_one(table.to_dict("records")[0], 0, classes=[0, 1])
        ends = list(cuts)
        answers.append(
            np.concatenate(
                [
                    model.test_then_train(table[a:b], y[a:b], sample_weight=weight[a:b], output="proba")
                    for a, b in itertools.pairwise(ends)
                ]
            )
        )
    assert np.array_equal(*answers)


@pytest.mark.parametrize("k", [0, 2, 3])
def test_trees_see_the_statistics_of_the_identifiers(k):
    """A model over open rows = one whose rows get, once the identifier is there, what the oracle says of it."""
    table, y = visits(300, max(k, 2))
    truth = y + 0.25 * (table["size"].to_numpy() > 0) if k == 0 else y.astype(np.int32)
    turn, n_codes = 110, 8
    codes = np.array([int(user[1:]) % 9 for user in table["user"]], dtype=float)
    codes[codes >= n_codes] = np.nan
    dense = np.column_stack([codes, table["size"]])
    users = list(table["user"])
    answer = "number" if k == 0 else "proba"
    encoding = {"most_columns": 256, "sparse": False, "score_bits": 16, "open": True}
    late, plain = encoded_model(numbers=k == 0, encoding=encoding), encoded_model(numbers=k == 0, encoding={})
    room = (np.array([n_codes, -1]), k, k > 0, None)
    for model in (late, plain):
        model.learn(dense[:turn], truth[:turn], None, answer, room)
    with_users = np.column_stack([dense[turn:], np.full(len(dense) - turn, np.nan)])
    found = late.learn(
        (with_users, users[turn:]), truth[turn:], None, answer, (np.array([n_codes, -1, -3]), k, k > 0, None)
    )
    seen = target_statistics([users[turn:]], truth[turn:], np.ones(len(dense) - turn), k)
    wide = np.column_stack([dense[turn:], seen])
    kinds = np.append([n_codes], np.full(wide.shape[1] - 1, -1))
    expected = plain.learn(wide, truth[turn:], None, answer, (kinds, k, k > 0, None))
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_tokens_are_those_of_the_oracle():
    """Known values keep the token of their code, and every value has one of its own once the column has turned."""
    table, y = visits()
    hashed = sb.OSBoostClassifier(sb.HashedLogisticRegression(12, pairs=True), n_estimators=3, random_state=3)
    X, books, turned = sp.lil_matrix((len(y), 2**12)), {"user": [], "page": []}, []
    for r, row in enumerate(table.to_dict("records")):
        hashed.learn_one(row, int(y[r]), classes=[0, 1] if r == 0 else None)
        cells = []
        for name, value in row.items():
            if name == "size" or pd.isna(value):
                cells.append(("number", value))
                continue
            if value not in books[name] and len(books[name]) < MOST:
                books[name].append(value)
            elif value not in books[name] and name not in turned:
                turned.append(name)
            cells.append(
                ("nominal", books[name].index(value)) if value in books[name] else ("number", float("nan"))
            )
        cells += [("identifier", row[name]) for name in turned]
        found = tokens(cells, "crosses", 12)
        X[r, list(found)] = list(found.values())
    plain = sb.OSBoostClassifier(sb.LogisticRegression(), n_estimators=3, random_state=3)
    plain.partial_fit(X.tocsr(), y, classes=[0, 1])
    assert turned == ["user", "page"]
    rows = slice(150, None)  # which came after both
    np.testing.assert_allclose(
        hashed.predict_proba(table[rows]), plain.predict_proba(X.tocsr()[rows]), rtol=1e-9
    )


def test_identifiers_are_learned():
    """Every user has a mind of its own: nobody's is lost, however many users there are."""
    rng = np.random.default_rng(1)
    minds, model, right = rng.integers(0, 2, 400), classifier(), []
    for i in range(3000):
        user = int(rng.integers(0, 400))
        right.append(model.predict_one({"user": f"u{user}"}) == minds[user])
        model.learn_one({"user": f"u{user}"}, int(minds[user]))
        if i == 300:
            assert len(session_of(model).schema.books[0]) == MOST
    assert np.mean(right[2000:]) > 0.93


def test_what_is_declared_nominal_has_more_values_and_then_loses_none(monkeypatch):
    monkeypatch.setattr(schemas, "MOST_CATEGORIES", 30)
    table, y = visits()
    for model in (classifier(categorical_features=["user", "page"]), classifier()):
        frame = model.get_params()["categorical_features"] is None
        if frame:
            model.partial_fit(table, y)
        else:
            one_by_one(model, table, y, np.ones(len(y)))
        columns = session_of(model).schema
        assert columns.names == ["user", "size", "page", "user as identifier", "page as identifier"]
        assert [len(columns.books[c]) for c in (0, 2)] == [30, 30]
    codes = table[["user", "page"]].apply(lambda column: pd.factorize(column)[0]).to_numpy(float)
    model = classifier(categorical_features=[0, 1]).partial_fit(codes, y)
    assert session_of(model).schema.twins == {2: 0, 3: 1}
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(codes), model.predict_proba(codes))
    assert model.predict_one({0: codes[0, 0], 1: codes[0, 1]}) == model.predict(codes[:1])[0]
    with pytest.raises(ValueError, match="2 features"):
        model.predict(codes[:, :1])
    with pytest.raises(ValueError, match="column numbers"):
        model.predict_one({2: 1.0})


@pytest.mark.parametrize("max_bytes", [200_000, 4_000_000, 16_000_000])
def test_a_model_of_little_memory_turns_or_goes_on_without(max_bytes, monkeypatch):
    """Nothing is refused: where there is no room for experts, values that are too many are missing, and a warning says so."""
    monkeypatch.setattr(schemas, "MOST_CATEGORIES", 30)
    table, y = visits(k=4)
    model = classifier(max_bytes=max_bytes, companions=("linear",))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        one_by_one(model, table, y, np.ones(len(y)))
    assert model.memory_bytes() <= max_bytes
    turned = bool(session_of(model).schema.twins)
    assert turned == (max_bytes > 200_000)
    assert turned != any("treated as missing" in str(warning.message) for warning in caught)


def test_pending_answers_go_over_the_turn():
    """What was asked before a column turned is learned after it."""
    table, y = visits()
    for make, truth in ((classifier, y), (regressor, y.astype(float))):
        model = make(delay=1)
        rows = table.to_dict("records")
        kept = []
        for row, label in zip(rows, truth.tolist(), strict=True):
            kept.append((row, label, model.predict_pending_one(row) if len(kept) > 5 else None))
            if len(kept) > 40:
                row, label, pending = kept[-40]
                model.learn_one(row, label, pending=pending)
        assert session_of(model).schema.twins
        assert model.n_learned_ == len(y) - 40
        assert model.predict_one(rows[0]) is not None


def test_bad_values_are_refused_and_nothing_turns():
    model = classifier()
    for i in range(MOST):
        model.learn_one({"user": f"u{i}", "size": 1.0}, i % 2)
    before = state_of(model)
    for bad in ("\ud800", "zero\0", b"bytes", [1]):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one({"user": bad, "size": 1.0}, 1)
    model.learn_one({"user": "one more"}, 1, sample_weight=0)
    model.predict_one({"user": "one more"})
    assert session_of(model).schema.twins == {}
    after = state_of(model)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    model = classifier()
    for i in range(MOST):
        model.learn_one({"text": f"a message about the number {i}"}, i % 2)
    with pytest.warns(UserWarning, match=r"text_features=\['text'\]"):
        model.learn_one({"text": "a message about no number"}, 1)


@pytest.mark.parametrize(("merchants", "text"), [(300, False), (400, False), (5000, True)])
def test_names_that_come_again_are_no_texts(merchants, text, monkeypatch):
    """The first 200 of some hundred names come with few repetitions: most of a thousand rows would be repetitions."""
    monkeypatch.setattr(schemas, "MANY_IN_DICTS", 200)
    rng = np.random.default_rng(2)
    model = sb.OSBoostClassifier(sb.HashedLogisticRegression(10), n_estimators=1, random_state=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(600):
            model.learn_one({"merchant": f"Corner Shop {rng.integers(merchants)}"}, i % 2, classes=[0, 1])
    assert session_of(model).schema.twins
    assert any("looks like texts" in str(warning.message) for warning in caught) == text


def test_explanations_shards_and_keys(tmp_path):
    table, y = visits()
    rows = table.to_dict("records")
    model = one_by_one(classifier(), table, y, np.ones(len(y)))
    told = model.explain_one(rows[-1])
    assert "user as identifier" in told.contributions
    assert sum(told.contributions.values()) == pytest.approx(told.score - told.base)
    assert f"user as identifier = {rows[-1]['user']}" in dict(told.largest(50))
    with Shards(classifier(), 2, engine="local") as shards:
        one_by_one(shards, table, y, np.ones(len(y)))
        assert np.array_equal(shards.predict_proba(table), model.predict_proba(table))
        same(shards.to_model(), model)
    made = partial(KeyedClassifier, classifier(), key="shop", folder=tmp_path / "keys", max_models=1)
    with made() as keyed:
        for i, (row, label) in enumerate(zip(rows, y.tolist(), strict=True)):
            keyed.learn_one({**row, "shop": "ab"[i % 2]}, label)
        answers = [keyed.predict_proba_one({**row, "shop": "b"}) for row in rows[:9]]
    with made() as again:
        assert [again.predict_proba_one({**row, "shop": "b"}) for row in rows[:9]] == answers


@pytest.mark.parametrize("twins", [[[3, 1]], [[3]], [[1, 0]], [[3, 0], [4, 0]], [[9, 0]], 7])
def test_files_that_lie_about_columns_are_refused(twins, tmp_path):
    table, y = visits()
    one_by_one(classifier(companions=()), table, y, np.ones(len(y))).save(tmp_path / "m.sboost")
    with zipfile.ZipFile(tmp_path / "m.sboost") as old, zipfile.ZipFile(tmp_path / "n.sboost", "w") as new:
        for entry in old.namelist():
            content = old.read(entry)
            if entry == "manifest.json":
                manifest = json.loads(content)
                assert manifest["columns"]["twins"] == [[3, 0], [4, 2]]
                manifest["columns"]["twins"] = twins
                content = json.dumps(manifest).encode()
            new.writestr(entry, content)
    with pytest.raises(ModelFileError):
        sb.load(tmp_path / "n.sboost")
