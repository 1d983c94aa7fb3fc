"""The hand-written stub of the extension names exactly what the binary has."""

import ast
import inspect
from pathlib import Path

import streamboost
from streamboost import _core

STUB = Path(streamboost.__file__).with_name("_core.pyi")
# What every bound class has and no stub repeats.
IMPLIED = {"__init__", "__new__", "__doc__", "__module__", "__qualname__", "__name__"}


def declared(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    names: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
        elif isinstance(node, ast.Assign):
            names |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return names


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_module_names():
    stub = declared(ast.parse(STUB.read_text()).body)
    actual = {name for name, value in vars(_core).items() if not inspect.ismodule(value)}
    # A type alias of the stub may have no counterpart in the binary, but must then be private.
    assert public(stub) == public(actual)


def test_class_members():
    stub = declared(ast.parse(STUB.read_text()).body)
    for name, node in stub.items():
        if not isinstance(node, ast.ClassDef) or name.startswith("_"):
            continue
        members = set(declared(node.body))
        actual = set(vars(getattr(_core, name)))
        assert public(members) == public(actual), name
        special = {member for member in members if member.startswith("_")} - IMPLIED
        assert special <= set(dir(getattr(_core, name))), name
