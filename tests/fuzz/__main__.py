"""``python -m tests.fuzz``: all fuzzers for a while, counts printed."""

from __future__ import annotations

import argparse
import itertools
import sys

from tests.fuzz import Failure, fuzzers, run


def main() -> int:
    """Run the fuzzers that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(fuzzers())}; all if none")
    parser.add_argument("--seconds", type=float, default=60, help="for each fuzzer (default 60)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="this case alone")
    options = parser.parse_args()
    bad = 0
    for name in options.names or fuzzers():
        cases = itertools.count(options.first) if options.only is None else [options.only]
        try:
            seen = run(fuzzers()[name](), cases, options.seconds)
        except Failure as failure:
            print(f"FAILED  {failure}")
            bad += 1
            continue
        print(
            f"{name}: {sum(seen.values())} cases: "
            + ", ".join(f"{n} {word}" for word, n in sorted(seen.items()))
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
