"""Writes the table of metrics in evaluation.md from the metrics themselves: ``python docs/metrics_table.py``."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from streamboost.evaluate import CLASSIFICATION_METRICS

PAGE = Path(__file__).with_name("evaluation.md")
BEGIN, END = "<!-- metrics -->\n", "<!-- /metrics -->"


def table() -> str:
    """One line per metric that has a name on the command line."""
    lines = ["| name | what it is | better |", "|---|---|---|"]
    for name in CLASSIFICATION_METRICS:
        cls = CLASSIFICATION_METRICS.classes[name]
        better = "more" if cls.greater_is_better else "less"
        lines.append(f"| `{name}` | {inspect.getdoc(cls)} | {better} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page with the table as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(table())
