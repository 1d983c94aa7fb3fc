"""Replayed gradient boosting: its oracle, its plan, and the laws, bit for bit, also in the middle of a fit."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.replay_boosting import Boosting, plan_of_fits

import streamboost as sb
from laws.cuts import check_cuts
from tests.inside.handles import bits, key_of, state_of


def stream(n, d, outputs, seed, nominal=True):
    """Numbers of few and of many values, a nominal column, missing cells, weights of which some are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0], 1)
    if nominal:
        X[:, -1] = rng.integers(0, 5, n)
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = (
        np.nan_to_num(X[:, 0])
        + np.abs(np.nan_to_num(X[:, 1 % d]))
        + (X[:, -1] == 2)
        + rng.normal(size=n) * 0.3
    )
    y = (
        signal
        if outputs == 0
        else np.searchsorted(np.quantile(signal, np.arange(1, outputs) / outputs), signal)
    )
    return X, y, np.resize([1.0, 0.5, 2.0, 0.0, 1.0], n)


def as_coded(X, nominal):
    """Nominal values get their codes as they appear."""
    X, seen = X.copy(), {}
    for i, value in enumerate(X[:, nominal].tolist()):
        if value == value:
            X[i, nominal] = seen.setdefault(value, len(seen))
    return X


def forest_of(model):
    """The trees in the core's state: for each the nodes (column, cut, missing left, left, right) and the leaf values."""
    state = {name.removeprefix("replay/"): value for name, value in state_of(model).items()}
    _, _, outputs, n, _ = state["forest"].tolist()
    nodes = state["forest_nodes"].reshape(-1, 7)
    cuts = nodes[:, 1].astype(np.int32).view(np.float32)
    first_node, first_leaf, output = np.split(state["forest_trees"][: 3 * n - 1], [n, 2 * n])
    values = state["forest_values"].tolist()
    trees = []
    for t in range(n - 1):
        at = slice(first_node[t], first_node[t + 1])
        listed = [
            [int(c), float(x), bool(m), int(left), int(right)]
            for (c, _, left, right, m, _, _), x in zip(nodes[at].tolist(), cuts[at], strict=True)
        ]
        columns = 1 if output[t] >= 0 else outputs
        size = int(first_leaf[t + 1] - first_leaf[t]) * columns
        trees.append((listed, np.reshape(values[:size], (-1, columns))))
        values = values[size:]
    assert not values
    return trees, state["forest_start"]


def check_agreement(model, oracle):
    trees, start = forest_of(model)
    np.testing.assert_allclose(start, oracle.start, rtol=1e-12, atol=1e-12)
    assert len(trees) == len(oracle.trees)
    for (nodes, values), tree in zip(trees, oracle.trees, strict=True):
        assert len(nodes) == len(tree.nodes)
        for (column, cut, missing, left, right), expected in zip(nodes, tree.nodes, strict=True):
            assert [column, left, right] == [expected[0], *expected[3:]]
            assert missing == expected[2]
            cuts = oracle.cuts[column]
            if expected[1] <= len(cuts):
                assert cut == cuts[expected[1] - 1]
            else:
                assert cut >= max(cuts, default=0)  # all that is not missing goes left
        np.testing.assert_allclose(values, np.array(tree.values), rtol=1e-7, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(45, 260),
    d=st.integers(1, 4),
    outputs=st.sampled_from([2, 3, 7]),
    seed=st.integers(0, 10**6),
    leaves=st.integers(1, 9),
    bins=st.sampled_from([4, 9, 31]),
    trees=st.sampled_from(["shared", "per-class"]),
)
def test_a_fit_is_its_oracle(n, d, outputs, seed, leaves, bins, trees):
    X, y, weight = stream(n, d, outputs, seed)
    options = {"rounds": 6, "leaves": leaves, "bins": bins}
    model = sb.ReplayBoostingClassifier(
        **options, trees=trees, random_state=seed, categorical_features=[d - 1]
    )
    model.fit(X, y, sample_weight=weight)
    kept = weight > 0
    codes = [model.session.labels.book.codes[label] for label in y.tolist()]
    oracle = Boosting(
        as_coded(X[kept], d - 1),
        np.array(codes)[kept],
        weight[kept],
        nominal=[d - 1],
        **options,
        shared=trees == "shared",
        seed=key_of(model),
        end=int(kept.sum()),
    )
    check_agreement(model, oracle)


