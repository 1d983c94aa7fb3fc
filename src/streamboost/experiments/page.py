"""One web page in one file: sections of text, tables with marks, figures. No network, no script; light and dark, wide and narrow.

All text that comes in is escaped; figures are SVG of our own making and go in as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from streamboost.experiments.figures import LegendEntry, Picture


@dataclass(frozen=True)
class TableCell:
    """Text, a smaller second line, a mark that the style knows (best, like, none, bad) and a hint for the pointer."""

    text: str
    below: str = ""
    mark: str = ""
    hint: str = ""

    def html(self, tag: str = "td", attributes: str = "") -> str:
        """The cell as HTML."""
        kind = f' class="{escape(self.mark)}"' if self.mark else ""
        hint = f' title="{escape(self.hint)}"' if self.hint else ""
        below = f"<small>{escape(self.below)}</small>" if self.below else ""
        return f"<{tag}{kind}{hint}{attributes}>{escape(self.text)}{below}</{tag}>"


@dataclass(frozen=True)
class Text:
    """Paragraphs of plain text."""

    paragraphs: Sequence[str]
    kind: str = ""

    def html(self) -> str:
        """The block as HTML."""
        kind = f' class="{escape(self.kind)}"' if self.kind else ""
        return "\n".join(f"<p{kind}>{escape(text)}</p>" for text in self.paragraphs)


@dataclass(frozen=True)
class Facts:
    """Names and values, in a list or (``cards``) side by side in large type; a third text stands below, smaller."""

    items: Sequence[tuple[str, ...]]
    cards: bool = False

    def html(self) -> str:
        """The block as HTML."""
        kind = "cards" if self.cards else "facts"
        rows = ""
        for name, value, *more in self.items:
            below = "".join(f"<small>{escape(text)}</small>" for text in more)
            rows += f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{below}</dd></div>"
        return f'<dl class="{kind}">{rows}</dl>'


@dataclass(frozen=True)
class DataTable:
    """A table. The first ``n_names`` columns hold names; ``groups`` is an upper line of the head: title, number of columns."""

    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    groups: Sequence[tuple[str, int]] = ()
    n_names: int = 1
    foot: Sequence[Sequence[TableCell]] = ()
    caption: str = ""

    def turned(self) -> DataTable:
        """The same with a line for each column; only of tables with one column of names."""
        names = [" · ".join(filter(None, (row[0].text, row[0].below))) for row in self.rows]
        lines = [[TableCell(title), *(row[at] for row in self.rows)] for at, title in enumerate(self.head)]
        return DataTable([self.head[0], *names], lines[1:], caption=self.caption)

    def html(self) -> str:
        """The block: it scrolls sideways by itself where it is too wide."""
        lines = []
        if self.groups:
            cells = [
                f'<th colspan="{span}" scope="colgroup">{escape(title)}</th>' for title, span in self.groups
            ]
            lines.append(f'<tr class="groups">{"".join(cells)}</tr>')
        lines.append("<tr>" + "".join(f'<th scope="col">{escape(text)}</th>' for text in self.head) + "</tr>")
        body = "".join(self._row(row) for row in self.rows)
        foot = f"<tfoot>{''.join(self._row(row) for row in self.foot)}</tfoot>" if self.foot else ""
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        table = f"<table><thead>{''.join(lines)}</thead><tbody>{body}</tbody>{foot}</table>"
        return f'<figure class="table"><div class="scroll" tabindex="0">{table}</div>{caption}</figure>'

    def _row(self, row: Sequence[TableCell]) -> str:
        names = [cell.html("th", ' scope="row"') for cell in row[: self.n_names]]
        return f"<tr>{''.join(names)}{''.join(cell.html() for cell in row[self.n_names :])}</tr>"


def _sample(entry: LegendEntry) -> str:
    """How a series looks, for the legend."""
    if entry.symbol:
        return f'<b aria-hidden="true" style="color:{entry.css}">{entry.symbol}</b>'
    return (
        '<svg viewBox="0 0 24 8" aria-hidden="true"><line x1="1" y1="4" x2="23" y2="4" '
        f'style="stroke:{entry.css};stroke-dasharray:{entry.dashes}"/></svg>'
    )


@dataclass(frozen=True)
class Figure:
    """A picture with its caption and, on narrow screens, its legend."""

    picture: Picture
    caption: str = ""

    def html(self) -> str:
        """The block as HTML."""
        legend = "".join(f"<li>{_sample(entry)}{escape(entry.name)}</li>" for entry in self.picture.legend)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        alt = escape(self.picture.title)
        return (
            f'<figure class="picture"><div class="wide" role="img" aria-label="{alt}">{self.picture.wide}</div>'
            f'<div class="narrow" role="img" aria-label="{alt}">{self.picture.narrow}</div>'
            + (f'<ul class="legend">{legend}</ul>' if legend else "")
            + f"{caption}</figure>"
        )


@dataclass(frozen=True)
class Code:
    """A command, to be copied."""

    text: str

    def html(self) -> str:
        """The block as HTML."""
        return f"<pre><code>{escape(self.text)}</code></pre>"


@dataclass(frozen=True)
class ByWidth:
    """One block for wide screens, another one for narrow ones."""

    wide: DataTable
    narrow: DataTable

    def html(self) -> str:
        """Both; the style shows one."""
        return f'<div class="wide">{self.wide.html()}</div><div class="narrow">{self.narrow.html()}</div>'


Element = Text | Facts | DataTable | Figure | Code | ByWidth


@dataclass
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: list[Element] = field(default_factory=list)
    aside: str = ""

    @property
    def anchor(self) -> str:
        """The target of links."""
        return "".join(c if c.isalnum() else "-" for c in self.title.lower()).strip("-")


@dataclass
class Page:
    """A report: sections of blocks, in one HTML file that needs no other."""

    title: str
    subtitle: str = ""
    lead: list[Element] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    footer: str = ""

    def section(self, title: str, *blocks: Element, aside: str = "") -> Section:
        """Add a section of some blocks."""
        made = Section(title, list(blocks), aside)
        self.sections.append(made)
        return made

    def html(self) -> str:
        """The whole page as HTML."""
        links = "".join(f'<a href="#{s.anchor}">{escape(s.title)}</a>' for s in self.sections)
        parts = []
        for section in self.sections:
            aside = f"<span>{escape(section.aside)}</span>" if section.aside else ""
            body = "\n".join(block.html() for block in section.blocks)
            parts.append(
                f'<section id="{section.anchor}"><h2>{escape(section.title)}{aside}</h2>\n{body}\n</section>'
            )
        lead = "\n".join(block.html() for block in self.lead)
        subtitle = f'<p class="subtitle">{escape(self.subtitle)}</p>' if self.subtitle else ""
        style = (files("streamboost.experiments") / "page.css").read_text(encoding="utf-8")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
            f"<header><h1>{escape(self.title)}</h1>{subtitle}</header>\n"
            f"<nav>{links}</nav>\n<main>\n{lead}\n{chr(10).join(parts)}\n</main>\n"
            f"<footer>{escape(self.footer)}</footer>\n</body>\n</html>\n"
        )
