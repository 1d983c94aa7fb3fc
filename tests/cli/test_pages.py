"""The commands on the pages of the documentation: they are run, on files of the names that the pages use."""

import glob
import random
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from streamboost.base.parameter import parameters_of
from streamboost.cli import app
from streamboost.models import ALL_LEARNERS, ALL_MODELS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not {"_build", "results"} & set(page.parts)
]

NOT_RUN = {
    "serve": "runs until it is stopped, and Kafka and Redis are other machines: tests/service starts services",
    "client": "needs a service: tests/service/test_client_and_cli.py runs these lines",
    "token": "as client",
    "log": "as client",
    "rollback": "as client",
    "run data.csv --shards 2 --engine ray": "needs Ray: tests/distributed/test_ray.py",
    "reproduce": "needs the papers' data and minutes: tests/reproduce",
    "datasets german": "needs the file or the network: tests/unit/test_datasets.py",
    "compare german-credit": "needs the files; the other lines with compare have its options",
}
"""Commands by their first words, and why they are not run here."""


def blocks(page: Path) -> str:
    """The shell blocks of a page, a command on each line."""
    found = re.findall(r"^```(?:console|bash|sh)\n(.*?)^```", page.read_text(), re.S | re.M)
    return "\n".join(found).replace("\\\n", " ")


def commands(text: str) -> list[str]:
    """The words after `streamboost` of every command in a text, comments left out."""
    lines = [line.removeprefix("$ ").partition("  #")[0] for line in text.splitlines()]
    parts = [part.strip() for line in lines for part in re.split(r" \| |; | && ", line)]
    return [part.removeprefix("streamboost ") for part in parts if part.startswith("streamboost ")]


def inline(page: Path) -> list[str]:
    """The commands in the sentences of a page."""
    return [
        words for words in re.findall(r"`streamboost ([a-z][^`\n]*)`", page.read_text()) if "..." not in words
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_have_the_options_that_pages_name(page):
    known_names = {
        name for cls in (*ALL_MODELS.values(), *ALL_LEARNERS.values()) for name in parameters_of(cls)
    }
    flags = {f"--{no}{name.replace('_', '-')}" for name in known_names for no in ("", "no-")}
    for line in [*commands(blocks(page)), *inline(page)]:
        words = shlex.split(line)
        command = get_command(app)
        while words and hasattr(command, "commands") and not words[0].startswith("-"):
            assert words[0] in command.commands, line
            command = command.commands[words.pop(0)]
        known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)} | {"--help"}
        for word in (word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)):
            assert word in known or word in flags, f"{line}: there is no {word}"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with the files that pages speak of."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)
    rows = [(draw.random(), draw.random(), draw.choice(["cook", "clerk"])) for _ in range(13000)]

    def table(name, n_rows):
        lines = [f"{a:.3f},{b:.3f},{job},{'good' if a + b > 1 else 'bad'}" for a, b, job in rows[:n_rows]]
        Path(name).write_text("\n".join(["a,b,job,class", *lines]) + "\n")

    for name in ("a", "b", "train", "new", "today", "more"):
        table(f"{name}.csv", 300)
    table("data.csv", 13000)
    prices = [f"{a:.3f},{b:.3f},{100 * a + 50 * b:.1f},{job}" for a, b, job in rows[:300]]
    Path("house-prices.csv").write_text("\n".join(["rooms,size,price,town", *prices]) + "\n")
    texts = [
        f'"{" ".join(draw.choices(["free", "prize", "you", "see", "now"], k=6))} {i}",{"hs"[i % 2]}'
        for i in range(300)
    ]
    Path("messages.csv").write_text("\n".join(["text,label", *texts]) + "\n")
    songs = [
        f"{a:.3f},{int(a < 0.4)},{int(b > 0.5)},{int(a < b)},{int(a > b)},{int(a < 0.2)}"
        for a, b, _ in rows[:300]
    ]
    for name in ("songs.csv", "more-songs.csv"):
        Path(name).write_text("\n".join(["tempo,calm,happy,sad,label:loud,label:old", *songs]) + "\n")
    words = [f"{1 if i % 3 else -1} |f {'good' if i % 3 else 'bad'} w{i % 5}:0.5" for i in range(60)]
    for name in ("train.vw", "new.vw"):
        Path(name).write_text("\n".join(words) + "\n")
    return tmp_path


def standard_input(words: list[str]) -> bytes | None:
    """What a command reads from standard input, if it does."""
    if "-" not in words:
        return None
    if "csv" in words:
        return Path("more.csv").read_bytes()
    return b'{"a": 0.3, "b": 0.9, "job": "cook", "class": "good"}\n' * 20


SMALL = {
    "run": ["--limit", "2000"],
    "compare": ["--limit", "200", "--jobs", "1", "--orders", "1"],
    "tune": ["--limit", "200", "--jobs", "1", "--seeds", "1"],
}
"""Options of the tests, after those of a page: what costs time is less."""


def why_not(line: str) -> str | None:
    return next((why for start, why in NOT_RUN.items() if line.startswith(start)), None)


RUN = {page: [line for line in commands(blocks(page)) if not why_not(line)] for page in PAGES}


@pytest.mark.parametrize("page", [page for page in PAGES if RUN[page]], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, files, run):
    """In the order of the page: what one has saved, the next one reads."""
    for line in dict.fromkeys(RUN[page]):
        words = [
            name
            for word in shlex.split(line)
            for name in (sorted(glob.glob(word)) if "*" in word else []) or [word]
        ]
        run(*words, *SMALL.get(words[0], []), input=standard_input(words))


def test_what_is_not_run_is_on_a_page():
    every = [line for page in PAGES for line in commands(blocks(page))]
    assert [start for start in NOT_RUN if not any(line.startswith(start) for line in every)] == []
    assert sum(map(len, RUN.values())) >= 38
