"""The life of a model on the command line: run --save, learn, predict."""

import csv
import gzip
import io
import json

import numpy as np
import pytest

import streamboost
from streamboost.models import MODELS


def table(n, seed=0, classes="pq"):
    """Rows whose later half brings values and, for more than two classes, labels that the first half lacks."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(classes), n)
    return [
        (f"{rng.normal(c):.3f}", "abcdefgh"[rng.integers(0, 2 + 6 * i // n)], f"{i % 7}", classes[c])
        for i, c in enumerate(y)
    ]


def sheet(rows, order=(0, 1, 2, 3), names=("size", "kind", "day", "answer"), header=True):
    lines = [[names[j] for j in order]] if header else []
    lines += [[row[j] for j in order] for row in rows]
    return "".join(",".join(line) + "\n" for line in lines)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def answers(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("model", ["osboost", "oza-boost", "bagging", "single"])
@pytest.mark.parametrize("header", [True, False])
def test_half_and_half_is_the_whole(run, write, tmp_path, model, header):
    rows = table(700)
    whole = write("whole.csv", sheet(rows, header=header))
    first = write("first.csv", sheet(rows[:300], header=header))
    second = write("second.csv.gz", gzip.compress(sheet(rows[300:], header=header).encode()))
    size = [] if model == "single" else ["-n", "7"]
    options = ["--model", model, *size, "--seed", "3", "--nominal", "day" if header else "3"]
    run("run", whole, *options, "--save", tmp_path / "whole.sboost")
    run("run", first, *options, "--save", tmp_path / "half.sboost")
    result = run("learn", tmp_path / "half.sboost", second, "--save", tmp_path / "both.sboost")
    assert "400" in result.stdout
    assert (tmp_path / "both.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()
    # Without --save it is the model itself that goes on.
    run("learn", tmp_path / "half.sboost", second)
    assert (tmp_path / "half.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()


@pytest.mark.parametrize(
    ("learner", "reading"), [("perceptron", []), ("logistic", []), ("logistic", ["--sparse"])]
)
def test_half_and_half_of_sparse_data(run, write, tmp_path, learner, reading):
    lines = [f"{1 if i % 3 else -1} {1 + i % 3}:1 5:{i % 7}\n" for i in range(200)]
    options = ["--model", "osboost", "-l", learner, "-n", "5", "--n-features", "6", *reading]
    run("run", write("whole.libsvm", "".join(lines)), *options, "--save", tmp_path / "whole.sboost")
    run("run", write("first.libsvm", "".join(lines[:90])), *options, "--save", tmp_path / "half.sboost")
    rest = "".join(lines[90:])  # without the flag: read as dense rows, learned as the first ones
    run("learn", tmp_path / "half.sboost", "-", "--format", "libsvm", input=rest)
    assert (tmp_path / "half.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()
    result = run("predict", tmp_path / "half.sboost", "-", "--format", "libsvm", input=rest)
    assert len(answers(result.stdout)) == 110


def test_a_saved_model_knows_the_day_from_the_month(run, write, tmp_path):
    """Of the first twelve days of a month alone nobody can tell; the file that the model learned from has told it."""
    rows = [f"{1 + i % 28:02}/{1 + i // 28:02}/2024,{i % 7},{'pq'[i % 2]}\n" for i in range(300)]
    head = "when,size,answer\n"
    options = ["--model", "bagging", "-n", "3", "--seed", "1"]
    run("run", write("whole.csv", head + "".join(rows)), *options, "--save", tmp_path / "whole.sboost")
    run("run", write("first.csv", head + "".join(rows[:224])), *options, "--save", tmp_path / "half.sboost")
    assert streamboost.load(tmp_path / "half.sboost").metadata_["day_first"] == {"when": True}
    run("learn", tmp_path / "half.sboost", write("early.csv", head + "".join(rows[224:230])))
    run("learn", tmp_path / "half.sboost", "-", "--format", "csv", input=head + "".join(rows[230:]))
    assert (tmp_path / "half.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()


@pytest.fixture
def saved(run, write, tmp_path):
    path = tmp_path / "m.sboost"
    data = write("train.csv", sheet(table(500)))
    run("run", data, "--model", "osboost", "-n", "5", "--seed", "1", "--save", path)
    return path


def test_a_saved_model_speaks_the_language_of_its_file(saved):
    model = streamboost.load(saved)
    assert model.feature_names_in_.tolist() == ["size", "kind", "day"]
    assert model.predict_one({"size": 0.5, "kind": "a", "day": 3}) in {"p", "q"}
    unknown = model.predict_proba_one({"size": 0.5, "kind": "zzz", "day": 3})
    assert unknown == model.predict_proba_one({"size": 0.5, "day": 3})


def test_answers_are_those_of_the_library(run, write, saved, tmp_path):
    import pandas

    rows = table(150, seed=5)
    result = run("predict", saved, write("new.csv", sheet(rows)), "--out", tmp_path / "out.csv", "--proba")
    assert "150" in result.stdout
    found = answers((tmp_path / "out.csv").read_text())
    assert list(found[0]) == ["prediction", "proba_p", "proba_q"]
    frame = pandas.DataFrame({"size": [float(r[0]) for r in rows], "kind": [r[1] for r in rows]})
    frame["kind"] = frame["kind"].astype("category")
    frame["day"] = [float(r[2]) for r in rows]
    model = streamboost.load(saved)
    assert [row["prediction"] for row in found] == model.predict(frame).tolist()
    proba = [[float(row["proba_p"]), float(row["proba_q"])] for row in found]
    np.testing.assert_array_equal(proba, model.predict_proba(frame))
    wrong = np.mean([row["prediction"] != r[3] for row, r in zip(found, rows, strict=True)])
    assert f"{wrong:.4f}" in result.stdout


def test_columns_are_matched_by_name(run, write, saved):
    rows = table(80, seed=6)
    straight = answers(run("predict", saved, write("a.csv", sheet(rows))).stdout)
    shuffled = write("b.csv", sheet(rows, order=(2, 0, 1, 3)))
    result = run("predict", saved, shuffled)
    assert answers(result.stdout) == straight
    assert "kappa" in result.stderr
    # No label: no error. A label elsewhere: named.
    for order, options, judged in [
        ((1, 2, 0), [], False),
        ((3, 2, 1, 0), ["--label", "answer"], True),
    ]:
        result = run("predict", saved, write("c.csv", sheet(rows, order=order)), *options)
        assert answers(result.stdout) == straight
        assert ("kappa" in result.stderr) is judged
    # More columns than the model knows are said, and a last one of other things is no label.
    more = [(*row, f"id{i}") for i, row in enumerate(rows)]
    names = ("size", "kind", "day", "answer", "id")
    result = run("predict", saved, write("d.csv", sheet(more, order=(0, 1, 2, 4), names=names)))
    assert answers(result.stdout) == straight
    assert "left out: id" in result.stderr
    assert "kappa" not in result.stderr


def test_rows_without_a_label_are_answered_too(run, write, saved):
    rows = table(30, seed=8)
    whole = write("whole.csv", sheet(rows))
    blank = [(*row[:3], row[3] if i % 3 else "") for i, row in enumerate(rows)]
    some = run("predict", saved, write("some.csv", sheet(blank)), "--proba")
    assert some.stdout == run("predict", saved, whole, "--proba").stdout
    told = [row for i, row in enumerate(rows) if i % 3]
    said = answers(some.stdout)
    wrong = np.mean([said[i]["prediction"] != row[3] for i, row in enumerate(rows) if i % 3])
    assert "with a label" in some.stderr
    assert f"{len(told)}" in some.stderr
    assert f"{wrong:.4f}" in some.stderr
    none = run("predict", saved, write("none.csv", sheet([(*row[:3], "") for row in rows])), "--proba")
    assert none.stdout == some.stdout
    assert "error" not in none.stderr
    explained = [
        run("explain", saved, path, "--out", "-").stdout for path in (whole, write("e.csv", sheet(blank)))
    ]
    assert explained[0] == explained[1]


def test_files_without_names_are_matched_by_position(run, write, saved):
    rows = table(30, seed=7)
    straight = answers(run("predict", saved, write("a.csv", sheet(rows))).stdout)
    assert answers(run("predict", saved, write("b.csv", sheet(rows, header=False))).stdout) == straight
    bare = sheet(rows, order=(0, 1, 2), header=False)
    assert answers(run("predict", saved, "-", "--format", "csv", input=bare).stdout) == straight
    assert len(answers(run("predict", saved, write("a.csv", sheet(rows)), "--limit", "4").stdout)) == 4


def test_skipped_lines_are_numbered_around(run, fails, write, saved):
    rows = [*table(5), ("high", "a", "1", "p"), *table(3)]
    path = write("bad.csv", sheet(rows))
    assert "bad.csv, line 7: column 'size': 'high' is not a finite number (to the model" in fails(
        "predict", saved, path
    )
    result = run("predict", saved, path, "--on-bad-line", "skip")
    assert [int(row["line"]) for row in answers(result.stdout)] == [2, 3, 4, 5, 6, 8, 9, 10]
    assert "1 bad line skipped" in result.stderr


def test_a_bad_file_costs_nothing(fails, write, saved, tmp_path):
    before = saved.read_bytes()
    rows = table(3000, seed=8)
    files = {
        "late.csv": sheet([*rows, ("1", "a", "x", "p")]),
        "third.csv": sheet([*rows, ("1", "a", "2", "r")]),
        "cut.csv.gz": gzip.compress(sheet(rows).encode())[:9000],
        "empty.csv": "",
        "header.csv": "size,kind,day,answer\n",
        "column.csv": sheet(rows, names=("size", "kind", "date", "answer")),
        "nolabel.csv": sheet(rows, order=(0, 1, 2)),
        "binary.csv": bytes(range(256)) * 50,
    }
    said = {name: fails("learn", saved, write(name, text)) for name, text in files.items()}
    assert "line 3002: column 'day': 'x'" in said["late.csv"]
    assert "Only binary classification" in said["third.csv"]
    assert "cut off" in said["cut.csv.gz"]
    assert "no column 'day', which the model needs; there are size, kind, date, answer" in said["column.csv"]
    assert "name the label with --label" in said["nolabel.csv"]
    assert "kind" in fails("learn", saved, write("ok.csv", sheet(rows)), "--label", "kind")
    assert saved.read_bytes() == before
    # Nor does an answer file appear before it is whole.
    out = tmp_path / "out.csv"
    assert "line 3002" in fails("predict", saved, tmp_path / "late.csv", "--out", out)
    assert not out.exists()
    assert not list(tmp_path.glob(".out*"))
    assert "does not exist" in fails(
        "predict", saved, tmp_path / "ok.csv", "--out", tmp_path / "no" / "x.csv"
    )


def test_what_is_no_model(fails, write, saved, tmp_path):
    data = write("a.csv", sheet(table(10)))
    assert "No such file" in fails("predict", tmp_path / "none.sboost", data)
    assert "is a directory" in fails("predict", tmp_path, data)
    assert "a.csv: " in fails("learn", data, data)
    batch = streamboost.AdaBoostM1Classifier(n_estimators=3, random_state=0)
    X = np.random.default_rng(0).normal(size=(40, 2))
    batch.fit(X, X[:, 0] > 0)
    batch.save(tmp_path / "batch.sboost")
    assert "cannot go on" in fails("learn", tmp_path / "batch.sboost", data)
    sequence = streamboost.UniversalPredictor()
    for value in (0.1, 0.2, 0.3):
        sequence.learn_one(value)
    sequence.save(tmp_path / "sequence.sboost")
    assert "no classifier" in fails("predict", tmp_path / "sequence.sboost", data)
    strange = write("strange.jsonl", '{"ts": 1, "label": "p"}\n')
    for verb in ("predict", "learn"):  # what a key lacks is missing, but not in every row
        assert "no column that the model knows; it knows " in fails(verb, saved, strange)
    assert "2 columns where the model has 3 features" in fails(
        "predict", saved, write("narrow.csv", "1,2\n3,4\n")
    )


def test_models_made_in_python_are_read_too(run, write, tmp_path):
    rows = table(60)
    model = streamboost.OSBoostClassifier(n_estimators=3, random_state=0)
    for size, kind, day, label in rows:
        model.learn_one({"size": float(size), "kind": kind, "day": int(day)}, label)
    model.save(tmp_path / "m.sboost")
    found = answers(run("predict", tmp_path / "m.sboost", write("a.csv", sheet(rows))).stdout)
    expected = [model.predict_one({"size": float(r[0]), "kind": r[1], "day": int(r[2])}) for r in rows]
    assert [row["prediction"] for row in found] == expected
    more = table(90)[60:]
    run("learn", tmp_path / "m.sboost", write("b.csv", sheet(more)))
    for size, kind, day, label in more:
        model.learn_one({"size": float(size), "kind": kind, "day": int(day)}, label)
    model.save(tmp_path / "n.sboost")
    assert (tmp_path / "m.sboost").read_bytes() == (tmp_path / "n.sboost").read_bytes()


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_goes_on(run, write, tmp_path, name):
    rows = table(120)
    size = ["-n", "3"] if "n_estimators" in MODELS[name]().get_params() else []
    path = tmp_path / "m.sboost"
    run("run", write("a.csv", sheet(rows[:60])), "--model", name, *size, "--classes", "p,q", "--save", path)
    run("learn", path, write("b.csv", sheet(rows[60:])))
    assert len(answers(run("predict", path, tmp_path / "b.csv", "--proba").stdout)) == 60


def test_generated_sets(run, tmp_path):
    path = tmp_path / "m.sboost"
    run("run", "synthetic-2", "--limit", "200", "-n", "3", "--save", path)
    run("learn", path, "synthetic-2", "--limit", "100")
    assert len(answers(run("predict", path, "synthetic-2", "--limit", "50").stdout)) == 50
    figures = json.loads(run("run", "synthetic-2", "--limit", "10", "-n", "2", "--json", "-").stdout)
    assert figures["bad_lines"] == 0
