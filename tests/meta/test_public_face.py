"""Tests speak to the product through its public face; what must look inside does so by tests/inside, and is counted."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
MOST = 104  # private names used outside tests/inside; never more, and fewer whenever one goes
PROTOCOLS = {"_repr_html_", "_exit"}  # names that others have given a meaning


def private_names(path: Path) -> Counter[str]:
    """Private attributes and modules that a file uses and has not made itself."""
    tree = ast.parse(path.read_text())
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _private(node.attr) and node.attr not in own | PROTOCOLS:
            found[node.attr] += 1
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                path_parts = [*(node.module or "").split("."), name.name]
                found[".".join(path_parts)] += any(map(_private, path_parts))
    return +found


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_private_names_become_fewer() -> None:
    found = {
        str(path.relative_to(TESTS)): private_names(path)
        for path in sorted(TESTS.rglob("*.py"))
        if path.parent.name != "inside" and path.name != "conftest.py"
    }
    used = {name: count for name, count in found.items() if count}
    total = sum(count.total() for count in used.values())
    listing = "\n".join(f"{name}: {dict(count)}" for name, count in used.items())
    assert total <= MOST, (
        f"{total} private names; use public verbs, or a handle of tests/inside/handles.py:\n{listing}"
    )
    assert total > MOST - 15, f"{total} private names are left: lower MOST"


def test_few_look_inside() -> None:
    handles = private_names(TESTS / "inside" / "handles.py")
    assert handles.total() <= 6
