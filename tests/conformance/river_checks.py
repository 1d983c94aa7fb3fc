"""River's own checks, run over an adapter of ours."""

import warnings

from river import checks


def passed_checks(adapter):
    """Run every check that River has for the adapter, and return their number."""
    n = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check in checks.yield_checks(adapter):
            assert check.__name__ not in adapter._unit_test_skips()
            check(adapter.clone())
            n += 1
    return n
