"""Every notebook runs from its first cell to its last."""

from __future__ import annotations

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
