"""The registry of data sets: its entries, where files are found, and fetching. No test here uses the network."""

import gzip
import hashlib
import io
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from streamboost.streams import (
    BUILTIN,
    DataError,
    Dataset,
    LibsvmStream,
    cache_folder,
    load,
    open_stream,
    registered,
)
from streamboost.streams.datasets.fetch import fetch
from streamboost.streams.datasets.registry import Recipe

DATA = os.environ.get("STREAMBOOST_DATA")
with_data = pytest.mark.skipif(not DATA, reason="STREAMBOOST_DATA names no folder")
LIBSVM = "+1 1:0.5 3:2\n-1 2:1\n+1 3:-1e-3\n"
TABLE = "size,bare,name-2,label\n1,,a b,yes\n2,x,c,no\n"


@pytest.fixture(autouse=True)
def _folders(tmp_path, monkeypatch):
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)
    monkeypatch.setenv("STREAMBOOST_CACHE", str(tmp_path / "cache"))


class Server:
    """Answers from a dict; remembers what it was asked."""

    def __init__(self, **files):
        self.files = files
        self.asked = []

    def __call__(self, url):
        self.asked.append(url)
        answer = self.files[url.rpartition("/")[2]]
        if isinstance(answer, Exception):
            raise answer
        body = io.BytesIO(answer)
        body.headers = {"Content-Length": str(len(answer))}
        return body


def entry(text, file, recipe, **facts):
    known = {
        "name": "tiny",
        "title": "",
        "task": "binary",
        "n_rows": 3,
        "n_features": 3,
        "n_classes": 2,
        "missing_cells": 0,
        "format": "libsvm",
        "label": "",
        "source": "https://example.org/tiny",
        "licence": "",
        "preprocessing": "",
        "n_bytes": 0,
        "sha256": "",
    }
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Dataset(**{**known, **facts}, file=file, content_sha256=digest, recipe=recipe)


def tiny(*names):
    urls = tuple(f"https://example.org/{name}" for name in names or ("tiny",))
    return entry(LIBSVM, "tiny.libsvm.gz", Recipe(urls=urls, convert="libsvm"))


def table(**options):
    columns = ("label", "-", "size", "bare", "name-2")
    recipe = Recipe(
        ("https://example.org/t",),
        "table",
        columns=columns,
        missing="?",
        labels={"+.": "yes", "-.": "no"},
        **options,
    )
    return entry(TABLE, "tiny.csv.gz", recipe, format="csv")


def test_entries_are_complete_and_plausible():
    assert len(registered()) == 29
    for name, known in registered().items():
        assert name == known.name
        # A built-in set of the same name would hide the entry.
        assert name not in BUILTIN
        assert re.fullmatch(r"[a-z0-9-]+", name)
        assert known.task == ("binary" if known.n_classes == 2 else "multiclass")
        assert known.n_classes >= 2
        assert known.file.endswith(f".{known.format}.gz")
        for text in (known.title, known.label, known.licence, known.preprocessing):
            assert text
        for digest in (known.sha256, known.content_sha256):
            assert re.fullmatch(r"[0-9a-f]{64}", digest)
        for url in (known.source, *(known.recipe.urls if known.recipe else ())):
            assert re.match(
                r"https://(www\.csie\.ntu\.edu\.tw|archive\.ics\.uci\.edu)/|http://groupware\.les\.inf", url
            )
    assert len({known.sha256 for known in registered().values()}) == 29


def test_recipes_fit_the_entries():
    for known in registered().values():
        recipe = known.recipe
        if recipe is None:
            continue
        assert recipe.convert == ("table" if known.format == "csv" else "libsvm")
        if recipe.convert == "table":
            kept = [name for name in recipe.columns if name not in ("-", "label", "spelled")]
            assert recipe.columns.count("label") == 1
            assert len(kept) + len(recipe.spelled) == known.n_features
            assert (recipe.missing is not None) == (known.missing_cells > 0)


