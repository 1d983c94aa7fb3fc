"""Budgets, bandit feedback, sets of labels and rows without labels on the command line."""

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest

import streamboost
from streamboost import BanditBoostingClassifier, BinaryRelevanceClassifier, OnlineBMRClassifier
from streamboost.cli.live import Place
from streamboost.evaluate import prequential
from streamboost.streams import open_stream
from streamboost.streams.label_sets import open_label_sets
from tests import catalogue


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 0] > 0.5, "up", np.where(X[:, 1] > 0, "mid", "down"))
    path = tmp_path / "rows.csv"
    lines = [f"{a:.3f},{b:.3f},{label}" for (a, b), label in zip(X, y, strict=True)]
    path.write_text("a,b,label\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def songs(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    path = tmp_path / "songs.csv"
    lines = [f"{a:.3f},{b:.3f},{int(a > 0)},{int(b > 0)},{int(a + b > 0)}" for a, b in X]
    path.write_text("a,b,label:calm,label:happy,label:sad\n" + "\n".join(lines) + "\n")
    return path


def figures(run, *args):
    return json.loads(run("run", *args, "--json", "-").stdout)


@pytest.mark.parametrize("query", ["random", "split", "disagreement"])
def test_a_budget(run, table, query):
    model = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=0)
    expected = prequential(model, open_stream(table), budget=0.2, query=query, seed=0)
    options = ("--model", "bagging", "-n", 3, "--budget", 0.2, "--query", query)
    found = figures(run, table, *options)
    assert (found["error"], found["asked"]) == (expected.error, expected.asked)
    assert "labels asked for: " in run("run", table, *options).stdout


def test_a_budget_that_cannot_be(fails, table):
    assert "budget" in fails("run", table, "--budget", 0)
    assert "query" in fails("run", table, "--budget", 0.1, "--query", "best")
    assert "--query split needs --budget" in fails("run", table, "--query", "split")


def test_bandit_feedback(run, fails, table, tmp_path):
    model = streamboost.OnlineBaggingClassifier(n_estimators=3)
    expected = prequential(model, open_stream(table), feedback="bandit", exploration=0.2, seed=0)
    options = ("--model", "bagging", "-n", 3, "--feedback", "bandit", "--exploration", 0.2)
    found = figures(run, table, *options)
    assert (found["error"], found["regret"]) == (expected.error, expected.regret)
    file = tmp_path / "bandit.sboost"
    said = run("run", table, *options, "--save", file).stdout
    assert "mistakes more than with all labels" in said
    saved = streamboost.load(file)
    assert isinstance(saved, BanditBoostingClassifier)
    assert saved.n_learned_ == 600
    heads, *answers = run("predict", file, table, "--proba", "--limit", 3).stdout.splitlines()
    assert heads == "prediction,proba_down,proba_mid,proba_up"
    assert [line.split(",")[0] for line in answers[:3]] == saved.predict(
        pd.read_csv(table)[["a", "b"]][:3]
    ).tolist()
    assert "neither with a delay" in fails("run", table, *options, "--delay", 3)
    assert "feedback" in fails("run", table, "--feedback", "praise")
    assert "needs --feedback bandit" in fails("run", table, "--exploration", 0.1)
    assert "this is regression" in fails("run", table, "--feedback", "bandit", "--label", "a")


def test_sets_of_labels(run, fails, songs):
    expected = prequential(OnlineBMRClassifier(random_state=0), open_label_sets(songs, "label:*"))
    found = figures(run, songs, "--labels", "label:*", "--model", "online-bmr")
    assert found["task"] == "multilabel"
    assert found["error"] == expected.error
    each = BinaryRelevanceClassifier(streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=0))
    names = "label:calm,label:sad"
    expected = prequential(each, open_label_sets(songs, names))
    found = figures(run, songs, "--labels", names, "--model", "bagging", "-n", 2)
    assert found["error"] == expected.error
    assert "loud" in fails("run", songs, "--labels", "loud")
    assert "--labels goes neither" in fails("run", songs, "--labels", "label:*", "--task", "regression")
    assert "not a BinaryRelevanceClassifier" in fails("run", songs, "--labels", "label:*", "--shards", 2)
    assert "this is multilabel" in fails("run", songs, "--labels", "label:*", "--feedback", "bandit")


