"""Bytes of a file or of standard input, plain or gzip, and what all readers of files share."""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from streamboost.streams.base import DataError, Label
from streamboost.streams.readers.limits import Limits, way_out

R = TypeVar("R", bound=tuple[Any, ...])

HEAD_ROWS = 1000
"""Rows that decide the kinds of the columns."""

HEAD_BYTES = 1 << 24
"""Very wide rows are not looked at beyond this, so that looking ahead is bounded too."""

BLOCK = 1 << 18
"""Bytes read at a time: the parsers work while they are still in the cache."""

PAUSE = 0
"""In the place of a line number: what has come so far is used up, and more may take its time."""

_GZIP_MAGIC = b"\x1f\x8b"
_PACKED = {
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
}
_NEW_MEMBER = 31  # zlib's way to say: a gzip header, and its checksum at the end


class ByteSource:
    """Bytes of a path, or of standard input (``-``), which can be read only once.

    gzip is recognised by its first two bytes, not by the name of the file.
    """

    def __init__(self, path: str | os.PathLike[str], encoding: str | None = None) -> None:
        """``encoding`` is that of the text; by default UTF-8, which is what comes out in any case."""
        self.encoding = encoding
        self.is_stdin = os.fspath(path) == "-"
        self.path = Path(path)
        self.name = "standard input" if self.is_stdin else str(path)
        self.size: int | None = None
        self._raw: BinaryIO | None = None
        self._taken = False
        self._peeked = b""
        self.idle: Callable[[], float | None] | None = None
        self.convert: Callable[[Iterator[bytes], str], Iterator[bytes]] | None = None
        """What makes text that a reader knows of the bytes (converted.py)."""
        self.ends_open = False  # all was read, and the last line has no end
        if self.is_stdin:
            return
        try:
            if self.path.is_dir():
                raise DataError(f"{self.name}: is a directory, not a data file.")
            # A named pipe has no size and, like standard input, only one reading.
            self.size = self.path.stat().st_size if self.path.is_file() else None
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        if not self.path.exists():
            raise DataError(f"{self.name}: no such file.")

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> ByteSource:
        """The source of a path, or of one that was opened already to guess its format."""
        return path if isinstance(path, ByteSource) else cls(path)

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def repeatable(self) -> bool:
        """Whether the bytes can be read again from the first."""
        return self.size is not None

    @property
    def fraction(self) -> float | None:
        """The part of the file that was read, in bytes on disk."""
        if self.size is None or self._raw is None:
            return None
        if self._raw.closed:
            return 1.0
        return min(1.0, self._raw.tell() / self.size) if self.size else 1.0

    def close(self) -> None:
        """Close the file now: a reading that failed may be kept alive by its traceback."""
        if self._raw is not None and not self.is_stdin:
            self._raw.close()

    def blocks(self, *, text: bool = True) -> Generator[bytes, None, None]:
        """The unpacked bytes from the first on; of a text without the mark that some programs put before UTF-8."""
        if self._taken and not self.repeatable:
            raise DataError(f"{self.name}: can be read only once.")
        self._taken = True
        raw = self._open()
        peeked, self._peeked = self._peeked, b""
        try:
            blocks = self._unpacked(chain([peeked] if peeked else [], self._raw_blocks(raw)))
            if not text:
                yield from blocks
                return
            first = next(blocks, b"")
            marked = first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            encoding = self.encoding or ("utf-16" if marked else None)
            blocks = chain([first], blocks)
            if encoding is not None:
                blocks = self._as_utf8(blocks, encoding)
            if self.convert is not None:
                blocks = self.convert(blocks, self.name)
            first = next(blocks, b"").removeprefix(codecs.BOM_UTF8)
            # The lines of some old files end in a carriage return alone.
            returns = b"\r" in first and b"\n" not in first
            last = b""
            for block in chain([first], blocks):
                whole = block.replace(b"\r", b"\n") if returns else block
                last = whole[-1:] or last
                yield whole
            self.ends_open = last not in (b"", b"\n")
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        finally:
            if not self.is_stdin:
                raw.close()

    def _as_utf8(self, blocks: Iterator[bytes], encoding: str) -> Generator[bytes, None, None]:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for block in blocks:
                yield decoder.decode(block).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeDecodeError as error:
            raise DataError(f"{self.name}: is no text in the encoding {encoding}.") from error

    def peek(self) -> bytes:
        """The first unpacked bytes, to guess a format by; they will be read again."""
        if self.repeatable:
            blocks = self.blocks()
            try:
                return next(blocks, b"")
            finally:
                blocks.close()
        try:
            for block in self._raw_blocks(self._open()):
                self._peeked += block
                if b"\n" in block or len(self._peeked) > BLOCK or self._peeked[:2] == _GZIP_MAGIC:
                    break
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        return next(self._unpacked(iter([self._peeked])), b"").removeprefix(codecs.BOM_UTF8)

    def _raw_blocks(self, raw: BinaryIO) -> Iterator[bytes]:
        # A pipe gives what it has instead of waiting for a whole block: rows are learned as they come.
        read = getattr(raw, "read1", raw.read)
        while block := self._next_block(raw, read):
            yield block

    def _next_block(self, raw: BinaryIO, read: Callable[[int], bytes]) -> bytes:
        """The next bytes. While none come, ``idle`` is called; it says in how many seconds it wants to be called again."""
        if self.idle is not None and not self.repeatable:
            try:
                while not select.select([raw], [], [], self.idle())[0]:
                    pass
            except (OSError, ValueError):  # it cannot be asked (on some systems no pipe can): the read waits
                pass
        return read(BLOCK)

    def _open(self) -> BinaryIO:
        """The file; what can be read only once is opened once."""
        if self._raw is not None and not self.repeatable:
            return self._raw
        try:
            # The system's own standard input stays open for the caller.
            raw = cast(BinaryIO, sys.stdin.buffer) if self.is_stdin else self.path.open("rb", buffering=0)
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        self._raw = raw
        return raw

    def _refuse_other(self, first: bytes) -> None:
        """Say what the bytes are if they are packed or written in another way than those that are read here."""
        for magic, program in _PACKED.items():
            if first.startswith(magic):
                raise DataError(f"{self.name}: is packed by {program}; unpack it, or pack it with gzip.")

    def _unpacked(self, packed: Iterator[bytes]) -> Iterator[bytes]:
        first = next(packed, b"")
        while 0 < len(first) < 4 and (more := next(packed, b"")):  # a pipe may give a byte at a time
            first += more
        packed = chain([first], packed)
        if first[:2] != _GZIP_MAGIC:
            self._refuse_other(first)
            yield from packed
            return
        lines = 0
        member = zlib.decompressobj(_NEW_MEMBER)
        try:
            for rest in chain(packed, (b"",)):
                while True:
                    if member.eof:  # files put one behind the other are one file; some are padded with zeros
                        rest = rest.lstrip(b"\0")
                        if not rest:
                            break
                        member = zlib.decompressobj(_NEW_MEMBER)
                    text = member.decompress(rest, BLOCK)
                    rest = member.unused_data if member.eof else member.unconsumed_tail
                    if text:
                        lines += text.count(b"\n")
                        yield text
                    elif not rest:
                        break
        except zlib.error as error:
            raise DataError(f"{self.name}: a damaged gzip file ({error}).") from error
        if not member.eof:
            raise DataError(f"{self.name}: the gzip file is cut off (after line {lines}).")


