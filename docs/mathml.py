"""Formulas as MathML, which browsers draw themselves: pages need no script and no network."""

import re

from docutils import nodes
from latex2mathml.converter import convert


def spaced(formula):
    """Let a logarithm and its argument not run together, and write out what the converter does not know."""
    formula = re.sub(r"\\arg *\\(max|min)", r"\\operatorname{arg\1}", formula)
    return re.sub(r"\\(ln|log) +(?=[\w\\])", r"\\\1\\, ", formula)


def visit_inline(self, node):
    self.body.append(convert(spaced(node.astext()), display="inline"))
    raise nodes.SkipNode


def visit_block(self, node):
    formula = spaced(node.astext())
    for mark in ("begin", "end"):  # the converter knows the environment by its other name
        formula = formula.replace(rf"\{mark}{{aligned}}", rf"\{mark}{{align*}}")
    self.body.append('<div class="math">' + convert(formula, display="block") + "</div>")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True}