def test_reports_of_the_model_of_each_label(run, fails, table, songs, tmp_path):
    few = ("--model", "bagging", "-n", 2)
    bandit, labels = (*few, "--feedback", "bandit"), (*few, "--labels", "label:*")
    for data, options, names in (
        (table, bandit, ["down", "mid", "up"]),
        (songs, labels, ["calm", "happy", "sad"]),
    ):
        file = tmp_path / "model.sboost"
        said = run("run", data, *options, "--report", "--save", file).stdout
        shown = run("show", file).stdout
        for name in names:
            assert f"label {name}: OnlineBaggingClassifier of 2 x" in said
            assert f"label {name}: OnlineBaggingClassifier of 2 x" in shown
        assert list(figures(run, data, *options, "--report")["report"]) == names
        assert list(json.loads(run("show", file, "--json").stdout)["report"]) == names
        assert "no report of its own" in fails("run", data, *options, "--plot-report", tmp_path / "x.png")
    assert "does not say how it is doing" in fails("run", table, *bandit, "--health")
    assert "--feedback bandit is for single labels" in fails("run", songs, *labels, "--feedback", "bandit")
    foreign = ("--model", "sklearn.naive_bayes:GaussianNB")
    assert "--report: a GaussianNB has no report" in fails("run", table, *foreign, "--report")
    assert "does not say how it is doing" in fails("run", table, *foreign, "--health")


def test_explanations_of_the_model_of_a_label(run, fails, table, songs, tmp_path):
    file = tmp_path / "model.sboost"
    features = ("--model", "bagging", "-l", "naive-bayes", "-n", 2)
    run("run", songs, *features, "--labels", "label:*", "--save", file)
    assert "of calm, from" in run("explain", file, songs, "--of", "calm", "--limit", 1).stdout
    sheet = pd.read_csv(io.StringIO(run("explain", file, songs, "--of", "calm", "--out", "-").stdout))
    assert set(sheet["label"]) == {"calm"}
    X = pd.read_csv(songs)[["a", "b"]]
    expected = streamboost.load(file).models_["calm"].explain(X)
    np.testing.assert_allclose(sheet["score"], expected.score)
    assert "--of names the label: calm, happy, sad" in fails("explain", file, songs)
    assert "--of names the label" in fails("explain", file, songs, "--of", "loud")
    run("run", table, *features, "--feedback", "bandit", "--save", file)
    assert "of up, from" in run("explain", file, table, "--of", "up", "--limit", 1).stdout
    chain = ("--labels", "label:*", "--model", "streamboost:ClassifierChain", "-l", "naive-bayes")
    run("run", songs, *chain, "--save", file)
    assert "of calm, from" in run("explain", file, songs, "--of", "calm", "--limit", 1).stdout
    assert "looks at the labels before it" in fails("explain", file, songs, "--of", "sad")


def test_classes_of_label_sets_by_name(run, fails, songs):
    chain = ("--labels", "label:*", "--model", "streamboost:ClassifierChain")
    each = streamboost.SingleLearnerClassifier(streamboost.NaiveBayes(), random_state=0)
    expected = prequential(streamboost.ClassifierChain(each), open_label_sets(songs, "label:*"))
    assert figures(run, songs, *chain, "--learner", "naive-bayes")["error"] == expected.error
    assert figures(run, songs, *chain)["error"] == figures(run, songs, *chain)["error"]  # by the seed
    learner = ("--learner", "naive-bayes", "--param", "n_estimators=2")
    own = figures(run, songs, "--labels", "label:*", "--model", "streamboost:OnlineBMRClassifier", *learner)
    named = figures(run, songs, "--labels", "label:*", "--model", "online-bmr", "-l", "naive-bayes", "-n", 2)
    assert own["error"] == named["error"]
    assert "learns sets of labels" in fails("run", songs, "--model", "streamboost:ClassifierChain")


def test_models_around_others_are_found_under_their_option(fails, table):
    for name, option in {
        "bandit": "--feedback bandit",
        "active": "--budget 0.1",
        "binary-relevance": "--labels 'label:*'",
        "chain": "--model streamboost:ClassifierChain",
    }.items():
        assert option in fails("run", table, "--model", name)


