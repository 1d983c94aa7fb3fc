"""The documentation runs, and names only parameters and commands that exist."""

import doctest
import importlib.util
import re
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import streamboost
from streamboost import catalogue
from streamboost.models import LEARNERS, MODELS

DOCS = Path(__file__).resolve().parents[2] / "docs"

PAGES = {f"{entry.page}.md": entry.class_name for entry in catalogue.MODELS if entry.sized and entry.streams}


def test_every_model_and_learner_has_its_page():
    for entry in catalogue.ENTRIES:
        page, _, section = entry.page.partition("#")
        text = (DOCS / f"{page}.md").read_text()
        titles = [title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)]
        assert not section or section in titles, entry


def test_generated_lists_name_every_model_and_learner(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import declared

    cli = (DOCS / "cli.md").read_text()
    for word, names in (("models", MODELS), ("learners", LEARNERS)):
        assert f"{{{{ {word} }}}}" in cli
        assert re.findall(r"`([\w-]+)`", declared.SUBSTITUTIONS[word]) == list(names)
    assert [row[1] for row in declared.model_rows()] == [
        f"`{entry.class_name}`" for entry in catalogue.MODELS
    ]
    assert len(list(declared.learner_rows())) == len(LEARNERS)
    for cls in re.findall(
        r"^```\{parameters\} (\w+)$", "".join(p.read_text() for p in DOCS.rglob("*.md")), re.M
    ):
        assert list(declared.parameter_rows(cls)), cls


def test_every_detector_is_in_the_table_and_the_reference(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import declared

    assert "```{detectors}" in (DOCS / "drift.md").read_text()
    assert [row[0] for row in declared.detector_rows()] == [f"`{e.name}`" for e in catalogue.DETECTORS]
    reference = re.findall(r"autoclass:: streamboost\.drift\.(\w+)", (DOCS / "api.md").read_text())
    assert sorted(reference) == sorted(entry.class_name for entry in catalogue.DETECTORS)


def test_the_readme_names_every_model():
    named = re.findall(r"`(\w+(?:Classifier|Regressor))`", (DOCS.parent / "README.md").read_text())
    assert len(set(named)) == len(named)
    assert {entry.class_name for entry in catalogue.MODELS} <= set(named)
    assert all(hasattr(streamboost, name) for name in named)


def test_no_formula_breaks_a_table():
    """A bar inside a formula ends the cell of a Markdown table."""
    for page in DOCS.rglob("*.md"):
        for line in page.read_text().splitlines():
            if line.startswith("|"):
                for formula in re.findall(r"\$[^$]*\$", line):
                    assert "|" not in formula.replace(r"\|", "") or not re.search(r"\\|\{|\^|_", formula), (
                        f"{page}: {line}"
                    )


@pytest.mark.parametrize(("page", "name"), PAGES.items())
def test_options_of_a_page_are_parameters_of_the_class(page, name):
    parameters = getattr(streamboost, name)().get_params(deep=False)
    text = (DOCS / page).read_text()
    options = re.findall(r"^\| `(\w+)` \|", text, re.M)
    options += re.findall(r"^\| \$[^|]*\| `(\w+)` \|", text, re.M)
    unknown = set(options) - set(parameters) - {"sample_weight"}
    assert not unknown


@pytest.mark.parametrize(("page", "name"), PAGES.items())
def test_every_parameter_value_in_an_options_table_is_accepted(page, name):
    text = (DOCS / page).read_text()
    for option, values in re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text, re.M):
        for value in re.findall(r'`"(\w+)"`', values):
            model = getattr(streamboost, name)(n_estimators=2, **{option: value})
            model.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])


def test_the_page_of_streams_runs_and_lists_what_there_is():
    from streamboost.streams import GENERATORS, registered

    text = (DOCS / "streams.md").read_text()
    for block in re.findall(r"^```python\n(.*?)^```", text, re.S | re.M):
        exec(compile(block, "streams.md", "exec"), {})
    number = r"([\d,]+)"
    cells = [r"`([\w-]+)`", number, number, number, number, r"(\w+)", r".*", r"(yes|no)"]
    rows = re.findall(r"^\| " + r" \| ".join(cells) + r" \|$", text, re.M)
    expected = []
    for d in registered().values():
        counts = [f"{n:,}" for n in (d.n_rows, d.n_features, d.n_classes, d.missing_cells)]
        expected.append((d.name, *counts, d.format, "yes" if d.recipe else "no"))
    assert rows == expected
    assert all(f"`{entry.cls.__name__}`" in text for entry in GENERATORS.values())


def test_the_templates_run(monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "extending.md").read_text(), re.S | re.M)
    assert len(blocks) == 4
    assert len(blocks[2].split("class SmoothBoost", 1)[1].partition("from streamboost")[0].splitlines()) <= 20
    assert len(blocks[0].split("class NearestMean", 1)[1].splitlines()) <= 20
    page = types.ModuleType("extending_page")  # a module that can be found again, as pickle demands
    monkeypatch.setitem(sys.modules, page.__name__, page)
    for block in blocks:
        exec(compile(block, "extending.md", "exec"), page.__dict__)
    assert (page.answers == page.y).mean() > 0.8


