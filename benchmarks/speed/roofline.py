"""``python -m benchmarks.speed.roofline``: how near each bank is to what this machine can do with its state.

For every bank: the bytes and operations that an example must touch; how fast the machine reads, updates and multiplies at that
size; a bare kernel that does nothing but the passes over the state; and the product, in the same rounds.
"""

from __future__ import annotations

import csv
import gc
import math
from dataclasses import dataclass, field

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.speed.curves import shape_of_trees
from benchmarks.speed.limits import LANES, Kernel, Limits
from benchmarks.speed.steady import Steady
from benchmarks.speed.throughput import Entry
from benchmarks.streams import Stream, make
from benchmarks.tables import Table

N, ROWS = 100, 8_192
SHARE = 0.45  # goal for OSBoost over perceptrons, of the faster linear kernel
TIMES_MOA = 10  # goal of Oza's boosting over perceptrons
TIMES_MOA_BAYES = 30  # ... over naive Bayes
KERNELS = ("plain", "blocked")
NOTE = (
    "State: of 100 learners with 20 columns (lanes padded to 112), two classes, five values where nominal. Read and updated:"
    " bytes that one example must touch in asking and in teaching, an updated byte counted twice. Limit by memory: those bytes"
    " at the speed measured at the size of the state. Limit by arithmetic: the operations (additions and multiplications;"
    " divisions and logarithms are not counted) at the speed of independent multiply-adds. Bare kernel: the passes over the"
    " state and nothing else, with every instruction of the host and fast-math. Ours: test_then_train in steady state with"
    " everything on (weights, votes, monitor, validation), under OSBoost. Rates in examples per second."
)


TOUCHED = {
    "linear": ("the weights", "the weights"),
    "naive Bayes, Gaussian": (
        "mean and precision of both classes",
        "mean, spread and precision of the example's class",
    ),
    "naive Bayes, nominal": ("counts of the row's values, both classes", "those of the example's class"),
    "stump, nominal": (
        "the other class's counts of the row's values",
        "the class's counts, x log x of it and of the leaf, the gain of every column",
    ),
    "Hoeffding tree": ("as Gaussian naive Bayes, in one leaf of each tree", "likewise, in that leaf"),
}


def touch_table() -> Table:
    table = Table(
        "What an example must touch",
        ["bank", "read to ask", "updated to teach"],
        note="Each per column and lane (tree), 8 bytes a number. The answer decides the weight, so teaching is a second pass.",
    )
    for bank, (read, updated) in TOUCHED.items():
        table.add(bank, read, updated)
    return table


@dataclass
class Bank:
    """One bank: what an example must touch, the bare kernel and the product."""

    name: str
    learner: str
    stream: Stream
    state: float  # bytes
    read: float  # bytes per example
    updated: float
    operations: float
    kernels: dict[str, Kernel]
    product: Steady
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def kernel_rate(self, name: str) -> float:
        return len(self.stream.y) / min(self.seconds[name])

    @property
    def best_kernel(self) -> float:
        return max(self.kernel_rate(name) for name in self.kernels)

    @property
    def rate(self) -> float:
        return 1e9 / self.product.cost


def banks(limits: Limits) -> list[Bank]:
    numbers, codes, plane = make("gaussians", ROWS), make("nominal", ROWS), make("hyperplane", ROWS)
    d = numbers.X.shape[1]
    values = codes.n_values or 1
    row = 8.0 * d * LANES  # one array over columns and lanes

    def product(learner: str, stream: Stream) -> Steady:
        made = Steady(learner, N, build("osboost", learner, stream, n_estimators=N), stream, warm_rows=ROWS)
        made.prepare()
        return made

    tree = product("hoeffding-tree", numbers)
    shape_of_trees(tree, N)
    leaves = max(1.0, tree.seen["leaves"])
    depth = max(1, round(math.log2(leaves)))
    cell = 8.0 * d * N  # one array over the columns of the one leaf of every tree
    linear = {name: limits.linear(plane, name) for name in KERNELS}
    weights = 8.0 * (d + 1) * LANES
    return [
        Bank("linear", "perceptron", plane, weights, weights, 2 * weights, 4.0 * (d + 1) * LANES, linear,
             product("perceptron", plane)),
        Bank("naive Bayes, Gaussian", "naive-bayes", numbers, 6 * row, 4 * row, 6 * row, (2 * 4 + 8) * row / 8,
             {"gaussian": limits.gaussian(numbers)}, product("naive-bayes", numbers)),
        Bank("naive Bayes, nominal", "naive-bayes", codes, 2 * values * row, 2 * row, 2 * row, 3 * row / 8,
             {"nominal": limits.nominal(codes)}, product("naive-bayes", codes)),
        Bank("stump, nominal", "stump", codes, (5 * values + 1) * row, row, 8 * row, 8 * row / 8,
             {"stump": limits.stump(codes)}, product("stump", codes)),
        Bank(f"Hoeffding tree, {leaves:.0f} leaves", "hoeffding-tree", numbers, leaves * 6 * cell, 4 * cell, 6 * cell,
             (2 * 4 + 8) * cell / 8, {"tree": limits.tree(numbers, N, depth)}, tree),
    ]  # fmt: skip


