"""The public names are a promise: adding or dropping one is a decision, made in the table of models and in the changelog."""

import importlib
import re
from pathlib import Path

import pytest

import streamboost
from streamboost import catalogue

DOCS = Path(__file__).resolve().parents[2] / "docs"

PUBLIC = sorted(
    [
        *(entry.class_name for entry in catalogue.ENTRIES),
        "ActiveClassifier",
        "BanditBoostingClassifier",
        "BinaryRelevanceClassifier",
        "ClassifierChain",
        "LearningInterrupted",
        "ModelFileError",
        "PythonBooster",
        "StackedClassifier",
        "UniversalPredictor",
        "__version__",
        "load",
    ]
)


def test_public_names():
    assert list(streamboost.__all__) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_loads(name):
    assert getattr(streamboost, name) is not None
    assert name in dir(streamboost)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = streamboost.no_such_name


def test_star_import():
    names: dict[str, object] = {}
    exec("from streamboost import *", names)
    assert set(PUBLIC) <= set(names)


@pytest.mark.parametrize("name", [n for n in PUBLIC if n[0].isupper()])
def test_public_classes_are_documented(name, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from declared import class_lines

    page = (DOCS / "api.md").read_text()
    for package in re.findall(r"^\.\. classes:: (\w+)$", page, re.M):
        page += "\n".join(class_lines(package))
    assert getattr(streamboost, name).__doc__
    assert f"streamboost.{name}" in page


def test_version_is_the_installed_one():
    assert streamboost.__version__ == importlib.import_module("importlib.metadata").version("streamboost")


def test_types_are_shipped():
    package = Path(streamboost.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "_core.pyi").exists()