@pytest.mark.parametrize("share", [0.02, 0.15, 0.6])
@pytest.mark.parametrize("outputs", [2, 5])
def test_a_fit_of_rows_that_are_mostly_0_is_its_oracle(outputs, share):
    """Of wide rows only the cells are added up that are not as usual."""
    rng = np.random.default_rng(7)
    X, y, weight = stream(400, 45, outputs, seed=3)
    X[:, 2:] = np.where(rng.random((400, 43)) < share, rng.integers(-2, 4, (400, 43)), 0)
    X[:, 7], X[:, 9] = 3.0, np.nan  # one value; none
    y[X[:, 3] != 0] = 0
    options = {"rounds": 5, "leaves": 6, "bins": 31}
    model = sb.ReplayBoostingClassifier(**options, random_state=1)
    model.fit(X, y, sample_weight=weight)
    codes = np.array([model.session.labels.book.codes[label] for label in y.tolist()])
    kept = weight > 0
    oracle = Boosting(
        X[kept], codes[kept], weight[kept], nominal=[], **options, shared=True, seed=key_of(model), end=int(kept.sum())
    )  # fmt: skip
    check_agreement(model, oracle)


@settings(max_examples=20, deadline=None)
@given(
    n=st.integers(45, 200),
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(["squared", "absolute", "huber"]),
    leaves=st.integers(2, 8),
)
def test_a_fit_of_numbers_is_its_oracle(n, seed, loss, leaves):
    X, y, weight = stream(n, 3, 0, seed)
    model = sb.ReplayBoostingRegressor(
        rounds=5, leaves=leaves, bins=31, loss=loss, random_state=1, categorical_features=[2]
    )
    model.fit(X, y, sample_weight=weight)
    kept = weight > 0
    oracle = Boosting(
        as_coded(X[kept], 2), y[kept], weight[kept], nominal=[2], rounds=5, leaves=leaves, loss=loss
    )
    check_agreement(model, oracle)


@pytest.mark.parametrize("outputs", [2, 5])
def test_fits_are_made_and_take_over_as_planned(outputs):
    X, y, _ = stream(900, 4, outputs, seed=3)
    model = sb.ReplayBoostingClassifier(memory=300, rounds=3, random_state=1)
    plan = plan_of_fits(900, memory=300)
    for t in range(900):
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=range(outputs))
        speaking = [fit for fit in plan if fit[2] <= t + 1]
        begin, end = state_of(model)["replay/forest"][:2].tolist()
        assert (begin, end) == (speaking[-1][:2] if speaking else (0, 0))
    assert model.report().totals["fits"] == len([fit for fit in plan if fit[2] <= 900]) > 4
    assert model.report().totals["remembered_rows"] == 300


MODELS = {
    "two": (sb.ReplayBoostingClassifier(memory=260, rounds=8, leaves=6), 2),
    "many": (sb.ReplayBoostingClassifier(memory=260, rounds=3, leaves=8, refit=1.2), 6),
    "per-class": (sb.ReplayBoostingClassifier(memory=260, rounds=3, leaves=8, trees="per-class"), 3),
    "numbers": (sb.ReplayBoostingRegressor(memory=260, rounds=8, loss="huber"), 0),
    "stages": (sb.ReplayBoostingClassifier(memory=260, rounds=4, calibration="platt", coverages=(0.9,)), 3),
}


