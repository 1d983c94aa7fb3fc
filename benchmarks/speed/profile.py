"""``python -m benchmarks.speed.profile``: where the time goes, function by function (needs ``perf`` and a compiler).

The core of the last `make build`, as it is shipped, learns a generated stream of 20 columns with 100 learners.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks import pages
from benchmarks.tables import Table

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
FLAGS = ("-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi")
# booster, learner of the core, rows, values of a column (0: numbers)
MODELS = (
    ("osboost", "linear", 200_000, 0),
    ("osboost", "logistic", 100_000, 0),
    ("oza", "linear", 100_000, 0),
    ("osboost", "naive_bayes", 60_000, 0),
    ("oza", "naive_bayes", 40_000, 0),
    ("osboost", "naive_bayes", 60_000, 5),
    ("oza", "hoeffding", 20_000, 0),
    ("oza", "hoeffding", 20_000, 5),
)


def compile_driver(folder: Path) -> Path:
    """The program that perf watches."""
    built = sorted(BUILD.glob("core/libstreamboost_core.a"))
    if not built:
        raise SystemExit("There is no built core: run `make build` first.")
    driver = folder / "profile"
    source = Path(__file__).with_suffix(".cpp")
    command = [
        "c++",
        *FLAGS,
        f"-I{ROOT / 'core/include'}",
        str(source),
        str(built[-1]),
        "-pthread",
        "-o",
        str(driver),
    ]
    subprocess.run(command, check=True)
    return driver


def shares(driver: Path, folder: Path, model: tuple[str, str, int, int]) -> list[tuple[str, float]]:
    """Functions of the core and their shares of the CPU time, largest first."""
    data = str(folder / "perf.data")
    run = [str(driver), *map(str, model)]
    subprocess.run(["perf", "record", "-q", "-o", data, *run], check=True, stdout=subprocess.DEVNULL)
    report = subprocess.run(
        ["perf", "report", "-i", data, "--stdio", "-q", "--sort", "symbol"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.findall(r"^\s*([\d.]+)%\s+\[\.\]\s+(\S.*?)(?:\s+-\s+-)?\s*$", report, re.M)
    ours = [(function, float(share)) for share, function in found if function.startswith("streamboost::")]
    whole = sum(share for _, share in ours)  # without the driver, which makes the stream
    return [
        (re.sub(r"streamboost::|\(anonymous namespace\)::", "", f), 100 * share / whole) for f, share in ours
    ]


def main() -> None:
    options = pages.parser("speed.profile", __doc__).parse_args()
    if shutil.which("perf") is None:
        raise SystemExit("This needs perf, the profiler of Linux.")
    page = pages.Page("bench-profile", "Where the time goes", options)
    page.preface.append(
        "- Measure: samples of perf over the learning of a stream; shares of the CPU time, above 3 %"
    )
    table = Table("Functions", ["model", "share of the time"])
    with tempfile.TemporaryDirectory() as name:
        driver = compile_driver(Path(name))
        for model in MODELS[:2] if options.quick else MODELS:
            booster, learner, _, n_values = model
            kind = " nominal" if n_values else ""
            top = [(function, share) for function, share in shares(driver, Path(name), model) if share > 3]
            table.add(f"{booster} + {learner}{kind}", ", ".join(f"{f} {share:.0f}%" for f, share in top))
            for function, share in top:
                page.record(
                    "profile", f"{booster} + {learner}{kind}: {function}", 100, "share", share / 100, "ratio"
                )
    table.note = (
        "Oza's boosting: learn_first is the weight that runs through the lanes one after another, one division each;"
        " poisson_* draw the copies. Trees and naive Bayes: teaching and asking are passes over their statistics, which"
        " the first cache does not hold."
    )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