def measure(found: list[Bank], rounds: int) -> None:
    """Kernels and products in turn; the first pass of a kernel warms it up."""
    for bank in found:
        bank.seconds = {name: [] for name in bank.kernels}
    for step in range(rounds + 1):
        gc.collect()
        gc.disable()
        for bank in found:
            for name, kernel in bank.kernels.items():
                spent = kernel()
                if step:
                    bank.seconds[name].append(spent)
            bank.product.nanoseconds.append(bank.product.feed(bank.product.block) / bank.product.block * 1e9)
        gc.enable()


def machine_table(limits: Limits) -> Table:
    table = Table(
        "What the machine can do",
        ["working set", "read GB/s", "update GB/s"],
        note=f"One thread. Multiply-adds: {limits.multiply_speed() / 1e9:.1f} billion double operations per second. An updated"
        " byte is counted twice, once read, once written.",
    )
    for kilobytes in (16, 128, 512, 4_096, 65_536):
        read, update = limits.read_speed(kilobytes << 10), limits.update_speed(kilobytes << 10)
        table.add(f"{kilobytes:,} kB", f"{read / 1e9:.1f}", f"{update / 1e9:.1f}")
    return table


def bank_table(found: list[Bank], limits: Limits) -> Table:
    columns = ["bank", "state kB", "read kB", "updated kB", "thousand operations", "limit by memory"]
    columns += ["limit by arithmetic", "bare kernel", "ours", "of the kernel", "of the nearer limit"]
    table = Table("Each bank", columns, note=NOTE)
    flops = limits.multiply_speed()
    for bank in found:
        size = int(bank.state)
        seconds = bank.read / limits.read_speed(size) + bank.updated / limits.update_speed(size)
        by_memory, by_arithmetic = 1 / seconds, flops / bank.operations
        touched = [f"{v / 1000:.1f}" for v in (bank.state, bank.read, bank.updated, bank.operations)]
        rates = [f"{v:,.0f}" for v in (by_memory, by_arithmetic, bank.best_kernel, bank.rate)]
        share, whole = bank.rate / bank.best_kernel, bank.rate / min(by_memory, by_arithmetic)
        table.add(bank.name, *touched, *rates, f"{share:.0%}", f"{whole:.0%}")
    return table


