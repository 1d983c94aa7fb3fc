"""The command line: what it does, and what it says when it cannot."""

import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import streamboost
from streamboost.base.parameter import parameters_of
from streamboost.catalogue import DETECTORS
from streamboost.drift.choice import as_text
from streamboost.evaluate import prequential
from streamboost.models import LEARNERS, MODELS
from streamboost.streams import CsvStream


def rows_of(n, k=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    lines = [
        f"{a:.3f},{'abc'[b]},{'pqrs'[c]}"
        for a, b, c in zip(rng.normal(y), rng.integers(0, 3, n), y, strict=True)
    ]
    return "size,kind,answer\n" + "\n".join(lines) + "\n"


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(rows_of(300))
    return path


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.csv.gz"
    path.write_bytes(gzip.compress(rows_of(300, 3).encode()))
    return path


@pytest.fixture
def sparse(tmp_path):
    path = tmp_path / "sparse.libsvm"
    path.write_text("".join(f"{1 if i % 3 else -1} {1 + i % 3}:1 5:{i % 7}\n" for i in range(90)))
    return path


@pytest.mark.parametrize(
    ("model", "learner"),
    [
        (model, learner)
        # No learners of classes.
        for i, model in enumerate(sorted(set(MODELS) - {"replay-boosting", "streaming-gradient-boost"}))
        for j, learner in enumerate(sorted(LEARNERS))
        if (i + j) % 3 == 0  # each with a third of the others: the library's tests pair all of them
    ],
)
def test_every_model_with_every_learner(run, two, model, learner):
    size = ["-n", "5"] if "n_estimators" in parameters_of(MODELS[model]) else []
    kind = ["--nominal", "all"] if learner in ("tan", "ban") else []  # they count nominal columns only
    result = run("run", two, "--model", model, "--learner", learner, *size, *kind, "--seed", "7")
    assert f"{model}({learner}) on two.csv" in result.stdout
    assert "300" in result.stdout


def test_the_default_takes_any_number_of_classes_and_has_its_own_learner(run, two, three, tmp_path):
    for path in (two, three):
        assert (
            f"streamboost on {path.name}" in run("run", path, "--seed", "7", "--save", tmp_path / "m").stdout
        )
    mine = streamboost.StreamBoostClassifier(random_state=7, categorical_features=[1])
    expected = prequential(mine, CsvStream(three)).error
    assert f"{expected:.4f}" in run("run", three, "--seed", "7").stdout
    assert streamboost.load(tmp_path / "m").get_params()["max_features"] == 0.6


def test_a_learner_parameter_without_a_learner_is_one_of_the_models_own(run, three, tmp_path):
    figures = tmp_path / "figures.json"
    run("run", three, "--grace-period", "100", "--json", figures)
    found = json.loads(figures.read_text())["parameters"]
    assert (found["estimator"], found["estimator__grace_period"]) == ("HoeffdingTree", 100)
    assert (found["estimator__max_features"], found["estimator__growth"]) == (0.6, "ensemble")


def test_the_figures_are_those_of_the_library(run, two, tmp_path):
    run(
        "run",
        two,
        "--model",
        "osboost",
        "--learner",
        "naive-bayes",
        "-n",
        "9",
        "--seed",
        "7",
        "--gamma",
        "0.2",
        "--json",
        tmp_path / "r.json",
    )
    figures = json.loads((tmp_path / "r.json").read_text())
    stream = CsvStream(two)
    model = streamboost.OSBoostClassifier(
        streamboost.NaiveBayes(),
        n_estimators=9,
        gamma=0.2,
        random_state=7,
        categorical_features=stream.nominal,
    )
    expected = prequential(model, stream)
    assert figures["error"] == expected.error
    assert figures["kappa"] == expected.kappa
    assert figures["memory_bytes"] == expected.memory_bytes
    assert figures["parameters"]["gamma"] == 0.2
    assert figures["parameters"]["estimator"] == "NaiveBayes"
    assert figures["labels"] == list(expected.labels)


def test_everything_that_can_be_written(run, two, tmp_path):
    out = {name: tmp_path / f"out.{name}" for name in ("sboost", "png", "json")}
    options = ["--save", out["sboost"], "--plot", out["png"], "--json", out["json"], "--report"]
    result = run("run", two, "--model", "osboost", "-n", "4", *options)
    assert all(path.stat().st_size > 0 for path in out.values())
    assert "OSBoostClassifier of 4 x NaiveBayes" in result.stdout
    assert json.loads(out["json"].read_text())["report"]["n_learned"] == 300
    assert streamboost.load(out["sboost"]).n_estimators == 4


def test_json_on_standard_output(run, sparse):
    result = run("run", sparse, "-n", "3", "--json", "-")
    assert json.loads(result.stdout)["n_rows"] == 90
    assert "examples/s" in result.stderr


def test_orders_and_limit(run, two, tmp_path):
    run("run", two, "-n", "3", "--orders", "3", "--limit", "100", "--json", tmp_path / "r.json")
    figures = json.loads((tmp_path / "r.json").read_text())
    assert (figures["n_orders"], figures["n_rows"], len(figures["errors"])) == (3, 100, 3)
    result = run("run", two, "-n", "3", "--orders", "2")
    assert "300 x 2" in result.stdout
    assert "±" in result.stdout


def test_flags_come_from_the_signatures(run, two, tmp_path):
    def parameters(*args):
        run("run", *args, "--json", tmp_path / "r.json")
        return json.loads((tmp_path / "r.json").read_text())["parameters"]

    # Before and behind DATA, with and without =, switches in three spellings.
    found = parameters(
        "--gamma", "0.3", two, "-m", "osboost", "--alpha=0.5", "--no-monitor", "-n", "2", "--vote", "uniform"
    )
    assert (found["gamma"], found["estimator__alpha"], found["monitor"]) == (0.3, 0.5, False)
    assert found["n_estimators"] == 2
    found = parameters(
        two, "-l", "perceptron", "-n", "2", "--fit-intercept", "false", "--monitor", "--start", "zero"
    )
    assert (found["estimator__fit_intercept"], found["monitor"], found["estimator__start"]) == (
        False,
        True,
        "zero",
    )
    found = parameters(
        two,
        "-m",
        "osboost",
        "-l",
        "ogd",
        "--scale",
        "maxabs",
        "--param",
        "gamma=0.2",
        "--param",
        "n-jobs=none",
    )
    assert (found["estimator__scale"], found["gamma"], found["n_jobs"]) == ("maxabs", 0.2, None)
    found = parameters(two, "-m", "oza-boost", "--learner-param", "alpha=1", "-n", "2", "--lambda-cap", "5")
    assert (found["estimator__alpha"], found["lambda_cap"]) == (1, 5)
    assert parameters(two, "-n", "2", "--scale", "none", "--seed", "3")["random_state"] == 3


def test_label_classes_nominal_and_header(run, two, three, tmp_path):
    path = tmp_path / "front.csv"
    path.write_text("y,a,b\n1,2,x\n0,3,y\n1,5,x\n")
    for args in (
        ["--label", "y"],
        ["--label", "b"],
        ["--label", "y", "--nominal", "a"],
        ["--nominal", "all"],
    ):
        run("run", path, "-n", "2", *args)
    run("run", path, "-n", "2", "-m", "bagging", "--no-header")
    run("run", two, "-n", "2", "--classes", "p,q")
    run("run", path, "-n", "2", "--label", "y", "--classes", "0,1")


def test_models_that_need_their_classes_get_them_from_a_first_pass(run, fails, three):
    result = run("run", three, "-m", "bagging", "-l", "perceptron", "-n", "3", "--json", "-")
    assert sorted(json.loads(result.stdout)["labels"]) == ["p", "q", "r"]
    # Standard input has no second pass.
    text = gzip.decompress(three.read_bytes())
    options = ["run", "-", "--format", "csv", "-m", "bagging", "-l", "perceptron", "-n", "3"]
    assert "classes" in fails(*options, input=text)
    run(*options, "--classes", "p,q,r", input=text)


def test_a_given_width_changes_nothing(run, sparse):
    counted, given = (
        json.loads(run("run", sparse, "-n", "3", *options, "--json", "-").stdout)
        for options in ([], ["--n-features", "5"])
    )
    assert counted["errors"] == given["errors"]
    assert counted["unanswered"] == given["unanswered"] == 1


def test_standard_input(run, fails, sparse, two):
    result = run("run", "-", "--format", "libsvm", "--n-features", "5", "-n", "2", input=sparse.read_bytes())
    assert "standard input" in result.stdout
    run("run", "-", "--format", "csv", "-n", "2", input=gzip.compress(two.read_bytes()))
    assert "--n-features" in fails("run", "-", "--format", "libsvm", input="1 1:2\n")
    run("run", "-", "-n", "2", input=two.read_bytes())  # the format is guessed
    assert "the file is empty" in fails("run", "-", "--format", "csv", input="")


def test_built_in_sets(run):
    # The scale of these features is what the linear learners warn about.
    assert "569" in run("run", "breast-cancer", "-n", "2").stdout
    result = run("run", "synthetic-2", "-n", "2", "--limit", "150", "--data-seed", "4")
    assert "150" in result.stdout
    again = run("run", "synthetic-2", "-n", "2", "--limit", "150", "--data-seed", "5", "--json", "-")
    assert json.loads(again.stdout)["n_rows"] == 150


def test_warnings_are_one_line(run):
    result = run("run", "breast-cancer", "-l", "perceptron", "-n", "2")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("streamboost: warning: ")


@pytest.mark.parametrize("place", ["before", "after", "equals", "word"])
def test_a_flag_that_is_true_or_false_leaves_the_file_alone(run, two, place):
    model = ["-m", "online-mbbm", "-n", "2", "--json", "-"]
    written = {
        "before": ["--early-exit", two, *model],
        "after": [two, "--no-early-exit", *model],
        "equals": ["--early-exit=false", two, *model],
        "word": ["--early-exit", "false", two, *model],
    }[place]
    parameters = json.loads(run("run", *written).stdout)["parameters"]
    assert parameters["early_exit"] is (place == "before")


def test_lists(run, two, monkeypatch):
    text = run("models").stdout
    assert all(name in text for name in [*MODELS, "--gamma", "0.1", "--seed", "true | false"])
    text = run("learners").stdout
    assert all(name in text for name in [*LEARNERS, "--scale", "none | maxabs | standard"])
    text = run("datasets").stdout
    assert all(name in text for name in ["synthetic-1", "digits", "STREAMBOOST_DATA"])
    monkeypatch.setenv("STREAMBOOST_DATA", str(two.parent))
    assert "two" in run("datasets").stdout
    assert "two.csv" in run("run", "two", "-n", "2").stdout


@pytest.mark.parametrize("entry", DETECTORS, ids=lambda entry: entry.name)
def test_every_detector_guards_from_the_command_line(run, entry):
    text = as_text(entry.name)
    assert text in run("models").stdout.replace("\n", " ")
    for drift in (entry.name, text):
        shown = json.loads(
            run("run", "sea", "-n", "2", "--limit", "300", "--drift", drift, "--json", "-").stdout
        )
        assert shown["n_rows"] == 300
        assert shown["parameters"]["drift"] == drift


def test_wrong_detectors_are_refused(fails):
    assert "no detector 'adwim'; did you mean 'adwin'?" in fails("run", "sea", "--drift", "adwim")
    assert "page-hinkley" in fails("run", "sea", "--drift", "nothing like it")
    assert "are the parameters of KSWIN" in fails("run", "sea", "--drift", "kswin(beta=1)")


def test_generated_sets(run, fails):
    result = run("run", "sea:noise=0.2,drift=abrupt,at=100", "-n", "2", "--limit", "300", "--json", "-")
    assert json.loads(result.stdout)["n_rows"] == 300
    assert "200" in run("run", "agrawal:n_rows=200,label_noise=0.1", "-n", "2").stdout
    text = run("datasets", "rbf").stdout
    assert all(
        word in text for word in ["RandomRBFStream", "n_centres=50", "speed=0.0", "drift=abrupt|gradual"]
    )
    assert fails("run", "sea:noise=2").count("noise must be from 0 to 1, got 2") == 1


def test_registered_sets(run, fails, tmp_path, monkeypatch):
    monkeypatch.setenv("STREAMBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STREAMBOOST_DATA", str(tmp_path))
    (tmp_path / "car.csv").write_text("a,b,label\n1,2,x\n2,1,y\n")
    text = run("datasets").stdout
    assert re.search(r"car +│ +1,728 .* data folder", text)
    assert re.search(r"german +│.* can be fetched", text)
    assert re.search(r"isolet +│.* not here", text)
    text = run("datasets", "car", "german", "digits").stdout
    assert "the checksum differs" in text
    assert "CC BY 4.0" in text
    assert "8406870045aa77e534138110b5f87a2406e5e3fc0e42fa8e6dea0118fa46e9f9" in text
    assert str(tmp_path / "car.csv") in run("datasets", "car", "--fetch").stdout
    assert "did you mean german?" in fails("datasets", "germn")
    assert "nothing to fetch" in fails("datasets", "sea", "--fetch")
    assert "needs the name" in fails("datasets", "--fetch")
    assert "isolet: cannot be fetched; get it from" in fails("datasets", "isolet", "--fetch")
    assert "german: the file is not here" in fails("run", "german")

    def opener(url):
        raise OSError("Name or service not known")

    monkeypatch.setattr("streamboost.streams.datasets.fetch._open", opener)
    assert "could not fetch https://www.csie.ntu.edu.tw" in fails("datasets", "german", "--fetch")


def test_a_file_with_several_columns_of_labels(run, tmp_path):
    rows = "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in range(30))
    (tmp_path / "songs.csv").write_text("tempo,label:calm,label:sad\n" + rows)
    result = run("run", tmp_path / "songs.csv")
    assert "1 more column is named as labels are, like 'label:sad'" in result.stderr
    assert "named as" not in run("run", tmp_path / "songs.csv", "--labels", "label:*").stderr


def test_demo(run, tmp_path):
    result = run("demo", "--out", tmp_path / "new" / "demo", "--rows", "300")
    for name in ("single NB", "single perceptron", "bagged NB", "Oza NB", "OSBoost perceptron"):
        assert name in result.stdout
    assert (tmp_path / "new" / "demo" / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert len(json.loads((tmp_path / "new" / "demo" / "demo.json").read_text())) == 8


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing argument 'DATA'. Usage: streamboost run"),
        (
            ["TWO", "-m", "streamboost-regressor", "--target", "price"],
            "the column to predict is named by --label",
        ),
        (["nothing.csv"], "nothing.csv: no such file"),
        (["synthetic-9"], "did you mean 'synthetic-"),
        (["TWO", "--model", "osbost"], "There is no model 'osbost'; did you mean osboost?"),
        (["TWO", "--model", "xxx"], "There is no model 'xxx'; there are "),
        (["TWO", "--learner", "naive-bays"], "did you mean naive-bayes?"),
        (["TWO", "--gama", "0.1"], "There is no option --gama; did you mean --gamma?"),
        (["--gama", "TWO"], "There is no option --gama; did you mean --gamma?"),
        (["TWO", "--ordres", "3"], "did you mean --orders?"),
        (["TWO", "--zzz"], "There is no option --zzz."),
        (["TWO", "-x"], "-x"),
        (["TWO", "-m", "osboost", "--gamma"], "The option --gamma needs a value"),
        (["TWO", "-m", "osboost", "--gamma", "7"], "'gamma' parameter of osboost must be"),
        (["TWO", "-m", "osboost", "--gamma", "much"], "'gamma' parameter"),
        (["TWO", "--alpha", "-1"], "alpha"),
        (
            ["TWO", "-m", "bagging", "--gamma", "0.1"],
            "--gamma is no parameter of bagging; it is one of",
        ),
        (["TWO", "--random-state", "1"], "There is no option --random-state; use --seed."),
        (["TWO", "--seed", "-1"], "'--seed'"),
        (["TWO", "--param", "gamma"], "expected NAME=VALUE"),
        (["TWO", "-m", "osboost", "--param", "gama=1"], "did you mean gamma?"),
        (["TWO", "--learner-param", "gamma=1"], "The learner hoeffding-tree has no parameter 'gamma'"),
        (["TWO", "--scale", "maxabs"], "hoeffding-tree does not scale"),
        (["TWO", "-l", "perceptron", "--scale", "max"], "scale"),
        (["TWO", "-m", "single", "-n", "5"], "-n"),
        (["TWO", "-n", "0"], "n_estimators"),
        (["TWO", "-n", "many"], "-n"),
        (["TWO", "--orders", "0"], "--orders"),
        (["TWO", "--limit", "0"], "--limit"),
        (["TWO", "--label", "answr"], "no column 'answr'"),
        (["TWO", "--nominal", "zz"], "no column 'zz'"),
        (["TWO", "--classes", "p,p"], "--classes"),
        (["TWO", "--classes", "p,r"], "q"),
        (["TWO", "--format", "xml"], "--format xml is not allowed; choose csv, libsvm"),
        (["TWO", "--format", "libsvm"], "two.csv, line 1"),
        (["TWO", "--n-features", "9"], "has 2 features, not 9"),
        (["TWO", "--save", "no/where.sboost"], "--save no/where.sboost: the folder no does not exist"),
        (["TWO", "--plot", "picture.xyz"], "--plot picture.xyz: the name must end in"),
        (["TWO", "--json", "."], "--json .: is a directory"),
        (["SPARSE", "--classes", "a,b"], "'a' is not a number"),
        (["SPARSE", "--n-features", "2"], "sparse.libsvm, line "),
        (["THREE", "-m", "osboost"], "Only binary classification is supported."),
    ],
)
def test_errors_are_one_line(fails, two, three, sparse, args, message):
    paths = {"TWO": str(two), "THREE": str(three), "SPARSE": str(sparse)}
    assert message in fails("run", *(paths.get(arg, arg) for arg in args))


