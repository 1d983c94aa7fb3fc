"""The ``show`` command: what is in a model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamboost.base.naming import ColumnNames
from streamboost.cli.console import plain_value, quantity, stdout
from streamboost.cli.importances import importances_of
from streamboost.cli.models import load_file
from streamboost.cli.parts import report_figures, report_lines, reports_of

_SHOWN = 8


def show(path: Path, *, as_json: bool) -> None:
    """Print what a model is and what it has learned."""
    facts = describe(path)
    if as_json:
        facts["report"] = report_figures(facts["report"])
        stdout().out(json.dumps(plain_value(facts), indent=1, allow_nan=False), highlight=False)
        return
    lines = {
        "model": facts["model"] + (f" of {facts['learner']}" if facts["learner"] else ""),
        "parameters": ", ".join(f"{name}={value}" for name, value in facts["parameters"].items())
        or "the defaults",
        "columns": _columns(facts["columns"]),
        "classes": "none: it predicts numbers" if facts["classes"] is None else _listed(facts["classes"]),
        "rows learned": f"{facts['rows_learned']:,}",
        "size": f"{quantity(facts['file_bytes'])} in the file, {quantity(facts['memory_bytes'])} in memory",
        "metadata": json.dumps(facts["metadata"], ensure_ascii=False) if facts["metadata"] else "none",
    }
    console = stdout()
    for head, text in lines.items():
        console.print(f"{head:>13}  {text}", markup=False, highlight=False, soft_wrap=True)
    for line in report_lines(facts["report"]):
        console.print(f"\n{line}", markup=False, highlight=False, soft_wrap=True)


def describe(path: Path) -> dict[str, Any]:
    """The facts of a model file."""
    model = load_file(path)
    reports = reports_of(model)
    columns: ColumnNames | None = getattr(model, "columns_", None)
    state = getattr(model, "_state", {})  # a predictor of sequences has no columns
    return {
        "model": type(model).__name__,
        "learner": reports[None].learner if None in reports else None,
        "parameters": _changed(model),
        "columns": None if columns is None else _kinds(columns),
        "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
        "rows_learned": int(state["n_learned"]) if columns is None else model.n_learned_,
        "file_bytes": path.stat().st_size,
        "memory_bytes": sum(array.nbytes for array in state.values())
        if columns is None
        else model.memory_bytes(),
        "metadata": model.metadata_,
        "importances": importances_of(model),
        "report": reports,
    }


def _changed(model: Any) -> dict[str, Any]:
    """The parameters that are not at their defaults, those of the learner with its name in front."""
    found: dict[str, Any] = {}
    for prefix, part in (("", model), ("learner.", getattr(model, "estimator", None))):
        if part is None:
            continue
        usual = type(part)().get_params(deep=False)
        given = part.get_params(deep=False)
        for name, value in given.items():
            if name not in ("estimator", "categorical_features") and repr(value) != repr(usual[name]):
                found[prefix + name] = value
    return found


def _kinds(columns: ColumnNames) -> dict[str, str]:
    names = columns.names or range(len(columns.values))
    return {
        str(name): "number" if values is None else f"{len(values)} values"
        for name, values in zip(names, columns.values, strict=True)
    }


def _columns(kinds: dict[str, str] | None) -> str:
    if kinds is None:
        return "none: it predicts a sequence of numbers"
    return f"{len(kinds)}: " + _listed(
        [name if kind == "number" else f"{name} ({kind})" for name, kind in kinds.items()]
    )


def _listed(words: list[Any] | None) -> str:
    shown = ", ".join(map(str, (words or [])[:_SHOWN]))
    return shown + (f", ... ({len(words) - _SHOWN} more)" if words and len(words) > _SHOWN else "") or "none"
