"""Raw files of words by the command line: kinds are guessed and said, models go on, answers are explained."""

from __future__ import annotations

import csv

import numpy as np
import pytest

WORDS = "free prize call now see you at home later ok money win stop".split()


@pytest.fixture
def messages(tmp_path):
    """A file of messages with who sent them; free ones are spam."""
    rng = np.random.default_rng(2)
    path = tmp_path / "messages.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "sender", "size", "label"])
        for i in range(600):
            text = " ".join(rng.choice(WORDS, 5)) + f" {i}"
            writer.writerow(
                [text, f"s{int(rng.random() ** 2 * 500)}", i % 9, "spam" if "free" in text else "ham"]
            )
    return path


def test_raw_files_from_the_first_row_to_an_explanation(run, messages, tmp_path):
    found = run("run", messages, "--save", tmp_path / "m.sboost", "-n", "5")
    said = found.stderr + found.stdout
    assert "column 'text' is read as text" in said
    assert "column 'sender' is read as identifiers" in said
    run("learn", tmp_path / "m.sboost", messages)
    run("predict", tmp_path / "m.sboost", messages, "--out", tmp_path / "answers.csv")
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 601
    told = run("explain", tmp_path / "m.sboost", messages).stdout
    assert "text: free" in told


def test_kinds_may_be_said(run, messages):
    said = run("run", messages, "--id", "text", "--nominal", "sender", "-n", "3")
    assert "read as text" not in said.stderr + said.stdout
    run("run", messages, "--text", "sender", "-n", "3")


@pytest.mark.parametrize(
    ("cell", "fine"),
    [
        (b"\xff\xfe not utf-8", False),
        (b"x" * 10_000_000, True),
        (b"\x01\x02\x7f control", True),
        (b"", True),
        (b" ".join(b"%d" % i for i in range(1_000_000)), True),
    ],
    ids=["not-utf-8", "10-MB", "control", "empty", "a-million-words"],
)
def test_odd_texts_have_one_clear_answer(run, fails, messages, tmp_path, cell, fine):
    path = tmp_path / "odd.csv"
    path.write_bytes(messages.read_bytes() + b'"' + cell + b'",s1,3,spam\n')
    if fine:
        assert "601" in run("run", path, "-n", "2").stdout
    else:
        assert "utf-8" in fails("run", path, "-n", "2").lower()
