"""Directives that write what the package declares: tables of parameters, models, learners, detectors; the classes."""

from pathlib import Path

from declared import (
    class_lines,
    class_pages,
    detector_rows,
    learner_rows,
    model_rows,
    option_rows,
    parameter_rows,
)
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Table(SphinxDirective):
    """A table whose cells are Markdown; built cell by cell, so that a bar in a formula is only a bar."""

    def run(self):
        rows = [self.head, *self.rows()]
        table, group = nodes.table(), nodes.tgroup(cols=len(self.head))
        table += group
        for _ in self.head:
            group += nodes.colspec(colwidth=1)
        for number, cells in enumerate(rows):
            if number < 2:
                group += nodes.tbody() if number else nodes.thead()
            row = nodes.row()
            group[-1] += row
            for cell in cells:
                entry = nodes.entry()
                self.state.nested_parse(StringList([cell], self.env.docname), self.content_offset, entry)
                row += entry
        return [table]


class Parameters(Table):
    required_arguments = 1
    head = ("option", "meaning", "default")

    def rows(self):
        return parameter_rows(self.arguments[0])


class Models(Table):
    head = ("name", "class", "classes", "the example's weight for learner $i$", "vote")
    rows = staticmethod(model_rows)


class Learners(Table):
    head = ("name", "class", "columns", "classes that need not be declared")
    rows = staticmethod(learner_rows)


class Detectors(Table):
    head = ("name", "class", "takes", "notices")
    rows = staticmethod(detector_rows)


class Options(Table):
    required_arguments = 1
    head = ("option", "meaning", "default")

    def rows(self):
        return option_rows(self.arguments[0])


class Classes(SphinxDirective):
    """All classes of a package; inside ``eval-rst``."""

    required_arguments = 1

    def run(self):
        holder = nodes.Element()
        lines = StringList(list(class_lines(self.arguments[0])), self.env.docname)
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder.children


def write_class_pages(app):
    """Write the page of every class before the pages are read; what has not changed is not touched."""
    folder = Path(app.srcdir, "api")
    folder.mkdir(exist_ok=True)
    for name, text in class_pages():
        page = folder / f"{name}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def setup(app):
    app.connect("builder-inited", write_class_pages)
    app.add_directive("options", Options)
    app.add_directive("parameters", Parameters)
    app.add_directive("models", Models)
    app.add_directive("learners", Learners)
    app.add_directive("detectors", Detectors)
    app.add_directive("classes", Classes)
    return {"parallel_read_safe": True}
