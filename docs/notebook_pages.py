"""The notebooks as pages: every cell is run when the documentation is built, and what it says stands below it.

No kernel and no further package: a cell is run here, in one namespace for each notebook; what it prints, the value of its last
expression and the figures that it leaves are its outputs. A cell that raises ends the build.
"""

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
NOTEBOOKS = sorted((HERE.parent / "examples" / "notebooks").glob("*.ipynb"))
PAGES = HERE / "notebooks"
MOST_LINES = 60
INTRODUCTION = """# Notebooks

Each of these is a file of `examples/notebooks`, run from its first cell to its last when these pages were built. To run them
yourself: `pip install notebook`, then `jupyter notebook examples/notebooks`.

```{toctree}
:maxdepth: 1

"""


def run_cell(source, names):
    """Run one cell; return what it printed, the value of its last expression (or None), and the figures it left."""
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(last, "cell", "eval"), names)
    return printed.getvalue(), value, take_figures()


def take_figures():
    """The figures that pyplot holds, which are closed."""
    from matplotlib import pyplot

    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    return figures


def picture(figure, folder, name):
    """Write a figure beside the page and refer to it."""
    figure.savefig(folder / name, dpi=110, metadata={"Software": None})
    return f"![]({name})\n"


def shown(printed, value, figures, folder, stem):
    """The outputs of one cell as Markdown."""
    from matplotlib.figure import Figure

    parts = []
    if printed.strip():
        lines = printed.rstrip().splitlines()
        more = [] if len(lines) <= MOST_LINES else [f"... {len(lines) - MOST_LINES} more lines"]
        parts.append("```text\n" + "\n".join([*lines[:MOST_LINES], *more]) + "\n```\n")
    if isinstance(value, Figure) and value not in figures:
        figures = [*figures, value]
    elif hasattr(value, "_repr_html_"):
        parts.append("```{raw} html\n" + value._repr_html_() + "\n```\n")
    elif value is not None and not isinstance(value, Figure):
        parts.append(f"```text\n{value!r}\n```\n")
    for number, figure in enumerate(figures):
        parts.append(picture(figure, folder, f"{stem}-{number}.png"))
    return "\n".join(parts)


def page_of(path, folder):
    """One notebook as Markdown, its cells run in an empty folder."""
    cells = json.loads(path.read_text())["cells"]
    names = {"__name__": "__main__"}
    parts = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        try:
            for number, cell in enumerate(cells):
                source = "".join(cell["source"])
                if cell["cell_type"] == "markdown":
                    parts.append(source + "\n")
                    continue
                parts.append(f"```python\n{source}\n```\n")
                parts.append(shown(*run_cell(source, names), folder, f"{path.stem}-{number}"))
        finally:
            os.chdir(before)
    parts.append(f"The notebook itself: `examples/notebooks/{path.name}`.\n")
    return "\n".join(parts)


def write_pages():
    """Write all of them into docs/notebooks, which is not kept."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    PAGES.mkdir(exist_ok=True)
    for path in NOTEBOOKS:
        (PAGES / f"{path.stem}.md").write_text(page_of(path, PAGES))
    index = INTRODUCTION + "\n".join(path.stem for path in NOTEBOOKS) + "\n```\n"
    (PAGES / "index.md").write_text(index)


if __name__ == "__main__":
    write_pages()