class ByteBlocks:
    """The bytes of a source in blocks, whose first ones are looked at before all are read.

    A source that can be read twice is opened again; any other one goes on behind the blocks looked at.
    """

    def __init__(self, source: ByteSource) -> None:
        self.source = source
        self._head: list[bytes] = []
        self._rest: Generator[bytes, None, None] | None = source.blocks()

    def look(self) -> Iterator[bytes]:
        """The first blocks, as many as the caller takes."""
        assert self._rest is not None
        for block in self._rest:
            self._head.append(block)
            yield block

    def rewind(self) -> None:
        """Looking is over: the next reading starts with the first byte."""
        if self.source.repeatable and self._rest is not None:
            self._rest.close()
            self._rest = None
            self._head = []

    def __iter__(self) -> Iterator[bytes]:
        if self.source.repeatable:
            return self.source.blocks()
        if self._rest is None:
            raise DataError(f"{self.source.name}: can be read only once.")
        joined = chain(self._head, self._rest)
        self._head, self._rest = [], None
        return joined


class Parser(Protocol):
    """A native parser: bytes in, rows out."""

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""

    def finish(self) -> None:
        """No more bytes will come."""

    def parse(self, want: int) -> int:
        """0: more bytes are needed; 1: so many rows are kept; 2: a line is bad."""

    @property
    def fault(self) -> tuple[str, int, int, int, str]:
        """Reason, line, column, number and text of a bad line."""

    @property
    def n_rows(self) -> int:
        """Rows kept."""