@pytest.mark.parametrize(
    "name", ["cut.csv.gz", "binary.csv", "empty.csv", "empty.libsvm", "header.csv", "wrong.csv"]
)
def test_unusable_files_are_one_line(fails, tmp_path, name):
    body = rows_of(2000).encode()
    content = {
        "cut.csv.gz": gzip.compress(body)[:5000],
        "binary.csv": bytes(range(256)) * 10,
        "header.csv": b"a,b\n",
        "wrong.csv": body + b"high,a,p\n",
    }
    (tmp_path / name).write_bytes(content.get(name, b""))
    assert name in fails("run", tmp_path / name, "-n", "2")


def test_bad_lines_stop_or_are_counted(run, fails, tmp_path):
    path = tmp_path / "some.csv"
    path.write_text(rows_of(2000) + "high,a,p\n1,2\n" + "1.5,a,q\n")
    assert "some.csv, line 2002: column 'size': 'high' is not a finite number" in fails(
        "run", path, "-n", "2"
    )
    result = run("run", path, "-n", "2", "--on-bad-line", "skip")
    assert "2,001" in result.stdout
    assert "bad lines" in result.stdout
    assert "streamboost: warning: 2 bad lines skipped; the first: " in result.stderr
    figures = json.loads(run("run", path, "-n", "2", "--on-bad-line", "skip", "--json", "-").stdout)
    assert (figures["bad_lines"], figures["n_rows"]) == (2, 2001)
    assert "stop or skip" in fails("run", path, "--on-bad-line", "ignore")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.jsonl.gz", gzip.compress(b'{"a": 1, "y": 0}\n' * 9000, mtime=0)[:40], "cut off"),
        ("bad.jsonl", b'{"a": 1, "y": 0}\n{"a": 1', "line 2: not JSON"),
        ("bad.vw", b"1 | a\nno | b\n", "line 2: label 'no' is not a finite number"),
        ("bad.arff", b"@relation r\n@attribute a real\n@data\n1\n", "1 attributes"),
        ("bad.parquet", bytes(range(256)) * 9, "can be read"),
        ("binary.arff", bytes(range(256)) * 9, "not an ARFF file"),
        ("binary.jsonl", bytes(range(256)) * 9, "not a text file"),
        ("binary.vw", bytes(range(256)) * 9, "not a text file"),
        ("binary.libsvm", bytes(range(256)) * 9, "not a text file"),
    ],
)
def test_unusable_files_of_every_format_are_one_line(fails, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    said = fails("run", tmp_path / name, "-n", "2")
    assert name in said
    assert message in said


def test_formats_on_the_command_line(run, fails, tmp_path):
    path = tmp_path / "some.vw"
    path.write_text("".join(f"{1 - 2 * (i % 2)} {1 + i % 3} | a:{i % 7} b{i % 2}\n" for i in range(200)))
    named = json.loads(run("run", path, "-n", "2", "-l", "perceptron", "--json", "-").stdout)
    assert named["n_rows"] == 200
    options = ["-m", "osboost", "-n", "2", "-l", "perceptron", "--bits", "4"]
    hashed = run("run", path, *options, "--save", tmp_path / "m.sboost", "--json", "-")
    again = run("run", "-", "--format", "vw", *options, "--json", "-", input=path.read_bytes())
    assert json.loads(hashed.stdout)["errors"] == json.loads(again.stdout)["errors"]
    assert "200" in run("predict", tmp_path / "m.sboost", path).stderr
    rows = [{"size": i % 9, "kind": "abc"[i % 3], "answer": "pq"[i % 2]} for i in range(100)]
    (tmp_path / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("run", tmp_path / "some.jsonl", "-n", "2", "--save", tmp_path / "n.sboost")
    table = "size,kind,answer\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows)
    one = run("predict", tmp_path / "n.sboost", tmp_path / "some.jsonl").stdout
    assert one == run("predict", tmp_path / "n.sboost", "-", "--format", "csv", input=table).stdout
    assert one == run("predict", tmp_path / "n.sboost", "-", input=table).stdout


def test_markers_weights_and_limits_on_the_command_line(run, fails, tmp_path):
    rows = "".join(f"{'NA' if i % 10 == 0 else i % 7},{1 + i % 2},{i % 2}\n" for i in range(100))
    path = tmp_path / "some.csv"
    path.write_text(f"a,w,label\n{rows}")
    result = run("run", path, "-n", "2", "--weight", "w", "--save", tmp_path / "m.sboost")
    assert "read as missing values: NA" in result.stderr
    again = run("learn", tmp_path / "m.sboost", path, "--weight", "w")
    assert "read as missing values: NA" in again.stderr
    warned = run("run", path, "-n", "2", "--na-values", "x").stderr
    assert "column 'a' is read as nominal because of 'NA' (line 2)" in warned
    assert "--na-values NA" in warned
    assert "--limits columns=3" in fails("run", path, "--limits", "columns=2")
    assert "expected NAME=NUMBER" in fails("run", path, "--limits", "columns")
    (tmp_path / "dates.csv").write_text("when,label\n2024-01-01,0\n2024-01-02,1\n")
    said = run("run", tmp_path / "dates.csv").stderr
    assert "its parts are read (days, weekday, hour); --dates drop leaves it out" in said
    said = run(
        "tune", tmp_path / "dates.csv", "--grid", "n_estimators=2,3", "--out", tmp_path / "tuned"
    ).stderr
    assert said.count("its parts are read") == 1


def test_kinds_of_columns_are_said_and_can_be_given(run, tmp_path):
    path, model = tmp_path / "messages.csv", tmp_path / "m.sboost"
    words = ("free prize now", "see you at home")
    rows = [f"{words[i % 2]} {i},u{i % 260},{i % 80},{i % 2}" for i in range(600)]
    path.write_text("\n".join(["text,user,shop,label", *rows]))
    said = run("run", path, "-n", "2", "--id", "shop", "--save", model)
    assert "column 'text' is read as text" in said.stderr
    assert "columns 'user', 'shop' are read as identifiers" in said.stderr
    assert "read as" not in run("run", path, "-n", "2", "--nominal", "all").stderr
    assert "read as text" not in run("run", path, "-n", "2", "--model", "oza-boost").stderr
    assert len(run("predict", model, path).stdout.splitlines()) >= 600
    for command in (("run", path, "-n", "2", "--report"), ("explain", model, path)):
        speak = [line for line in run(*command).stdout.splitlines() if line.startswith("words ")]
        assert [line.split(": ")[0] for line in speak] == ["words for 1", "words against 1"]
        assert "home" in speak[0]
        assert "free" in speak[1]


def test_weights_of_a_file_are_learned(run, tmp_path):
    # A row of weight 0 is answered and not learned.
    lines = [f"{1 - 2 * (i % 2)} {{}} | a:{i % 5} b:{(i * i) % 7}\n" for i in range(60)]
    zeros = "".join(line.format(1) + line.format(0) for line in lines)
    (tmp_path / "zeros.vw").write_text(zeros)
    (tmp_path / "plain.vw").write_text("".join(line.format("") for line in lines))
    for name in ("zeros", "plain"):
        run("run", tmp_path / f"{name}.vw", "-n", "3", "--save", tmp_path / f"{name}.sboost")
    assert (tmp_path / "zeros.sboost").read_bytes() == (tmp_path / "plain.sboost").read_bytes()


def test_unknown_commands(run, fails):
    assert "Did you mean 'run'?" in fails("rum")
    commands = run("client", code=2)
    assert "Usage: streamboost client" in commands.output
    assert "error" not in commands.stderr


def test_help_and_version(run):
    assert "Usage" in run().stdout
    assert "demo" in run("-h").stdout
    assert run("--version").stdout == f"streamboost {streamboost.__version__}\n"
    text = re.sub(r"[\s│]+", " ", run("run", "--help").stdout)
    assert "--label" in text
    assert "(default: the model's own)" in text


def process(*args, **options):
    return subprocess.run(
        [sys.executable, "-m", "streamboost.cli", *args], capture_output=True, text=True, **options
    )


def test_as_a_process(two):
    done = process("run", "-", "--format", "csv", "-n", "3", "--json", "-", input=two.read_text())
    assert done.returncode == 0
    assert json.loads(done.stdout)["n_rows"] == 300
    done = process("run", "nowhere.csv")
    assert done.returncode == 2
    assert done.stderr == "streamboost: error: nowhere.csv: no such file.\n"


def test_help_is_quick():
    probe = "import sys; from streamboost.cli import app; app(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "scipy", "numpy", "matplotlib"} & set(done.stdout.split())
    assert not heavy
