"""Promises about the text of the repository."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = set(".py .pyi .md .toml .txt .hpp .cpp .json .yaml .yml .cfg .ini .csv .sh".split()) | {""}
SKIP = {".git", ".venv", "build", "dist", "demo", "_build", "__pycache__"}


def tracked() -> list[Path]:
    """The files of the repository; where git knows nothing (an archive), those that look like ours."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
        paths = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        paths = [p for p in ROOT.rglob("*") if not SKIP & set(p.relative_to(ROOT).parts)]
    return [p for p in paths if p.is_file() and p.suffix in TEXT and "cache" not in str(p.relative_to(ROOT))]


def test_no_path_of_one_machine():
    # Written so that this file does not match itself.
    pattern = re.compile(
        r"(?<![\w.$}*-])/(?:root|home|work|tmp|opt|Users)/\w|file:/{3}\w|\b(?:10|192\.168)(?:\.\d+){2,3}\b"
    )
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in tracked()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_scripts_of_the_repository_are_executable():
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_changelog_keeps_its_form():
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    assert lines[0] == "# Changelog"
    headings = [line for line in lines if line.startswith("## ")]
    assert headings[0] == "## [Unreleased]"
    for heading in headings[1:]:
        assert re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", heading), heading
    kinds = {line[4:] for line in lines if line.startswith("### ")}
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_version_is_written_once():
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert version
    written = [
        path.name
        for path in (ROOT / "src").rglob("*.py")
        if re.search(rf"""__version__\s*=\s*["']{re.escape(version[1])}""", path.read_text())
    ]
    assert not written
    # Where a reader looks for it: the citation and the newest section of the changelog say the same.
    citation = (ROOT / "CITATION.cff").read_text()
    changes = re.search(r"^## \[(\d.*?)\] - (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert changes
    assert changes[1] == version[1] == re.search(r"^version: (.*)$", citation, re.M)[1]
    assert changes[2] == re.search(r"^date-released: (.*)$", citation, re.M)[1]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_inside_the_repository_exist(name):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / name).read_text()):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_make_targets_named_in_the_docs_exist():
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        if "_build" in path.parts:
            continue
        named = set(re.findall(r"`make ([a-z0-9-]+)", path.read_text())) | set(
            re.findall(r"^make ([a-z0-9-]+)", path.read_text(), re.M)
        )
        assert named <= targets, f"{path.name}: {sorted(named - targets)}"


def test_wheels_are_built_for_every_python_that_is_promised():
    text = (ROOT / "pyproject.toml").read_text()
    promised = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', text)
    built = re.search(r"^\[tool\.cibuildwheel\]\nbuild = (\[.*\])$", text, re.M)
    assert built
    assert re.findall(r'"cp3(\d+)-\*"', built[1]) == promised
    oldest = re.search(r'^requires-python = ">=3\.(\d+)"$', text, re.M)
    assert oldest
    assert promised[0] == oldest[1]
    tested = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert f'"3.{promised[0]}"' in tested
    assert f'"3.{promised[-1]}"' in tested


def test_the_whole_run_begins_with_the_tests_and_names_targets_that_exist():
    steps = re.findall(r"^step make ([a-z-]+)", (ROOT / ".ci" / "run").read_text(), re.M)
    assert steps[0] == "test"
    assert {"lint", "docs", "asan", "asan-python", "wheel"} <= set(steps)
    makefile = (ROOT / "Makefile").read_text()
    assert set(steps) <= set(re.findall(r"^([a-z-]+):", makefile, re.M))
    assert "doctest" in re.search(r"^test: (.*?)  ##", makefile, re.M)[1].split()