def booster_tables(limits: Limits, linear: Bank, bayes: Bank, rounds: int) -> tuple[list[Table], float]:
    """What a booster adds to the passes over the weights: no product can leave that out; and the rate with smooth weights."""
    stream = linear.stream

    def steady(ensemble: str, bank: Bank, n: int) -> Steady:
        made = build(ensemble, bank.learner, bank.stream, n_estimators=n)
        return Steady(bank.learner, n, made, bank.stream, warm_rows=ROWS)

    oza, alone, over_bayes = (
        steady("oza-boost", linear, N),
        steady("osboost", linear, 1),
        steady("oza-boost", bayes, N),
    )
    kernels = {name: limits.boosted(stream, name) for name in ("smooth", "oza", "drawn", "chain")}
    seconds: dict[str, list[float]] = {name: [] for name in kernels}
    first: list[float] = []  # the rows of the race, by a model that has learned nothing
    for case in (oza, alone, over_bayes):
        case.prepare()
    for step in range(rounds + 1):
        for name, kernel in kernels.items():
            spent = kernel()
            if step:
                seconds[name].append(spent)
        for case in (oza, alone, over_bayes):
            case.nanoseconds.append(case.feed(case.block) / case.block * 1e9)
        first.append(steady("oza-boost", bayes, N).feed(ROWS) / ROWS * 1e9)
    bare = {name: min(all_) / len(stream.y) * 1e9 for name, all_ in seconds.items()}
    passes = 1e9 / linear.best_kernel
    table = Table(
        "What a booster adds",
        ["100 perceptrons, 20 columns", "ns per example", "share of it that ours reaches"],
        note="The bare kernels have no statistics for the report and no check of the input, and but for the last no draws and no"
        " votes of the whole."
        " Smooth boosting asks of every lane a root, a division, a sum that waits for the lane before, and an exponential."
        " In Oza's boosting the weight waits in every lane for a division, and where the lane is wrong for the exponential"
        " that its number of copies begins with: no wider register makes that chain shorter; and nobody can foretell who is"
        " wrong and how many copies there will be. A booster whose row must take the time of the second line cannot reach"
        f" {SHARE:.0%} of the faster plain passes, and Oza's cannot take less than its last bare line."
        " One perceptron: what a row costs before there are lanes to ask. MOA: of bench-peers.",
    )
    table.add("the two passes over the weights", f"{passes:.0f}", f"{passes / linear.product.cost:.0%}")
    table.add(
        "... and the weights of smooth boosting",
        f"{bare['smooth']:.0f}",
        f"{bare['smooth'] / linear.product.cost:.0%}",
    )
    table.add("osboost + perceptron", f"{linear.product.cost:.0f}", "")
    table.add("osboost + one perceptron", f"{alone.cost:.0f}", "")
    table.add("the chain of Oza's boosting alone", f"{bare['chain']:.0f}", f"{bare['chain'] / oza.cost:.0%}")
    table.add(
        "... with the two passes and its exponentials", f"{bare['oza']:.0f}", f"{bare['oza'] / oza.cost:.0%}"
    )
    table.add(
        "... and its draws, copies and votes", f"{bare['drawn']:.0f}", f"{bare['drawn'] / oza.cost:.0%}"
    )
    table.add("oza-boost + perceptron", f"{oza.cost:.0f}", "")
    table.add(f"{SHARE:.0%} of the faster kernel's speed would be", f"{passes / SHARE:.0f}", "")
    against_moa(table, TIMES_MOA, "OzaBoost + Perceptron", stream)
    under_oza = Table(
        "Naive Bayes under Oza's boosting",
        ["100 Gaussian naive Bayes, 20 columns", "ns per example", "share of it that ours reaches"],
        note="The second line: what the table above has beyond the passes over the weights. A product cannot take less than both."
        " Beyond them a lane that is wrong and has copies to learn is asked how it would then answer: a pass over its own"
        f" columns, lane after lane. The first {ROWS:,} rows of a new model, which is what the race beside MOA has, cost more:"
        " more lanes are wrong, a bound tells less often that they stay so, and weights are large enough for draws by rejection.",
    )
    tables = 1e9 / bayes.best_kernel
    for name, cost in (
        ("the two passes over the tables", tables),
        ("... and the chain of Oza's boosting, its draws, copies and votes", tables + bare["drawn"] - passes),
    ):
        under_oza.add(name, f"{cost:.0f}", f"{cost / over_bayes.cost:.0%}")
    under_oza.add("osboost + naive Bayes", f"{bayes.product.cost:.0f}", "")
    under_oza.add("oza-boost + naive Bayes", f"{over_bayes.cost:.0f}", "")
    under_oza.add(f"... the first {ROWS:,} rows of a new model", f"{min(first):.0f}", "")
    against_moa(under_oza, TIMES_MOA_BAYES, "OzaBoost + NaiveBayes", bayes.stream)
    return [table, under_oza], 1e9 / bare["smooth"]


def against_moa(table: Table, times: int, entry: str, stream: Stream) -> None:
    """A line of the time per row that would be so many times as fast as MOA with as many learners, as bench-peers has it."""
    with (pages.RESULTS / "bench-peers.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["entry"], row["stream"], row["n"]) == (entry, stream.name, str(N)):
                moa = float(row["examples_per_s_thread_cpu"])
                table.add(
                    f"{times} times as fast as MOA's OzaBoost would be", f"{1e9 / (times * moa):.0f}", ""
                )


def goal_table(found: list[Bank], smooth: float) -> Table:
    table = Table("Goal", ["what", "goal", "measured", "reached"])
    linear = found[0]
    rates = {f"{name} kernel": linear.kernel_rate(name) for name in linear.kernels}
    for name, rate in (rates | {"kernel that also weighs the example": smooth}).items():
        share = linear.rate / rate
        reached = "yes" if share >= SHARE else "no"
        table.add(f"osboost + perceptron, share of the {name}", f">= {SHARE:.0%}", f"{share:.1%}", reached)
    return table


def entries(rows: int) -> dict[str, Entry]:
    """The linear kernels as entries of the interleaved run of all ensembles and learners."""
    limits, stream = Limits(), make("hyperplane", rows)

    def entry(name: str) -> Entry:
        kernel = limits.linear(stream, name)

        def pass_over(watch: Stopwatch) -> float:
            watch.thread = kernel()
            return float("nan")

        return Entry(f"roofline, {name}", rows, pass_over)

    return {name: entry(name) for name in KERNELS}


def main() -> None:
    options = pages.parser("speed.roofline", __doc__).parse_args()
    page = pages.Page("roofline", "How near the limit", options)
    rounds = 2 if options.quick else 9
    page.preface.append(
        f"- Measure: CPU time of one thread, best of {rounds} rounds, kernels and products in turn; every option at its default"
    )
    limits = Limits()
    found = banks(limits)
    measure(found, rounds)
    added, smooth = booster_tables(limits, found[0], found[1], rounds)
    for table in (
        goal_table(found, smooth),
        bank_table(found, limits),
        *added,
        touch_table(),
        machine_table(limits),
    ):
        page.add(table)
    page.write()


if __name__ == "__main__":
    main()
