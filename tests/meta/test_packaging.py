"""What says a second time what pyproject.toml says: the conda recipe, the container file, the wheels' workflow."""

import re
import sys
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RECIPE = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # without the windows of its Qt


def for_conda(requirement):
    name, bound = re.fullmatch(r"([\w-]+)(>=[\d.]+)", requirement).groups()
    return f"{CONDA_NAMES.get(name, name)} {bound}"


def test_the_conda_recipe_asks_for_what_the_project_asks_for():
    project, requirements = PROJECT["project"], RECIPE["requirements"]
    assert RECIPE["context"]["version"] == project["version"]
    assert RECIPE["about"]["license"] == project["license"]
    assert (ROOT / RECIPE["about"]["license_file"]).exists()
    assert set(requirements["run"]) == {"python", *map(for_conda, project["dependencies"])}
    assert set(requirements["host"]) == {
        "python",
        "pip",
        *map(for_conda, PROJECT["build-system"]["requires"]),
    }


def test_the_container_runs_the_service_as_an_ordinary_user_with_its_folder_in_a_volume():
    lines = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text()).splitlines()
    last = lines[max(k for k, line in enumerate(lines) if line.startswith("FROM ")) :]
    said = {line.partition(" ")[0]: line.partition(" ")[2] for line in last if line and line[0] != "#"}
    assert said["USER"] not in ("root", "0")
    assert f"install -d -o {said['USER']} {said['VOLUME']}" in said["RUN"]
    assert said["VOLUME"] in said["CMD"]
    assert said["EXPOSE"] in said["HEALTHCHECK"]
    extras = re.search(r"\.whl\)\[([\w,]+)\]", said["RUN"])[1].split(",")
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])
    assert not [line for line in last if "g++" in line]


def test_wheels_are_built_on_every_system_that_the_page_names():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())
    rows = workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    built = [(row["os"].partition("-")[0], row["arch"]) for row in rows]
    assert sorted(built) == [
        ("macos", "arm64"),
        ("macos", "x86_64"),
        ("ubuntu", "aarch64"),
        ("ubuntu", "x86_64"),
        ("windows", "AMD64"),
    ]


def test_make_knows_every_preset_of_another_compiler_or_system():
    makefile = (ROOT / "Makefile").read_text()
    presets = yaml.safe_load((ROOT / "CMakePresets.json").read_text())
    named = [preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")]
    assert [preset["name"] for preset in presets["buildPresets"]] == named
    tested = [preset["name"] for preset in presets["testPresets"]]
    # Those for macOS are compiled and linked: nothing here runs them.
    assert tested == [name for name in named if not name.startswith("macos")]
    for name in named:
        assert f"--preset {name} " in makefile or re.search(
            rf"^([\w-]+ )*{name}( [\w-]+)*: \|", makefile, re.M
        ), name


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_and_files_that_are_there(path):
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    for name, job in yaml.safe_load(path.read_text())["jobs"].items():
        targets = job.get("strategy", {}).get("matrix", {}).get("target", [])
        assert set(targets) <= set(phony)
        for step in job["steps"]:
            run = step.get("run", "")
            called = re.findall(r"\bmake ([\w-]+)", run)
            assert set(called) <= set(phony), f"{name}: make {called}"
            for file in re.findall(r"\$GITHUB_WORKSPACE/([\w./-]+)", run):
                assert (ROOT / file).is_file(), f"{name}: {file}"
            # A step for some targets of the matrix names targets of the matrix.
            assert set(re.findall(r'"([\w-]+)"', step.get("if", ""))) <= set(targets)


def test_one_action_has_one_version_in_all_workflows():
    used = re.findall(r"uses: (\S+)@(\S+)", "".join(path.read_text() for path in WORKFLOWS))
    versions = dict(used)
    assert all(versions[action] == version for action, version in used)
    assert all(re.fullmatch(r"v\d+(\.\d+)*", version) for version in versions.values())