def run_page(page: str, **names: object) -> dict[str, object]:
    """Run the Python blocks of a page one after the other, as a reader would who has what is named."""
    plain_or_captioned = r"^```(?:python|\{code-block\} python\n:caption:[^\n]*\n)\n(.*?)^```"
    blocks = re.findall(plain_or_captioned, (DOCS / page).read_text(), re.S | re.M)
    assert len(blocks) == (DOCS / page).read_text().count("python\n")
    for block in blocks:
        if block.startswith(">>>"):
            examples = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            assert doctest.DocTestRunner().run(examples, clear_globs=False).failed == 0, page
            names.update(examples.globs)
        elif 'engine="ray"' not in block:  # needs a cluster
            exec(compile(block, page, "exec"), names)
    return names


ELSEWHERE = {"extending.md", "streams.md", "production.md", "coming-from/vowpal-wabbit.md"}
"""Pages with tests of their own, here or in tests/service/test_client_and_cli.py."""
WITH_CODE = [
    str(page.relative_to(DOCS))
    for page in sorted(DOCS.rglob("*.md"))
    if "_build" not in page.parts
    and re.search(r"^```(?:python|\{code-block\} python)$", page.read_text(), re.M)
]


@pytest.mark.parametrize("page", [page for page in WITH_CODE if page not in ELSEWHERE])
def test_pages_run(page, tmp_path, monkeypatch):
    """With rows of the reader's own where a page speaks of them."""
    if page.endswith("river.md"):
        pytest.importorskip("river")
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(1).normal(size=(300, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other libraries' deprecations are not ours
        run_page(page, X=X, y=np.where(X[:, 0] + X[:, 1] > 0, "fraud", "fine"), X_new=X[:5])


def test_the_lines_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(1).normal(size=(300, 3))
    names = run_page("../README.md", X=X, y=X[:, 0] > 0, X_new=X[:5])
    assert (tmp_path / "model.sboost").exists()
    assert (names["answers"] == names["y"])[100:].mean() > 0.8


def test_the_lines_for_users_of_vw_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{1 if i % 3 else -1} |f {'good fine' if i % 3 else 'bad poor'} w{i % 5}:0.5" for i in range(60)
    ]
    (tmp_path / "train.vw").write_text("\n".join(lines) + "\n")
    names = run_page("coming-from/vowpal-wabbit.md")
    assert (names["answers"] == names["data"].y)[20:].mean() > 0.9


@pytest.mark.parametrize("name", ["accuracy", "speed"])
def test_the_tables_of_the_readme_are_the_measured_ones(name):
    from benchmarks import readme

    text = (DOCS.parent / "README.md").read_text()
    shown = text.split(f"<!-- {name} table -->\n")[1].split(f"\n<!-- end of {name} table -->")[0]
    assert shown == getattr(readme, name)()  # `python -m benchmarks.readme` writes them
    assert shown.count("\n") >= 7


def test_the_speed_row_by_row_in_the_readme_is_the_measured_one():
    text = (DOCS.parent / "README.md").read_text().split("dict at a time")[1]
    measured = (DOCS / "results" / "bench-one.md").read_text()
    assert all(f" {rate} (" in measured for rate in re.findall(r"takes ([\d,]+\d)", text))


def test_every_algorithm_page_has_a_picture_that_exists():
    for page in (DOCS / "algorithms").glob("*.md"):
        if page.stem in {"index", "batch", "monitor"}:
            continue
        assert f"](../images/algorithms/{page.stem}.png)" in page.read_text(), page.name
        assert (DOCS / "images" / "algorithms" / f"{page.stem}.png").exists()


def test_the_walk_of_one_example_names_functions_that_exist():
    """`file:function` on the design page: the file is there, and defines (or declares) the function."""
    root = DOCS.parent
    walk = re.findall(r"`([\w/.]+\.(?:py|hpp|cpp)):(\w+)`", (DOCS / "design.md").read_text())
    assert len(walk) >= 16
    for file, function in walk:
        source = (root / file).read_text()
        head = rf"def {function}\(" if file.endswith(".py") else rf"^[ \w:<>&*\[\]]*\b{function}\([^;]*$"
        assert re.search(head, source, re.M), f"{file} has no function {function}"


def test_the_layers_of_the_design_page_are_those_of_the_linter():
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [re.findall(r"\w+", layer) for layer in reversed(layers)]
    here = [{name for name in layer if importlib.util.find_spec(f"streamboost.{name}")} for layer in names]
    line = next(
        line for line in (DOCS / "design.md").read_text().splitlines() if line.startswith("`_core` <")
    )
    assert [set(re.findall(r"`(\w+)`", layer)) for layer in line.split("<")] == [
        layer for layer in here if layer
    ]
