"""What the parts of a model have to say, where it is made of models: one for each label, or one that asks for labels."""

from __future__ import annotations

from typing import Any


def parts_of(model: Any, verb: str) -> dict[Any, Any]:
    """What answers a verb such as ``report``: under None the model itself, or the one in it; else the model of each label."""
    if hasattr(model, verb):
        return {None: model}
    if hasattr(model, "model_"):
        return parts_of(model.model_, verb)
    found: dict[Any, Any] = getattr(model, "models_", {})
    parts = {label: part for label, part in found.items() if hasattr(part, verb) and part.started}
    one = next(iter(parts.values()), None)
    return {None: one} if len(parts) > 1 and all(part is one for part in parts.values()) else parts


def reports_of(model: Any) -> dict[Any, Any]:
    """The reports of a model, by label where it has a model for each."""
    return {label: part.report() for label, part in parts_of(model, "report").items()}


def report_lines(reports: dict[Any, Any]) -> list[str]:
    """Reports to be read, each under its label."""
    return [str(report) if label is None else f"label {label}: {report}" for label, report in reports.items()]


def report_figures(reports: dict[Any, Any]) -> Any:
    """Reports for JSON: the one report, or an object of them; None where there is none."""
    if not reports:
        return None
    if set(reports) == {None}:
        return reports[None].to_dict()
    return {str(label): report.to_dict() for label, report in reports.items()}
