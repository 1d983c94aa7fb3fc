"""Trees as text and as Graphviz DOT, and what their splits have gained."""

from __future__ import annotations

from typing import Any, NamedTuple


class _Node(NamedTuple):
    kind: str  # leaf, numeric, below, nominal
    column: int
    threshold: float
    value: int
    fallback: int
    children: list[int]
    mass: list[float]
    named: list[int]  # values that a grouped split sends to its first child


class _Tree:
    """One tree of a model with the names of its columns, values and classes."""

    def __init__(self, model: Any, lane: int) -> None:
        model._read(lambda session: self._look(model, session, lane))

    def _look(self, model: Any, session: Any, lane: int) -> None:
        if not session.learner.trees:
            raise ValueError(f"The learners of this model are no trees but {session.learner.title}.")
        n_lanes = model._n_lanes()
        if not 0 <= lane < n_lanes:
            raise ValueError(f"lane={lane!r}: the model has learners 0 to {n_lanes - 1}.")
        self.nodes = [_Node(*raw) for raw in session.model.tree(lane)]
        self.labels = list(session.labels.book.values)
        schema, lags = session.schema, model._lag_names()  # which stand before the columns
        self.names = [*lags, *(range(schema.width) if schema.names is None else schema.names)]
        books = [[] if book is None else list(book.values) for book in schema.books]
        self.values = [*[self.labels] * len(lags), *books]

    def conditions(self, node: _Node) -> list[str]:
        """What leads to each child."""
        name = self.names[node.column]
        name = f"x[{name}]" if isinstance(name, int) else str(name)
        if node.kind == "numeric":
            return [f"{name} <= {node.threshold:.4g}", f"{name} > {node.threshold:.4g}"]
        if node.kind == "below":
            return [f"{name} < {node.threshold:.4g}", f"{name} >= {node.threshold:.4g}"]
        values = self.values[node.column]
        if node.named:
            among = ", ".join(str(values[code]) for code in node.named)
            return [f"{name} in {{{among}}}", f"{name} not in {{{among}}}"]
        codes = [self.nodes[child].value for child in node.children]
        return [
            f"{name} = {values[code]}" if code >= 0 else f"{name} is not {values[codes[0]]}" for code in codes
        ]

    def leaf(self, node: _Node) -> str:
        """The majority of a leaf and its weight."""
        total = sum(node.mass)
        if total == 0:
            return "nothing learned"
        best = max(range(len(node.mass)), key=lambda c: (node.mass[c], -c))
        return f"{self.labels[best]} (weight {node.mass[best]:.1f} of {total:.1f})"


def impurity_decreases(nodes: list[Any], n_columns: int) -> list[float]:
    """How much the splits on each column have lowered the Gini impurity of a tree's rows, by what its leaves hold now."""
    tree = [_Node(*raw) for raw in nodes]
    mass: list[list[float]] = [list(node.mass) for node in tree]
    for n in range(len(tree) - 1, -1, -1):  # children come later than their parent
        if tree[n].children:
            below = [mass[child] for child in tree[n].children]
            mass[n] = [sum(parts) for parts in zip(*below, strict=True)]
    found = [0.0] * n_columns
    whole = sum(mass[0])
    for n, node in enumerate(tree):
        if node.children and whole > 0:
            left = sum(_impurity(mass[child]) for child in node.children)
            found[node.column] += (_impurity(mass[n]) - left) / whole
    return found


def _impurity(mass: list[float]) -> float:
    """The Gini impurity of rows, times their weight."""
    total = sum(mass)
    return total - sum(m * m for m in mass) / total if total > 0 else 0.0


def tree_text(model: Any, lane: int = 0) -> str:
    """Return one tree of a fitted model as indented text, one line per branch.

    Parameters
    ----------
    model : estimator
        A model whose learners are Hoeffding or incremental trees; pruned nodes are drawn as the leaves they act as.
    lane : int, default=0
        Which of its learners.
    """
    tree = _Tree(model, lane)
    if not tree.nodes[0].children:
        return tree.leaf(tree.nodes[0])
    lines = []
    stack = [(0, 0, "")]
    while stack:
        number, depth, condition = stack.pop()
        node = tree.nodes[number]
        if number:
            ending = f": {tree.leaf(node)}" if node.kind == "leaf" else ""
            lines.append("|   " * (depth - 1) + condition + ending)
        if node.children:
            below = zip(node.children, tree.conditions(node), strict=True)
            stack += [(child, depth + 1, text) for child, text in reversed(list(below))]
    return "\n".join(lines)


def tree_dot(model: Any, lane: int = 0) -> str:
    """Return one tree of a fitted model in the DOT language of Graphviz; parameters as for :func:`tree_text`.

    The branch that missing values take is drawn bold.
    """
    tree = _Tree(model, lane)
    lines = ["digraph tree {", "  node [shape=box];"]
    for number, node in enumerate(tree.nodes):
        if node.kind == "leaf":
            lines.append(f"  n{number} [label={_quoted(tree.leaf(node))}, style=rounded];")
            continue
        lines.append(f"  n{number} [label={_quoted(str(tree.names[node.column]))}];")
        for branch, (child, text) in enumerate(zip(node.children, tree.conditions(node), strict=True)):
            bold = ", style=bold" if branch == node.fallback else ""
            lines.append(f"  n{number} -> n{child} [label={_quoted(text)}{bold}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