class FileStream:
    """What the streams over files have in common.

    ``on_bad_line`` is ``"stop"`` (a line that cannot be read raises) or ``"skip"`` (it is left out and counted
    in ``n_bad``; ``first_bad`` says what was wrong with the first one). Half a line at the end of a pipe, whose writer has
    gone, is left out and counted in any case, and so are rows that have no label, in ``n_unlabeled``, unless
    :meth:`show_unlabeled` asks for them. ``limits`` replaces some of :class:`Limits`.
    """

    shows_unlabeled = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        on_bad_line: str = "stop",
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self._limits = Limits.read(limits)
        if on_bad_line not in ("stop", "skip"):
            raise DataError(f"What to do with a bad line is stop or skip, not {on_bad_line!r}.")
        self._source = ByteSource.of(path)
        self._blocks = ByteBlocks(self._source)
        self.skips_bad_lines = on_bad_line == "skip"
        self.name = self._source.name
        self.labels_are_text = False
        self.n_rows: int | None = None
        self.n_bad = 0
        self.first_bad: str | None = None
        self.n_unlabeled = 0
        self._in_half_a_line = False
        # Not declared even after a pass that happened to see them: whether a model discovers its labels must not
        # depend on whether the width of the file had to be counted.
        self.classes: tuple[Label, ...] | None = None
        self._found: tuple[Label, ...] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def repeatable(self) -> bool:
        """Whether the file can be read again; standard input and pipes cannot."""
        return self._source.repeatable

    @property
    def live(self) -> bool:
        """Whether rows come as somebody writes them: they are handed on as they come."""
        return not self.repeatable

    def when_idle(self, idle: Callable[[], float | None]) -> None:
        """Let ``idle`` be called while no bytes come; it says in how many seconds it wants to be called again."""
        self._source.idle = idle

    def show_unlabeled(self, shown: bool) -> None:
        """Let the next pass keep rows without a label, which is then None or NaN, or leave them out."""
        self.shows_unlabeled = shown

    @property
    def fraction(self) -> float | None:
        """The part of the file that was read."""
        return self._source.fraction

    def _bad(self, line: int, reason: str) -> None:
        """Meet a bad line: raise, or count it."""
        message = f"{self.name}, line {line}: {reason}"
        if self._in_half_a_line:
            message = f"{self.name} ends in the middle of a line, {line}: {reason}"
        elif not self.skips_bad_lines:
            self._source.close()
            raise DataError(message)
        self.n_bad += 1
        self.first_bad = self.first_bad or message

    def _meet_fault(self, bad: str, line: int, column: int, number: int, token: str) -> None:
        """Meet a line that the parser has not kept."""
        self._bad(line, self._reason(bad, line, column, number, token))

    def _begin_pass(self) -> None:
        self.n_bad, self.first_bad, self.n_unlabeled, self._in_half_a_line = 0, None, 0, False

    def _to_the_end(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The blocks; behind the last one, whether what is left of a pipe is half a line."""
        yield from blocks
        self._in_half_a_line = self.live and self._source.ends_open

    def _end_pass(self, n_rows: int) -> None:
        if n_rows == 0:
            self._source.close()
            why = f" that can be read; {self.n_bad} bad lines, {self.first_bad}" if self.first_bad else "."
            label = getattr(self, "label_name", None)
            if self.n_unlabeled:
                why = f" with a label; {self.n_unlabeled:,} without." + (
                    f" The label is column {label!r}; label= names another one." if label is not None else ""
                )
            raise DataError(f"{self.name}: no rows{why}")

    def _fill(self, parser: Parser, size: int) -> Iterator[None]:
        """Let the parser read the file; returns to the caller whenever ``size`` rows are kept, and at the end.

        Of a live source nothing is kept back: its next bytes may take their time.
        """
        self._begin_pass()
        n_rows = 0
        for block in chain(self._to_the_end(self._body_blocks()), (None,)):
            if block is None:
                parser.finish()
            else:
                parser.feed(block)
            while step := parser.parse(size):
                if step == 1:
                    n_rows += size
                    yield
                else:
                    self._meet_fault(*parser.fault)
            if parser.n_rows and (self.live or block is None):
                n_rows += parser.n_rows
                yield
        self._end_pass(n_rows)

    def _reason(self, bad: str, line: int, column: int, number: int, token: str) -> str:
        """What is wrong with a line, in words; the readers know more than this."""
        return {
            "zero_byte": "not a text file (a zero byte).",
            "not_utf8": "not a text file in UTF-8; another encoding is named as encoding='latin-1'.",
            "too_long": f"a line that is too long. {way_out('line', self._limits.line)}",
            "label_not_whole": f"label {token} where the labels are whole numbers.",
        }.get(bad, f"{bad} ({token}).")

    def _body_blocks(self) -> Iterator[bytes]:
        """The bytes that hold the rows."""
        return iter(self._blocks)

    def _text_lines(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, for the readers that are written in Python; bad text is met here.

        Where the bytes of a live source are used up stands a line of number ``PAUSE`` without text.
        """
        number = 0
        for line in _whole_lines(self._to_the_end(blocks), self._limits.line):
            if line is _USED_UP:
                if self.live:
                    yield PAUSE, ""
                continue
            number += 1
            if line is None:
                self._bad(number, self._reason("too_long", number, 0, 0, ""))
                continue
            try:
                text = line.decode()
            except UnicodeDecodeError:
                self._bad(
                    number, self._reason("zero_byte" if b"\0" in line else "not_utf8", number, 0, 0, "")
                )
                continue
            if "\0" in text:
                self._bad(number, self._reason("zero_byte", number, 0, 0, ""))
                continue
            yield number, text


_USED_UP = bytes(bytearray(b"end of a block"))  # an object of its own: no line is this one


def _whole_lines(blocks: Iterator[bytes], longest: int) -> Iterator[bytes | None]:
    """The lines without their ends; None in the place of one that is too long. Behind every block ``_USED_UP``."""
    tail = io.BytesIO()
    discarding = False
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for line in whole:
            if discarding:
                discarding = False
                yield None
            elif tail.tell():
                tail.write(line)
                yield tail.getvalue()
                tail = io.BytesIO()
            else:
                yield line
        if not discarding:
            tail.write(rest)
        if tail.tell() > longest:
            tail, discarding = io.BytesIO(), True
        yield _USED_UP
    if discarding:
        yield None
    elif tail.tell():
        yield tail.getvalue()


def batches(rows: Iterator[R], size: int) -> Iterator[list[R]]:
    """Rows that begin with the number of their line, ``size`` at a time, or as many as there are before a pause."""
    kept: list[R] = []
    for row in rows:
        if row[0] != PAUSE:
            kept.append(row)
        if kept and (len(kept) == size or row[0] == PAUSE):
            yield kept
            kept = []
    if kept:
        yield kept


def is_number(text: str) -> bool:
    """Whether a cell is a number as people write it: Python's ``1_000`` is not."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text.isascii()


def whole(values: list[float]) -> bool:
    """Whether all values are whole numbers that int64 holds exactly."""
    return all(abs(value) < 2.0**53 and value == int(value) for value in values)


def numbers_to_labels(values: set[float]) -> tuple[Label, ...]:
    """Distinct numeric labels, sorted: ints if all are whole."""
    kind = int if whole(list(values)) else float
    return tuple(kind(value) for value in sorted(values))
