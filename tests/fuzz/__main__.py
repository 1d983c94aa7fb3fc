"""``python -m tests.fuzz``: all fuzzers for a while, counts printed, and as a page with ``--out``."""

from __future__ import annotations

import argparse
import itertools
import platform
import sys
from collections import Counter
from pathlib import Path

import streamboost
from tests.fuzz import Failure, fuzzers, run


def main() -> int:
    """Run the fuzzers that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(fuzzers())}; all if none")
    parser.add_argument("--seconds", type=float, default=60, help="for each fuzzer (default 60)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="this case alone")
    parser.add_argument("--out", type=Path, help="a page of the counts")
    options = parser.parse_args()
    found: dict[str, Counter[str]] = {}
    bad = 0
    for name in options.names or fuzzers():
        cases = itertools.count(options.first) if options.only is None else [options.only]
        try:
            seen = found[name] = run(fuzzers()[name](), cases, options.seconds)
        except Failure as failure:
            print(f"FAILED  {failure}")
            bad += 1
            continue
        print(f"{name}: {sum(seen.values())} cases: {_counts(seen)}")
    if options.out is not None and not bad:
        options.out.write_text(_page(found, options.first))
    return 1 if bad else 0


def _counts(seen: Counter[str]) -> str:
    return ", ".join(f"{n:,} {word}" for word, n in sorted(seen.items()))


def _page(found: dict[str, Counter[str]], first: int) -> str:
    """The counts with the command that prints them."""
    lines = [
        "# Random attacks",
        "",
        f"`python -m tests.fuzz {' '.join(sys.argv[1:])}`, streamboost {streamboost.__version__}, Python "
        f"{platform.python_version()}, {platform.system()} on {platform.machine()}. The seed of a case is its number; `python -m",
        "tests.fuzz NAME --only NUMBER` makes it again. A case that ends in any other way than these stops the run; none did.",
        "",
        "| attack | what is tried | cases | how they ended |",
        "|---|---|---:|---|",
    ]
    for name, seen in found.items():
        what = (sys.modules[fuzzers()[name].__module__].__doc__ or "").split("\n\n")[0]
        total = sum(seen.values())
        text = " ".join(what.split())
        lines.append(
            f"| {name} | {text} | {total:,} (numbers {first:,} to {first + total - 1:,}) | {_counts(seen)} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