def test_labels_without_the_prefix_of_their_columns(run, songs):
    short, long = (figures(run, songs, "--labels", names) for names in ("calm,sad", "label:calm,label:sad"))
    assert (short["labels"], short["error"]) == (["calm", "sad"], long["error"])


@pytest.mark.parametrize("model", ["online-bmr", "ada-olmr", "bagging"])
def test_a_saved_model_of_label_sets_goes_on(run, fails, songs, tmp_path, model):
    lines = songs.read_text().splitlines()
    first, second, features = (tmp_path / name for name in ("first.csv", "second.csv", "features.csv"))
    first.write_text("\n".join(lines[:201]) + "\n")
    second.write_text("\n".join([lines[0], *lines[201:]]) + "\n")
    features.write_text(
        "\n".join(",".join(line.split(",")[1::-1]) for line in lines[:4]) + "\n"
    )  # b before a
    options = ("--labels", "label:*", "--model", model, "-n", 2)
    whole, part = tmp_path / "whole.sboost", tmp_path / "part.sboost"
    run("run", songs, *options, "--save", whole)
    run("run", first, *options, "--save", part)
    assert "rank loss" in run("learn", part, second).stdout
    expected, found = streamboost.load(whole), streamboost.load(part)
    assert found.to_bytes() == expected.to_bytes()
    for data in (songs, features):
        said = run("predict", part, data, "--proba")
        assert "warning" not in said.stderr
        answers = pd.read_csv(io.StringIO(said.stdout), dtype=str).map(
            float
        )  # exact in every version of pandas
        assert list(answers) == ["calm", "happy", "sad", "proba_calm", "proba_happy", "proba_sad"]
        X = pd.read_csv(data)[["a", "b"]]
        np.testing.assert_array_equal(answers.to_numpy()[:, :3], expected.predict(X))
        np.testing.assert_array_equal(answers.to_numpy()[:, 3:], expected.predict_proba(X))
    assert "calm, happy, sad" in run("show", part).stdout
    assert "no column 'label:calm' and 1 more" in fails("learn", part, features)
    assert "more than one score" in fails("explain", part, features)
    unnamed = OnlineBMRClassifier(random_state=0).partial_fit([[1.0], [2.0]], [[0, 1], [1, 0]])
    unnamed.save(part)
    assert "does not say which columns are labels" in fails("learn", part, songs)


def test_labels_of_a_set_may_come_late(run, songs):
    expected = prequential(OnlineBMRClassifier(random_state=0), open_label_sets(songs, "label:*"), delay=20)
    found = figures(run, songs, "--labels", "label:*", "--model", "online-bmr", "--delay", 20)
    assert (found["error"], found["left_out"]) == (expected.error, 21)


def test_what_is_wrong_with_a_set_is_said_where(fails, songs, tmp_path):
    assert "no column is named 'label:sda'" in fails("run", songs, "--labels", "label:calm,label:sda")
    assert "did you mean 'label:sad'?" in fails("run", songs, "--labels", "label:calm,label:sda")
    assert "there must be two or more" in fails("run", songs, "--labels", "label:sad")
    lines = songs.read_text().splitlines()
    odd = tmp_path / "odd.csv"
    for at, name in ((2, "calm"), (4, "sad")):
        cells = lines[7].split(",")
        cells[at] = "2"
        odd.write_text("\n".join([*lines[:7], ",".join(cells), *lines[8:]]) + "\n")
        said = fails("run", odd, "--labels", "label:*")
        assert f"odd.csv, line 8: the label '{name}' is 2; it must be 0 or 1" in said


def test_rows_without_a_label_are_left_out_and_said(run, table, tmp_path):
    lines = table.read_text().splitlines()
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("\n".join([lines[0], *(f"{line}\n9,9," for line in lines[1:])]) + "\n")
    options = ("--model", "bagging", "-n", 3)
    whole, part = figures(run, table, *options), figures(run, gaps, *options)
    assert (part["n_rows"], part["error"]) == (600, whole["error"])
    file = tmp_path / "model.sboost"
    said = run("run", gaps, *options, "--save", file)
    assert "600 rows without a label left out" in said.stderr
    advice = "left out; if another column is the label, --label names it"
    assert advice in said.stderr
    assert advice not in run("run", gaps, *options, "--label", "label").stderr
    assert "600 rows without a label left out" in run("learn", file, gaps).stderr
    assert streamboost.load(file).n_learned_ == 1200


