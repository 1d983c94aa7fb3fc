"""Every notebook runs from its first cell to its last."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_four():
    assert len(NOTEBOOKS) == 4
    listed = (NOTEBOOKS[0].parents[1] / "README.md").read_text()
    assert all(f"notebooks/{path.name}" in listed for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    book = json.loads(path.read_text())
    assert book["nbformat"] == 4
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 2
    for number, cell in enumerate(cells):
        assert not cell["outputs"], "outputs are not kept in the repository"
        exec(compile("".join(cell["source"]), f"{path.name}[{number}]", "exec"), names)


def test_pages_show_what_cells_say(tmp_path, monkeypatch):
    """The documentation's own way to run a notebook: prints, last values, figures; an error ends the build."""
    spec = importlib.util.spec_from_file_location(
        "notebook_pages", Path(__file__).resolve().parents[2] / "docs" / "notebook_pages.py"
    )
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": ["x = 6\n", "print('six', x)\n", "x * 7"]},
        {
            "cell_type": "code",
            "source": ["from matplotlib import pyplot\n", "pyplot.plot([1, 2]);\n", "y = x"],
        },
    ]
    book = tmp_path / "book.ipynb"
    book.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    text = pages.page_of(book, tmp_path)
    assert text.startswith("# Title\nwords\n")
    assert "```text\nsix 6\n```" in text
    assert "```text\n42\n```" in text
    assert "![](book-2-0.png)" in text
    assert (tmp_path / "book-2-0.png").stat().st_size > 1000
    cells[1]["source"] = ["1 / 0"]
    book.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    with pytest.raises(ZeroDivisionError):
        pages.page_of(book, tmp_path)