def test_a_set_is_fetched_once_and_opened_by_name(monkeypatch):
    known = tiny("a", "b")
    server = Server(a=b"+1 1:0.5 3:2 \n-1 2:1\t\r\n\n", b=b"+1 3:-1e-3   ")
    seen = []
    path = fetch(known, opener=server, progress=lambda done, total: seen.append((done, total)))
    assert path == cache_folder() / "tiny.libsvm.gz"
    assert gzip.decompress(path.read_bytes()).decode() == LIBSVM
    assert server.asked == list(known.recipe.urls)
    assert seen == [(len(body),) * 2 for body in server.files.values()]
    assert [p.name for p in path.parent.iterdir()] == ["tiny.libsvm.gz"]
    assert fetch(known, opener=server) == path
    assert len(server.asked) == 2
    assert known.verify(path)
    monkeypatch.setattr("streamboost.streams.open.registered", lambda: {"tiny": known})
    stream = open_stream("tiny")
    assert isinstance(stream, LibsvmStream)
    assert stream.n_features == 3
    assert load("tiny", limit=2).y.tolist() == [1, -1]


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_becomes_a_csv(packed):
    raw = b"+., 17, 1, ?, a b\n\n-., 18, 2, x, c\n"
    path = fetch(table(), opener=Server(t=gzip.compress(raw) if packed else raw))
    assert gzip.decompress(path.read_bytes()).decode() == TABLE
    # The same content is the same file, whenever and wherever it was packed.
    first = path.read_bytes()
    path.unlink()
    assert fetch(table(), opener=Server(t=raw)).read_bytes() == first


def test_spelled_columns_and_blanks():
    recipe = Recipe(
        ("https://example.org/t",), "table", columns=("label", "spelled"), spelled=("a", "b"), delimiter=" "
    )
    known = entry("a,b,label\nx,y,+\n", "s.csv.gz", recipe, format="csv")
    assert gzip.decompress(fetch(known, opener=Server(t=b"+ \t xy \n")).read_bytes()) == b"a,b,label\nx,y,+\n"


class Cut(io.BytesIO):
    headers = {"Content-Length": "1000"}  # noqa: RUF012


@pytest.mark.parametrize(
    ("known", "opener", "message"),
    [
        (
            tiny(),
            Server(tiny=OSError("no route")),
            "tiny: could not fetch https://example.org/tiny: no route.",
        ),
        (tiny(), Server(tiny=b"+1 1:1\n"), "not the registered file (its checksum differs)"),
        (tiny(), lambda url: Cut(b"+1 1:1\n"), "it broke off after 7 of 1000 bytes"),
        (tiny(), Server(tiny=gzip.compress(LIBSVM.encode())[:-9]), "is damaged"),
        (tiny(), Server(tiny=b"\x1f\x8bnonsense"), "is damaged"),
        (tiny(), Server(tiny=b"\xff\xfe\x00"), "is damaged"),
        (table(), Server(t=b"+., 17, 1, ?\n"), "4 columns where 5 are expected"),
        (table(), Server(t=b"<html>not found</html>\n"), "is damaged"),
        (
            replace(tiny(), recipe=None),
            None,
            "cannot be fetched; get it from https://example.org/tiny and put",
        ),
    ],
)
def test_what_cannot_be_fetched_leaves_nothing(known, opener, message):
    with pytest.raises(DataError) as error:
        fetch(known, opener=opener)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not cache_folder().exists() or not list(cache_folder().iterdir())


def test_an_interrupted_fetch_leaves_nothing():
    with pytest.raises(KeyboardInterrupt):
        fetch(
            tiny(),
            opener=Server(tiny=LIBSVM.encode()),
            progress=lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
    assert not list(cache_folder().iterdir())


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STREAMBOOST_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match="cannot write to"):
        fetch(tiny(), opener=Server(tiny=LIBSVM.encode()))


def test_the_default_opener_reads_addresses(tmp_path):
    raw = tmp_path / "raw"
    raw.write_text(LIBSVM)
    known = tiny()
    here = replace(known, recipe=replace(known.recipe, urls=(raw.as_uri(),)))
    assert fetch(here).exists()
    gone = replace(known, file="gone.libsvm.gz", recipe=replace(known.recipe, urls=(raw.as_uri() + "x",)))
    with pytest.raises(DataError, match="could not fetch file:"):
        fetch(gone)


