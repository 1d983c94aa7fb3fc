"""What the package declares about itself, as tables and lists of these pages."""

import inspect
import re
from pathlib import Path

from typer.main import get_command

import streamboost
from streamboost import catalogue
from streamboost.base.parameter import parameters_of
from streamboost.cli import app

SHARED = ("estimator", "estimators", "random_state", "n_jobs", "tie", "monitor", "categorical_features")


def names(entries):
    """Names as a sentence has them: a, b or c."""
    quoted = [f"`{entry.name}`" for entry in entries]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


SUBSTITUTIONS = {
    "models": names(entry for entry in catalogue.MODELS if entry.streams and not entry.experts),
    "experts": names(entry for entry in catalogue.MODELS if entry.experts),
    "learners": names(catalogue.LEARNERS),
    "detectors": names(catalogue.DETECTORS),
}


def to_markdown(text):
    """A sentence of a docstring as Markdown: formulas, code and names of classes."""
    text = re.sub(r":math:`([^`]*)`", lambda m: f"${m[1]}$", text)
    text = re.sub(r":\w+:`([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")


def parameter_rows(class_name):
    """One row for each parameter of a class that not all have: name, meaning and values, default."""
    for p in parameters_of(getattr(streamboost, class_name)).values():
        if p.name not in (*SHARED, "n_estimators"):
            default = f'"{p.default}"' if isinstance(p.default, str) else f"{p.default}"
            values = re.sub(r'"[^"]+"', r"`\g<0>`", p.type_text)
            yield f"`{p.name}`", f"{to_markdown(p.meaning)} Values: {values}.", f"`{default}`"


def model_rows():
    """One row for each ensemble: name, class, classes, weight, vote."""
    for entry in catalogue.MODELS:
        classes = "two" if entry.max_classes == 2 else "any, declared" if entry.declared else "any"
        page = entry.page.rpartition("/")[2]
        title = entry.title if page == "index" else f"[{entry.title}]({page}.md)"
        yield title, f"`{entry.class_name}`", classes, entry.weight, entry.vote


def learner_rows():
    """One row for each learner: name, class, columns, classes."""
    for entry in catalogue.LEARNERS:
        columns = "nominal" if entry.nominal_only else "any"
        classes = "any" if entry.discovers is None else f"{entry.discovers}, more when declared"
        yield f"`{entry.name}`", f"[`{entry.class_name}`](#{entry.page.partition('#')[2]})", columns, classes


def detector_rows():
    """One row for each detector of drift: name, class, the numbers it takes, what it notices."""
    for entry in catalogue.DETECTORS:
        yield f"`{entry.name}`", f"`{entry.class_name}`", entry.takes, entry.notices


def class_lines(package):
    """The classes of a package with what each is for, as reStructuredText; each has a page of its own."""
    for entry in entries_of(package):
        summary = inspect.getdoc(getattr(streamboost, entry.class_name)).split("\n", 1)[0]
        yield f"- :doc:`streamboost.{entry.class_name} <api/{entry.class_name}>`: {summary}"
    yield ""


def entries_of(package):
    """The models or learners of a package."""
    return [entry for entry in catalogue.ENTRIES if entry.package == package]


def class_pages():
    """Name and text of the page of every model and learner, with all its methods."""
    for entry in catalogue.ENTRIES:
        yield (
            entry.class_name,
            f"# {entry.class_name}\n\n```{{eval-rst}}\n.. autoclass:: streamboost.{entry.class_name}\n   :members:\n"
            "   :inherited-members:\n   :exclude-members: classes_, feature_names_in_, labels_, n_features_in_\n```\n",
        )


KINDS = {int: "N", float: "X", Path: "FILE"}


def option_rows(command):
    """One row for each argument and option of a command: how it is written, what it means, what it is otherwise."""
    for p in get_command(app).commands[command].params:
        if p.param_type_name == "argument":
            yield f"`{p.metavar or p.name.upper()}`", to_markdown(p.help or ""), ""
            continue
        written = ", ".join(f"`{name}`" for name in (*p.opts, *p.secondary_opts))
        value = "" if p.is_flag else f" `{p.metavar or KINDS.get(p.type_descriptor.annotation, 'TEXT')}`"
        usual = "" if p.default is None or p.default is False or p.required else f"`{p.default}`"
        meaning = re.sub(r"--[a-z-]+|'[^']*'", r"`\g<0>`", p.help or "")
        yield written + value, to_markdown(meaning.replace("|", "\\|")), usual
