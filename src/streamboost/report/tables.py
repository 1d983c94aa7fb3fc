"""Small tables for notebooks and data frames, shared by reports and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def html_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()
) -> str:
    """A table as HTML; all text is escaped, and the page decides colours and type."""
    top = "".join(f'<th style="text-align:{_side(i)}">{escape(text)}</th>' for i, text in enumerate(head))
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:{_side(i)}">{escape(str(cell))}</td>' for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    below = "".join(f'<p style="margin:.2em 0">{escape(note)}</p>' for note in notes)
    caption = f'<caption style="text-align:left;font-weight:bold">{escape(title)}</caption>'
    return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{below}"


def _side(column: int) -> str:
    return "right" if column else "left"


def data_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas frame, or a polars one where there is no pandas."""
    for library in ("pandas", "polars"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        return module.DataFrame(dict(columns))
    raise ImportError("to_frame() needs pandas or polars: pip install pandas.")