def test_the_data_folder_comes_before_the_cache(tmp_path, monkeypatch):
    known = tiny()
    assert known.path() is None
    cached = fetch(known, opener=Server(tiny=LIBSVM.encode()))
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("STREAMBOOST_DATA", str(folder))
    assert known.path() == cached
    (folder / "tiny.libsvm").write_text("1 1:1\n")
    assert known.path() == folder / "tiny.libsvm"
    assert not known.verify(folder / "tiny.libsvm")
    (folder / "tiny.libsvm").write_text(LIBSVM)
    assert known.verify(folder / "tiny.libsvm")
    assert not known.verify(folder / "absent")


def test_a_file_of_the_same_name_is_read_as_what_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("STREAMBOOST_DATA", str(tmp_path))
    (tmp_path / "german.libsvm.gz").write_bytes(gzip.compress(b"1 50:1\n2 1:1\n"))
    assert open_stream("german").n_features == 50


def test_sets_that_are_not_here():
    with pytest.raises(DataError) as error:
        open_stream("german")
    assert "`streamboost datasets german --fetch` fetches it, or put german.libsvm.gz into" in str(
        error.value
    )
    with pytest.raises(DataError, match=r"isolet: the file is not here; get it from https://archive"):
        open_stream("isolet")
    with pytest.raises(DataError, match="did you mean 'mushroom"):
        open_stream("mushrom")
    with pytest.raises(DataError, match="no such file or data set"):
        open_stream("car", format="libsvm")


def test_cache_folders(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("STREAMBOOST_CACHE")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == tmp_path / "xdg" / "streamboost"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "streamboost"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "streamboost"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "streamboost" / "Cache"


# With the data at hand


@with_data
@pytest.mark.parametrize("name", registered())
def test_entries_tell_the_truth(name, monkeypatch):
    monkeypatch.setenv("STREAMBOOST_DATA", DATA)
    known = registered()[name]
    path = known.path()
    if path is None:
        pytest.skip(f"{known.file} is not in the data folder")
    assert path.stat().st_size == known.n_bytes
    assert hashlib.sha256(path.read_bytes()).hexdigest() == known.sha256
    assert hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest() == known.content_sha256
    if known.n_bytes > 500_000:
        return  # counted when the registry was written; reading them takes too long for every run
    data = load(name)
    assert data.X.shape == (known.n_rows, known.n_features)
    assert len(data.find_classes()) == known.n_classes
    if known.format == "libsvm":
        assert LibsvmStream(path).n_features == known.n_features
    else:
        nominal = data.nominal
        missing = sum(int((data.X[:, j] != data.X[:, j]).sum()) for j in range(known.n_features))
        assert nominal is not None
        assert missing == known.missing_cells


def raw_of(known, lines):
    """The public file as it must have been: the recipe backwards."""
    recipe = known.recipe
    if recipe.convert == "libsvm":
        cut = len(lines) // len(recipe.urls) + 1
        return ["".join(f"{line} \n" for line in lines[i : i + cut]) for i in range(0, len(lines), cut)]
    named = {new: old for old, new in recipe.labels.items()}
    out = []
    for line in lines[1:]:
        *cells, label = line.split(",")
        cells = [recipe.missing if cell == "" else cell for cell in cells]
        values = iter(["".join(cells)] if recipe.spelled else cells)
        row = [
            named.get(label, label) if name == "label" else "0" if name == "-" else next(values)
            for name in recipe.columns
        ]
        out.append((" " if recipe.delimiter == " " else ", ").join(row))
    return ["\n".join(out) + "\n\n"]


@with_data
@pytest.mark.parametrize(
    "name", [name for name, known in registered().items() if known.recipe and known.n_bytes < 500_000]
)
def test_recipes_lead_to_the_registered_content(name):
    known = registered()[name]
    source = Path(DATA) / known.file
    if not source.exists():
        pytest.skip(f"{known.file} is not in the data folder")
    lines = gzip.decompress(source.read_bytes()).decode().splitlines()
    bodies = raw_of(known, lines)
    assert len(bodies) == len(known.recipe.urls)
    files = {
        url.rpartition("/")[2]: body.encode() for url, body in zip(known.recipe.urls, bodies, strict=True)
    }
    path = fetch(known, opener=Server(**files))
    assert path.parent == cache_folder()
    assert known.verify(path)
