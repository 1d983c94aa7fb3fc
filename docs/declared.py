"""What the package declares about itself, as tables and lists of these pages."""

import re

import streamboost
from streamboost import catalogue
from streamboost.base.parameter import parameters_of

SHARED = ("estimator", "estimators", "random_state", "n_jobs", "tie", "monitor", "categorical_features")


def names(entries):
    """Names as a sentence has them: a, b or c."""
    quoted = [f"`{entry.name}`" for entry in entries]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


SUBSTITUTIONS = {
    "models": names(entry for entry in catalogue.MODELS if entry.streams and not entry.experts),
    "experts": names(entry for entry in catalogue.MODELS if entry.experts),
    "learners": names(catalogue.LEARNERS),
}


def to_markdown(text):
    """A sentence of a docstring as Markdown: formulas, code and names of classes."""
    text = re.sub(r":math:`([^`]*)`", lambda m: f"${m[1]}$", text)
    text = re.sub(r":\w+:`([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")


def parameter_rows(class_name):
    """One row for each parameter of a class that not all have: name, values, default, meaning."""
    for p in parameters_of(getattr(streamboost, class_name)).values():
        if p.name not in (*SHARED, "n_estimators"):
            default = f'"{p.default}"' if isinstance(p.default, str) else f"{p.default}"
            yield (
                f"`{p.name}`",
                re.sub(r'"[^"]+"', r"`\g<0>`", p.type_text),
                f"`{default}`",
                to_markdown(p.meaning),
            )


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


def class_lines(package):
    """The reference of all classes of a package, as reStructuredText; of the first one with its methods."""
    entries = [entry for entry in catalogue.ENTRIES if entry.package == package]
    for number, entry in enumerate(entries):
        yield f".. autoclass:: streamboost.{entry.class_name}"
        if package == "ensemble" and number == 0:
            yield "   :members:"
            yield "   :inherited-members:"
            yield "   :exclude-members: classes_, feature_names_in_, n_features_in_"
        yield ""