@pytest.fixture
def sparse_labels():
    """Rows of which few have a label: none of the first, and none of the last ones."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 2)) * [1, 100]
    y = np.where(X @ [1, 0.01] > 0, "up", "down").astype(object)
    y[rng.random(400) < 0.6] = None
    y[:40] = y[300:] = None
    return X, y


def write_csv(path, X, y):
    cells = (
        [*map(repr, row), "" if label is None else str(label)]
        for row, label in zip(X.tolist(), y, strict=True)
    )
    path.write_text("a,b,label\n" + "".join(",".join(row) + "\n" for row in cells))


def write_json(path, X, y):
    rows = ({"a": row[0], "b": row[1], "label": label} for row, label in zip(X.tolist(), y, strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_arff(path, X, y):
    rows = (f"{a!r},{b!r},{label or '?'}\n" for (a, b), label in zip(X.tolist(), y, strict=True))
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute label {down,up}\n@data\n"
    path.write_text(head + "".join(rows))


def write_parquet(path, X, y):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "label": list(y)}), path)


def scaled_model(unlabeled):
    learner = streamboost.LogisticRegression()
    return streamboost.OSBoostClassifier(learner, n_estimators=3, unlabeled=unlabeled, random_state=0)


@pytest.mark.parametrize("chunk_size", [16, 2048])
@pytest.mark.parametrize("write", [write_csv, write_json, write_arff, write_parquet])
def test_rows_of_files_without_a_label_move_the_statistics(tmp_path, sparse_labels, write, chunk_size):
    X, y = sparse_labels
    path = tmp_path / f"rows.{write.__name__.removeprefix('write_').replace('json', 'jsonl')}"
    write(path, X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    stream, absent = open_stream(path), np.array([label is None for label in y])
    for unlabeled in (
        "statistics",
        "ignore",
        "statistics",
    ):  # one stream: what it shows is asked for each time
        expected, found = scaled_model(unlabeled), scaled_model(unlabeled)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that rows without labels come
            answers = expected.test_then_train(frame, y, classes=["down", "up"])
        with pytest.warns(UserWarning, match=f"{absent.sum()} rows without a label are left out"):
            result = prequential(found, stream, classes=["down", "up"], chunk_size=chunk_size)
        assert catalogue.state(found) == catalogue.state(expected)
        assert result.n_rows == (~absent).sum()
        assert result.error == pytest.approx(np.mean(answers[~absent] != y[~absent]))


@pytest.mark.parametrize("kind", ["whole", "number"])
def test_targets_and_numbers_as_labels_may_be_missing_too(tmp_path, sparse_labels, kind):
    X, labels = sparse_labels
    known = np.array([label is not None for label in labels])
    path = tmp_path / "rows.csv"
    if kind == "whole":
        y = np.array([None if label is None else int(label == "up") for label in labels], dtype=object)
        models = [scaled_model("statistics") for _ in range(2)]
    else:
        y = np.where(known, X[:, 0] + 0.25, np.nan)
        models = [
            streamboost.OnlineBaggingRegressor(n_estimators=2, unlabeled="statistics", random_state=0)
            for _ in range(2)
        ]
    write_csv(path, X, [label if there else None for label, there in zip(y, known, strict=True)])
    answers = models[0].test_then_train(pd.DataFrame(X, columns=["a", "b"]), y)
    with pytest.warns(UserWarning, match="without a label"):
        result = prequential(models[1], open_stream(path), chunk_size=16)
    assert catalogue.state(models[0]) == catalogue.state(models[1])
    assert (len(answers), result.n_rows) == (len(X), known.sum())


def test_the_command_line_shows_them_to_a_model_that_asks(run, tmp_path, sparse_labels):
    X, y = sparse_labels
    path, file = tmp_path / "rows.csv", tmp_path / "model.sboost"
    write_csv(path, X, y)
    options = ("--model", "osboost", "--learner", "logistic", "-n", 3)
    said = run("run", path, *options, "--unlabeled", "statistics", "--save", file)
    n_absent = sum(label is None for label in y)
    assert f"{n_absent} rows without a label" in said.stderr
    assert "left out of the figures; the model is shown them" in said.stderr
    saved, expected = streamboost.load(file), scaled_model("statistics")
    frame = pd.DataFrame(X, columns=["a", "b"])
    expected.test_then_train(frame, y)
    assert np.array_equal(saved.decision_function(frame), expected.decision_function(frame))
    run("learn", file, path)
    expected.test_then_train(frame, y)
    assert np.array_equal(streamboost.load(file).decision_function(frame), expected.decision_function(frame))


def test_a_stopped_run_goes_on_behind_the_rows_without_a_label(run, tmp_path, sparse_labels):
    """What it stopped after counts the rows that it was shown and that have no label."""
    X, y = sparse_labels
    path, part, whole = (tmp_path / name for name in ("rows.csv", "part.sboost", "whole.sboost"))
    write_csv(path, X, y)
    options = ("--model", "osboost", "--learner", "logistic", "-n", 3, "--unlabeled", "statistics")
    run("run", path, *options, "--save", whole)
    known = np.array([label is not None for label in y])
    for at in (1 + int(np.flatnonzero(known)[50]), 1 + int(np.flatnonzero(~known[:250])[-1])):
        begun = tmp_path / "begun.csv"
        write_csv(begun, X[:at], y[:at])
        places = []
        model = scaled_model("statistics")
        with pytest.warns(UserWarning, match="without a label"):
            prequential(model, open_stream(begun), chunk_size=10, callback=places.append)
        assert places[-1].n_rows + places[-1].n_unlabeled == at
        place = Place(str(path)).after(places[-1])
        model.save(part, metadata={"unfinished": place.to_metadata()})
        assert Place.of(streamboost.load(part), part, str(path)) == place
        run("run", path, *options, "--save", part, "--resume")
        assert catalogue.state(streamboost.load(part)) == catalogue.state(streamboost.load(whole))


def test_any_label_of_a_set_may_be_unknown(songs, tmp_path):
    """The last column of a file, too; a row of which nothing is known is left out."""
    rng = np.random.default_rng(6)
    head, *lines = songs.read_text().splitlines()
    cells = [line.split(",") for line in lines]
    for row in cells:
        for at in (2, 3, 4):
            row[at] = "" if rng.random() < 0.4 else row[at]
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("\n".join([head, *map(",".join, cells)]) + "\n")
    table = np.array([[float(cell or "nan") for cell in row] for row in cells])
    X, Y = pd.DataFrame(table[:, :2], columns=["a", "b"]), table[:, 2:]
    nothing = np.isnan(Y).all(axis=1)
    assert np.isnan(Y[:, 2]).sum() > nothing.sum() > 0
    each = streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=0)
    expected, found = BinaryRelevanceClassifier(each), BinaryRelevanceClassifier(each)
    expected.partial_fit(X[~nothing], pd.DataFrame(Y[~nothing], columns=["calm", "happy", "sad"]))
    with pytest.warns(UserWarning, match=f"{nothing.sum()} rows without a label"):
        result = prequential(found, open_label_sets(gaps, "label:*"))
    assert result.n_rows == (~nothing).sum()
    assert np.array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_rows_without_a_label_in_python():
    X = np.arange(90.0).reshape(30, 3)
    y = np.array(["a", "b", None] * 10, dtype=object)
    model = streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=1)
    with pytest.warns(UserWarning, match="10 rows without a label are left out"):
        found = prequential(model, (X, y))
    kept = y != None  # noqa: E711
    expected = prequential(
        streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=1), (X[kept], y[kept])
    )
    assert (found.n_rows, found.error) == (20, expected.error)
    pairs = [({"x": float(t)}, None if t % 3 else "a") for t in range(9)]
    with pytest.warns(UserWarning, match="6 rows without a label"):
        assert prequential(streamboost.OnlineBaggingClassifier(n_estimators=2), pairs).n_rows == 3
    numbers = np.where(np.arange(30) % 3 == 2, np.nan, np.arange(30.0))
    with pytest.warns(UserWarning, match="10 rows without a label"):
        assert prequential(streamboost.OnlineBaggingRegressor(n_estimators=2), (X, numbers)).n_rows == 20
