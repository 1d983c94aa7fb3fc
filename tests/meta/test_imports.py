"""`import streamboost` is light: heavy packages come in with the first thing that needs them."""

import json
import subprocess
import sys
from typing import Any

import pytest

PROBE = """
import json, sys, time
start = time.process_time()
import streamboost
cost = time.process_time() - start
print(json.dumps({"cost": cost, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


def probe(code: str = PROBE, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def modules() -> list[str]:
    return probe()["modules"]


@pytest.mark.parametrize(
    "package",
    ["sklearn", "matplotlib", "typer", "rich", "pandas", "polars", "pyarrow", "river", "scipy", "narwhals"],
)
def test_import_leaves_heavy_packages_alone(package, modules):
    assert package not in modules


def test_import_time():
    # CPU time, best of three: a busy machine must not turn this red.
    assert min(probe()["cost"] for _ in range(3)) < 0.25


RUN = """
import json, sys
from streamboost.cli import app
sys.stdout = sys.stderr
try:
    app(sys.argv[1:], prog_name="streamboost")
except SystemExit as end:
    sys.stdout = sys.__stdout__
    print(json.dumps({"code": end.code, "modules": sorted(sys.modules)}))
"""


def modules_of_command(*arguments: str) -> set[str]:
    """The modules that the command line has loaded when it ends."""
    found = probe(RUN, *arguments)
    assert not found["code"]
    return set(found["modules"])


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["run", "--help"], ["compare", "-h"], ["demo", "-h"]]
)
def test_help_loads_nothing_that_learns_reads_or_draws(arguments):
    loaded = modules_of_command(*arguments)
    heavy = {
        "numpy",
        "scipy",
        "sklearn",
        "pandas",
        "matplotlib",
        "polars",
        "pyarrow",
        "narwhals",
        "river",
        "joblib",
    }
    assert not heavy & {name.partition(".")[0] for name in loaded}
    # Beside the parser of arguments and its printer of tables: the package, its two tables, its command line.
    ours = {name for name in loaded if name.startswith("streamboost.")} - {
        "streamboost.catalogue",
        "streamboost.reading",
    }
    assert all(name.startswith("streamboost.cli") for name in ours)
    assert len(ours) <= 13


def test_run_loads_little(tmp_path):
    """Of scikit-learn the base classes and what they really need; beside that only our own."""
    (tmp_path / "data.csv").write_text("a,b,y\n" + "1,2,p\n2,1,q\n" * 10)
    loaded = modules_of_command("run", str(tmp_path / "data.csv"))
    unneeded = {"scipy.stats", "scipy.optimize", "pandas", "matplotlib", "polars", "river"}
    assert not (unneeded | {"numpy.f2py.crackfortran", "numpy.testing._private.utils"}) & loaded
    light = "from streamboost.base.lazy_imports import import_sklearn; import_sklearn()"
    base = set(probe(f"import json, sys; {light}; print(json.dumps(sorted(sys.modules)))"))
    added = [name.partition(".")[0] for name in loaded - base]
    heavy = ["sklearn", "scipy", "pyarrow", "joblib", "numpy"]
    assert [name for name in heavy if added.count(name) > 3] == []
    # With all that scikit-learn imports there are hundreds more. typer looks at pydantic where that is installed.
    assert len([name for name in loaded if not name.startswith("pydantic")]) < 1120


def test_what_was_postponed_is_there_when_it_is_asked_for():
    probe(
        """
import sys
from streamboost.base.lazy_imports import import_sklearn
import_sklearn()
assert not {"scipy.stats", "pandas"} & set(sys.modules)
from sklearn.utils import fixes
assert fixes.scipy.stats.norm.cdf(0.0) == 0.5
import scipy.stats, pandas
assert type(scipy.stats) is type(sys) and scipy.stats.norm.cdf(0.0) == 0.5
from sklearn.utils.validation import check_array
assert check_array(pandas.DataFrame({"a": [1.0, 2.0]})).shape == (2, 1)
assert fixes.pd.DataFrame is pandas.DataFrame
import numpy
assert numpy.testing.assert_allclose(1.0, 1.0) is None
assert numpy.f2py.get_include().endswith("src")
import numpy.testing, numpy.f2py
assert type(numpy.f2py) is type(sys) and type(numpy.testing) is type(sys)
print("true")
"""
    )


def test_warnings_are_not_raised_on_import():
    subprocess.run(
        [sys.executable, "-W", "error", "-c", "import streamboost; streamboost.__all__"], check=True
    )