def fresh(name):
    model, outputs = MODELS[name]
    return copy.deepcopy(model).set_params(random_state=3, categorical_features=[3]), outputs


@pytest.mark.parametrize("name", MODELS)
def test_chunks_files_copies_and_threads_do_not_matter(name, tmp_path):
    outputs = fresh(name)[1]
    rows = stream(900, 4, outputs, seed=5)
    edges = [0, 1, 2, 105, 130, 131, 300, 460, 470, 790]
    kind = {"classes": range(outputs), "output": "proba"} if outputs else {}
    check_cuts(lambda: fresh(name)[0], *rows, edges, tmp_path / "m.sboost", **kind)


def test_a_copy_goes_its_own_way():
    X, y, _ = stream(700, 4, 2, seed=6)
    model = sb.ReplayBoostingClassifier(memory=300, rounds=5, random_state=1).partial_fit(X[:520], y[:520])
    other = copy.deepcopy(model)
    before = bits(other)
    model.partial_fit(X[520:], y[520:])
    assert bits(other) == before
    other.partial_fit(X[520:], y[520:])
    assert bits(other) == bits(model)


def test_new_classes_columns_and_values_join_with_the_next_fit():
    def row(i):
        found = {"a": i % 7, "shop": "xy"[i % 2] if i < 300 else "xyz"[i % 3]}
        return {**found, "late": i % 5} if i > 250 else found

    model = sb.ReplayBoostingClassifier(rounds=5, random_state=1)
    for i in range(600):
        model.learn_one(row(i), "odd" if i % 2 else "even" if i < 320 or i % 4 else "four")
        if i == 330:
            p = model.predict_proba_one(row(i))
            assert 0 < p["four"] < 0.02
            assert sum(p.values()) == pytest.approx(1)
    assert model.predict_proba_one(row(604))["four"] > 0.1
    whole = sb.ReplayBoostingClassifier(rounds=5, random_state=1)
    import pandas as pd

    rows = [row(i) for i in range(600)]
    whole.partial_fit(
        pd.DataFrame(rows), ["odd" if i % 2 else "even" if i < 320 or i % 4 else "four" for i in range(600)]
    )
    assert bits(whole) == bits(model)


def test_rows_too_wide_for_the_memory_are_not_kept():
    X, y, _ = stream(400, 30, 2, seed=1, nominal=False)
    model = sb.ReplayBoostingClassifier(
        max_bytes=20_000, memory=300, calibration=None, random_state=1
    ).partial_fit(X, y)
    assert model.report().totals["too_wide"] == 1
    assert model.report().totals["remembered_rows"] == 0
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], np.bincount(y) / 400)


@pytest.mark.filterwarnings("ignore:The trees have reached their limit of memory")
def test_the_report_of_the_default_says_so_of_each_of_its_experts():
    X, y, _ = stream(700, 300, 2, seed=1, nominal=False)
    experts = ("replay", "replay-quick", "judge")
    few = {"n_estimators": 2, "random_state": 1}
    model = sb.StreamBoostClassifier(**few).partial_fit(X[:, :5], y)
    totals = model.report().totals
    for name in experts:
        assert totals[f"fits/{name}"] >= 2
        assert totals[f"remembered_rows/{name}"] >= 500
        assert (totals[f"too_wide/{name}"], totals[f"fits_dropped/{name}"]) == (0, 0)
    wide = sb.StreamBoostClassifier(max_bytes=16_000_000, **few).partial_fit(X, y)
    totals = wide.report().totals
    for name in experts:
        assert (totals[f"too_wide/{name}"], totals[f"remembered_rows/{name}"], totals[f"fits/{name}"]) == (
            1,
            0,
            0,
        )
    assert wide.predict(X[:3]).shape == (3,)
    totals = sb.StreamBoostRegressor(**few).partial_fit(X[:, :5], np.nan_to_num(X[:, 5])).report().totals
    assert {v for k, v in totals.items() if k.startswith("fits_dropped/")} == {0.0}


