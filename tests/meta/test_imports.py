"""`import streamboost` is light: heavy packages come in with the first thing that needs them."""

import json
import subprocess
import sys

import pytest

PROBE = """
import json, sys, time
start = time.process_time()
import streamboost
cost = time.process_time() - start
print(json.dumps({"cost": cost, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


def probe(code: str = PROBE) -> dict:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
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
    # Half a second is what a user notices. CPU time, best of three: a busy machine must not turn this red.
    assert min(probe()["cost"] for _ in range(3)) < 0.5


def test_command_line_module_does_not_plot_or_learn_on_import():
    modules = probe(PROBE.replace("import streamboost\n", "import streamboost.cli\n"))["modules"]
    assert not {"matplotlib", "sklearn"} & set(modules)


def test_warnings_are_not_raised_on_import():
    subprocess.run(
        [sys.executable, "-W", "error", "-c", "import streamboost; streamboost.__all__"], check=True
    )
