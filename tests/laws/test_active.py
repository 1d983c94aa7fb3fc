"""Labels within a budget: the strategies beside their oracle, and the laws."""

import copy
import io

import numpy as np
import pytest
from oracle.active import Oracle, confidence
from oracle.draws import normal, uniform

import streamboost
from streamboost import (
    ActiveClassifier,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    StreamBoostClassifier,
)
from streamboost.base.files.archive import read_archive, write_archive
from streamboost.drift import ADWIN
from streamboost.evaluate import prequential
from streamboost.feedback import QUERIES, QueryStrategy

SEED = 11


def stream(n=700, seed=3):
    """Numbers, and labels whose rule changes in the middle; a third label appears late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    side = np.where(np.arange(n) < n // 2, X[:, 0], X[:, 1] - 0.5)
    y = np.where(side > 0, "up", "down").astype(object)
    y[(X[:, 2] > 1.3) & (np.arange(n) > 100)] = "off"
    return X, y.astype(str)


def trees(**more):
    return OnlineBaggingClassifier(HoeffdingTree(grace_period=20), n_estimators=5, random_state=2, **more)


def active(query, budget=0.2, model=None, **more):
    return ActiveClassifier(model or trees(), budget=budget, query=query, random_state=SEED, **more)


def state_of(model):
    return model.to_bytes()


@pytest.mark.parametrize(
    ("budget", "rule"), [(0.02, "quantile"), (0.2, "quantile"), (0.2, "paper"), (1.0, "quantile")]
)
@pytest.mark.parametrize("query", QUERIES)
def test_every_question_is_the_oracles(query, budget, rule):
    X, y = stream()
    model, detector = trees(), ADWIN(delta=0.002)
    oracle = Oracle(
        budget,
        query,
        lambda t, what: uniform(SEED, t, 0, 16, what),
        lambda t, what: normal(SEED, t, 0, 16, what),
        detector.update,
        rule,
    )
    answers, asked = [], []
    for t in range(len(y)):
        row = X[t : t + 1]
        shares, answer = [], None
        if model.started:
            votes = model.predict_votes if query == "disagreement" else model.predict_proba
            shares, answer = votes(row)[0].tolist(), model.predict(row)[0]
        asked.append(oracle.ask(confidence(shares, query)))
        answers.append(answer)
        if asked[-1]:
            model.partial_fit(row, y[t : t + 1])
        oracle.step(asked[-1], answer != y[t])
    ours = active(query, budget, rule=rule)
    assert ours.test_then_train(X, y).tolist() == answers
    assert ours.n_asked_ == sum(asked)
    assert ours.n_rows_ == len(y)
    assert ours.threshold_ == oracle.theta
    assert state_of(ours.model_) == state_of(model)
    if budget < 1:
        assert ours.n_asked_ <= budget * (len(y) + (100 if rule == "paper" else 1000))


@pytest.mark.parametrize("query", QUERIES)
def test_chunks_and_single_rows_are_the_same(query):
    X, y = stream(400)
    whole, parts, rows, saved = (active(query) for _ in range(4))
    expected = whole.test_then_train(X, y, output="both")
    found = [parts.test_then_train(X[a:b], y[a:b]) for a, b in ((0, 1), (1, 97), (97, 98), (98, 400))]
    assert np.concatenate(found).tolist() == expected[0].tolist()
    assert parts.to_bytes() == whole.to_bytes()
    for t in range(400):
        saved.test_then_train(X[t : t + 1], y[t : t + 1])
        if t % 90 == 0:
            saved = streamboost.load(saved.to_bytes()) if t % 180 else copy.deepcopy(saved)
    assert saved.to_bytes() == whole.to_bytes()
    for x, label in zip(X, y, strict=True):
        record = dict(enumerate(x.tolist()))
        answer = rows.predict_one(record)
        if rows.query_one(record):
            rows.learn_one(record, label)
        else:
            rows.skip_one(record)
        del answer
    assert rows.n_asked_ == whole.n_asked_
    assert rows.threshold_ == whole.threshold_


@pytest.mark.parametrize("query", QUERIES)
def test_every_strategy_has_a_rule_of_its_own_that_files_name(query):
    """Disagreement moves its threshold as the paper does. A file goes on by the rule that it names."""
    X, y = stream(400)
    rule = "paper" if query == "disagreement" else "quantile"
    other = {"paper": "quantile", "quantile": "paper"}[rule]
    model, said, unlike = active(query), active(query, rule=rule), active(query, rule=other)
    assert model.rule is None
    for one in (model, said, unlike):
        one.test_then_train(X, y)
    assert model.to_bytes() == said.to_bytes() != unlike.to_bytes()
    for one in (model, unlike):
        again = streamboost.load(one.to_bytes())
        assert again.rule == (rule if one is model else other)
        assert again.test_then_train(X, y).tolist() == one.test_then_train(X, y).tolist()
        assert again.to_bytes() == one.to_bytes()
    with pytest.raises(ValueError, match=r"rule='best' .* 'quantile', 'paper'"):
        QueryStrategy(query=query, rule="best")


@pytest.mark.parametrize("rule", ["quantile", "paper"])
def test_the_threshold_comes_back_from_anywhere(rule):
    """Labels for a start, or none for long: the strategy must not forget how to ask, and its file must load."""
    X, y = stream()
    model = active("variable", rule=rule)
    model.partial_fit(X, y)  # unasked
    assert model.threshold_ >= 0.001
    for _ in range(80):
        model.partial_fit(np.tile(X[:9], (100, 1)), np.tile(y[:9], 100))
    assert streamboost.load(model.to_bytes()).threshold_ == model.threshold_ >= 0.001
    model.skip(np.zeros((600_000, 3)))
    assert streamboost.load(model.to_bytes()).threshold_ == model.threshold_ <= 2.0
    asked = model.n_asked_
    model.test_then_train(X, y)
    assert 50 < model.n_asked_ - asked < 600


@pytest.mark.parametrize("kind", ["active", "bandit"])
def test_a_file_of_a_model_whose_seed_was_drawn_loads(kind):
    trees = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2)
    if kind == "active":
        model = ActiveClassifier(trees).partial_fit(*stream(50))
    else:
        model = streamboost.BanditBoostingClassifier(trees, labels=["a", "b", "c"])
        model.learn_bandit_one({"x": 1.0}, "b", 1, 0.5)
    again = streamboost.load(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert again.random_state is None
    if kind == "active":
        row = {0: 1.0}
        assert [again.query_one(row), again.n_rows_] == [model.query_one(row), model.n_rows_]
        return
    for label in "ac":  # what has not begun has the same key, too
        for one in (model, again):
            one.learn_bandit_one({"x": 2.0}, label, 0, 0.5)
    assert again.to_bytes() == model.to_bytes()


def test_asking_changes_nothing_and_skipping_only_the_strategy():
    X, y = stream(300)
    model = active("split")
    model.test_then_train(X, y)
    before, inside = model.to_bytes(), state_of(model.model_)
    records = [dict(enumerate(x.tolist())) for x in X[:50]]
    first = [model.query_one(x) for x in records]
    assert first == [model.query_one(x) for x in records]
    assert model.to_bytes() == before
    model.skip_one(records[0])
    model.learn_one(records[1], None)
    model.skip(X[2:6])
    assert model.n_rows_ == 306
    assert state_of(model.model_) == inside
    model.partial_fit(X[:3], np.array(["up", None, "down"], dtype=object))
    assert model.n_rows_ == 309
    assert model.model_.n_learned_ == model.n_asked_


def test_weights():
    X, y = stream(300)
    weight = np.where(np.arange(300) % 3 == 0, 0.0, 2.0)
    model, kept = active("variable"), active("variable")
    answers = model.test_then_train(X, y, sample_weight=weight)
    on = weight > 0
    assert answers[on].tolist() == kept.test_then_train(X[on], y[on], sample_weight=weight[on]).tolist()
    assert model.to_bytes() == kept.to_bytes()
    before = model.to_bytes()
    model.learn_one(dict(enumerate(X[0].tolist())), "up", sample_weight=0.0)
    assert model.to_bytes() == before


def test_a_model_that_must_know_its_labels():
    X, y = stream(300)
    model = active("split", model=OnlineMBBMClassifier(NaiveBayes(), n_estimators=4, random_state=1))
    answers = model.test_then_train(X, y, classes=["down", "off", "up"])
    assert set(answers.tolist()) <= {"down", "off", "up", None}
    result = prequential(
        OnlineMBBMClassifier(NaiveBayes(), n_estimators=4, random_state=1),
        (X, y),
        budget=0.2,
        classes=["down", "off", "up"],
    )
    assert 0.1 < result.asked < 0.3


def test_votes_are_those_of_the_learners():
    X, y = stream(500)
    model = trees().partial_fit(X, y)
    votes = model.predict_votes(X)
    assert np.allclose(votes.sum(axis=1), 1)
    assert set(np.round(votes * 5, 9).ravel()) <= {0, 1, 2, 3, 4, 5}
    assert model.predict_votes_one(dict(enumerate(X[0].tolist()))) == dict(
        zip(model.classes_.tolist(), votes[0].tolist(), strict=True)
    )
    pool = StreamBoostClassifier(n_estimators=5, random_state=1).partial_fit(X, y)
    assert np.allclose(pool.predict_votes(X[:20]).sum(axis=1), 1)
    two = OSBoostClassifier(n_estimators=9, random_state=1, calibration="platt").partial_fit(X, y == "up")
    assert np.allclose(two.predict_votes(X[:20]).sum(axis=1), 1)


def test_the_loop_takes_a_budget():
    X, y = stream(600)
    model = trees()
    result = prequential(model, (X, y), budget=0.15, query="variable", seed=SEED, chunk_size=50)
    alone = ActiveClassifier(trees(), budget=0.15, query="variable", random_state=SEED)
    answers = alone.test_then_train(X, y)
    assert result.error == pytest.approx(np.mean(answers != y))
    assert result.asked == alone.n_asked_ / 600
    assert result.model is model
    assert model.n_learned_ == alone.n_asked_
    several = prequential(trees(), (X, y), budget=0.15, orders=2)
    assert len(several.errors) == 2
    assert 0.1 < several.asked < 0.2
    late = prequential(trees(), (X, y), budget=0.15, delay=5)
    assert 0.1 < late.asked < 0.25
    records = [(dict(enumerate(x.tolist())), label) for x, label in zip(X, y, strict=True)]
    assert prequential(trees(), records, budget=0.15, query="variable", seed=SEED).error == result.error
    with pytest.raises(ValueError, match=r"budget=0\.1 is for classifiers"):
        prequential(streamboost.StreamBoostRegressor(), (X, X[:, 0]), budget=0.1)
    with pytest.raises(ValueError, match="budget"):
        prequential(trees(), (X, y), budget=1.5)
    with pytest.raises(ValueError, match="query"):
        prequential(trees(), (X, y), budget=0.5, query="best")


def test_other_makes_of_models():
    from sklearn.linear_model import SGDClassifier

    X, y = stream(300)
    result = prequential(SGDClassifier(loss="log_loss", random_state=1), (X, y), budget=0.2)
    assert 0.1 < result.asked < 0.3


def test_bad_files_are_refused():
    model = active("split")
    model.test_then_train(*stream(50))
    manifest, arrays = read_archive(io.BytesIO(model.to_bytes()))
    head = manifest["composite"]
    for change in (
        {"name": "unknown"},
        {"version": 2},
        {"parts": 2},
        {"parts": -1},
        {"params": {**head["params"], "budget": 7.0}},
        {"params": {**head["params"], "odd": 7.0}},
        {"params": []},
        {"state": {**head["state"], "spent": -1.0}},
        {"state": {**head["state"], "rows": "7"}},
        {"state": {**head["state"], "seed": -1}},
        {"state": {**head["state"], "detector": [1.0, 2.0]}},
        {"state": {}},
    ):
        file = io.BytesIO()
        rest = {
            name: value
            for name, value in manifest.items()
            if name not in ("format", "format_version", "arrays")
        }
        write_archive(file, {**rest, "composite": {**head, **change}}, arrays)
        with pytest.raises(ModelFileError):
            streamboost.load(file.getvalue())
    assert streamboost.load(model.to_bytes()).to_bytes() == model.to_bytes()
    model.save(file := io.BytesIO(), metadata={"offset": 7})
    assert streamboost.load(file.getvalue()).metadata_ == {"offset": 7}


@pytest.mark.parametrize("n", [0, 300])
def test_a_bad_row_leaves_those_before_it_unlearned(n):
    X, y = stream()
    model = active("split")
    model.test_then_train(X[:n], y[:n])
    before = model.n_rows_, model.n_asked_, model.model_.n_learned_ if n else 0
    X[600, 1] = np.inf
    for verb in (model.test_then_train, model.partial_fit):
        with pytest.raises(ValueError, match="infinity"):
            verb(X[n:], y[n:])
    assert (model.n_rows_, model.n_asked_, model.model_.n_learned_ if n else 0) == before


def test_a_label_that_is_none_says_how_many_rows_came_by():
    """It is looked at when it is asked for: the rows before it are done, and said to be."""
    X, y = stream()
    for bad in range(100, 130):
        wrong = y.astype(object)
        wrong[bad:] = 7
        model, again = active("split"), active("split")
        with pytest.raises(ValueError, match="mixes both") as caught:
            model.test_then_train(X, wrong)
        done = caught.value.n_rows_learned
        assert done >= bad
        again.test_then_train(X[:done], wrong[:done])
        assert model.to_bytes() == again.to_bytes()


def test_odd_weights_and_no_labels_are_refused():
    X, y = stream(50)
    model = active("split").partial_fit(X, y)
    before = model.to_bytes()
    for odd in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="sample_weight is"):
            model.test_then_train_one(dict(enumerate(X[0].tolist())), y[0], odd)
    with pytest.raises(ValueError, match="requires y"):
        model.test_then_train(X, None)
    assert model.to_bytes() == before


def test_rows_of_which_one_is_refused_are_not_half_learned():
    X = np.random.default_rng(1).normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = streamboost.ActiveClassifier(
        streamboost.OSBoostClassifier(n_estimators=3), budget=1.0, random_state=1
    ).partial_fit(X, y)
    before = model.to_bytes()
    X[20, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.test_then_train(X, y)
    assert model.to_bytes() == before


@pytest.mark.parametrize("wrong", [streamboost.NaiveBayes(), streamboost.StreamBoostRegressor(), 5])
def test_whatever_learns_no_labels_is_refused_with_a_word(wrong):
    for kind in ("ActiveClassifier", "BinaryRelevanceClassifier", "ClassifierChain"):
        model = getattr(streamboost, kind)(wrong)
        with pytest.raises(TypeError, match="no classifier that learns from a stream"):
            model.learn_one({"x": 1.0}, 1 if kind == "ActiveClassifier" else {"a": True})


def test_a_row_whose_label_is_missing_is_let_go():
    model = ActiveClassifier(OSBoostClassifier(NaiveBayes(), n_estimators=3, random_state=1), random_state=1)
    model.learn_one({"a": 1.0}, "up")
    for nothing in (None, float("nan")):
        model.learn_one({"a": 2.0}, nothing)
    assert (model.n_rows_, model.n_asked_, model.n_learned_) == (3, 1, 1)
    assert model.columns_.names == ("a",)


def test_a_default_model_within_a_budget_remembers_fewer_labels():
    """Unless its memory was chosen, or it has learned already."""
    seen = {}
    for name, model in {
        "usual": StreamBoostClassifier(),
        "chosen": StreamBoostClassifier(window=500, short_memory=1000),
        "taught": StreamBoostClassifier(n_estimators=2, random_state=1).partial_fit([[0.0], [1.0]], [0, 1]),
    }.items():
        made = ActiveClassifier.around(model, budget=0.1)
        made.query_one({"x": 1.0} if name != "taught" else {0: 1.0})
        seen[name] = (made.model_.window, made.model_.short_memory)
    assert seen == {
        "usual": (pytest.approx(199.53, abs=0.01), 399),
        "chosen": (500, 1000),
        "taught": (1000.0, 2000),
    }


def test_the_short_memory_is_the_option():
    """So many rows are kept for the quicker trees."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3_000, 3))
    y = ((X[:, 0] * X[:, 1] > 0) != (np.arange(len(X)) >= 2_400)).astype(int)

    def ring(rows):
        model = StreamBoostClassifier(n_estimators=1, short_memory=rows, random_state=1)
        return model.partial_fit(X, y).memory_bytes()

    assert ring(200) < ring(2000) < ring(20_000)


def test_what_was_not_spent_may_be_spent_at_any_time():
    saving, papers = (QueryStrategy(0.1, "variable", rule=rule, seed=SEED) for rule in ("quantile", "paper"))
    spent = []
    for strategy in (saving, papers):
        for _ in range(5000):
            strategy.note(False)
        for _ in range(600):
            strategy.note(strategy.wants(0.0))  # a change: the model is sure of nothing
        spent.append(strategy.n_asked)
    assert spent[0] > 500 > 100 > spent[1]
    for _ in range(3000):
        saving.note(saving.wants(0.0))
        assert saving.n_asked <= 0.1 * (saving.n_rows + 1000) + 1