@pytest.mark.parametrize("model", [sb.ReplayBoostingClassifier, sb.ReplayBoostingRegressor])
def test_a_refusal_counts_classes_where_there_are_some(model):
    X, y, _ = stream(300, 30, 2, seed=1, nominal=False)
    said = (
        "30 columns, their values and 2 classes"
        if "Classifier" in model.__name__
        else "30 columns and their values"
    )
    with pytest.raises(ValueError, match=f"{said} need .* max_bytes"):
        model(max_bytes=2_000).partial_fit(X, y)


@pytest.mark.parametrize(
    "options",
    [
        {"memory": 199},
        {"bins": 3},
        {"bins": 256},
        {"rounds": 0},
        {"leaves": 0},
        {"refit": 1.0},
        {"max_bytes": 0},
    ],
    ids=str,
)
def test_wrong_parameters_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        sb.ReplayBoostingClassifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_explanations_add_up_and_importances_find_the_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    y = (X[:, 1] + X[:, 3] ** 2 > 0.7).astype(int)
    model = sb.ReplayBoostingClassifier(rounds=20, random_state=1).fit(X, y)
    for exact in (False, True):
        told = model.explain(X[:30], exact=exact)
        np.testing.assert_allclose(told.base + told.contributions.sum(1), model.decision_function(X[:30]))
    assert set(np.argsort(model.gain_importances_)[-2:]) == {1, 3}
    assert model.gain_importances_.sum() == pytest.approx(1)
    numbers = sb.ReplayBoostingRegressor(rounds=20, random_state=1).fit(X, X[:, 2])
    told = numbers.explain(X[:5])
    np.testing.assert_allclose(told.base + told.contributions.sum(1), numbers.predict(X[:5]))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_answers_before_the_fit_of_all_rows_are_no_lessons(n_jobs):
    """The class shares answer until then: how sure they are says nothing of the trees."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 10, 6000)
    X = np.eye(10)[y] + rng.normal(size=(6000, 10))
    weight = rng.integers(0, 3, 6000).astype(float)
    given = {"rounds": 8, "leaves": 8, "random_state": 1, "n_jobs": n_jobs}
    raw = sb.ReplayBoostingClassifier(calibration=None, **given).fit(X, y, sample_weight=weight)
    model = sb.ReplayBoostingClassifier(**given).fit(X, y, sample_weight=weight)
    totals = model.report().totals
    assert (totals["temperature"], totals["weight_of_shares"]) == (1.0, 0.0)
    np.testing.assert_array_equal(model.predict_proba(X), raw.predict_proba(X))
    read = sb.load(model.to_bytes()).partial_fit(X, y)  # from here on there are lessons
    assert read.to_bytes() == model.partial_fit(X, y).to_bytes()
    assert read.report().totals["temperature"] != 1.0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("decision", ["argmax", "f1"])
def test_sets_and_thresholds_learn_nothing_from_them_either(decision, n_jobs):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(900, 3))
    y = (X[:, 0] + rng.normal(size=900) > 1.2).astype(int)
    given = {"rounds": 8, "leaves": 8, "random_state": 1, "n_jobs": n_jobs}
    model = sb.ReplayBoostingClassifier(coverages=0.8, decision=decision, **given).fit(X[:600], y[:600])
    assert model.report().totals["set_rows"] == 0
    assert model.predict_set(X, 0.8).all()  # nothing is known of the trees yet
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    read = sb.load(model.to_bytes()).partial_fit(X[600:], y[600:])  # from here on there are lessons
    assert read.to_bytes() == model.partial_fit(X[600:], y[600:]).to_bytes()
    totals = read.report().totals
    assert totals["set_rows"] == 300
    assert totals["coverage/0.80"] == pytest.approx(0.8, abs=0.05)
    assert not read.predict_set(X, 0.8).all()
    assert decision == "argmax" or 0 <= totals["threshold"] <= 1
