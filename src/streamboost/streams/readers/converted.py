"""Files that hold their rows in another shape: workbooks are read as CSV, lists of JSON objects as one object per line."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from streamboost.streams.base import DataError

_MARK = re.compile(rb'["\\{}\[\]]')
_ENDS = bytes.maketrans(b"\r\n", b"  ")  # no string of JSON holds the end of a line
_BLOCK_ROWS = 1000


def lines_of_objects(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The objects of a JSON list, or objects over several lines, each on a line; what they hold is not looked at."""
    outer: int | None = None  # how many brackets are open around an object
    depth, skip, inside, any_object = 0, 0, False, False
    for block in blocks:
        lines, start = bytearray(), 0
        for found in _MARK.finditer(block):
            at, mark = found.start(), found[0]
            if at < skip:  # behind a backslash
                continue
            if inside:
                skip = at + 2 if mark == b"\\" else skip
                inside = mark != b'"'
            elif mark == b'"':
                inside = True
            elif mark in (b"{", b"["):
                outer = int(mark == b"[") if outer is None else outer
                if depth == outer:
                    start, any_object = at, any_object or mark == b"{"
                depth += 1
            elif mark != b"\\":
                depth -= 1
                if depth == outer:
                    lines += block[start : at + 1].translate(_ENDS) + b"\n"
        if outer is not None and depth > outer:
            lines += block[start:].translate(_ENDS)
        skip -= len(block)
        yield bytes(lines)
    if not any_object:
        raise DataError(f"{name}: holds no JSON objects; a list of them, or one per line, is wanted.")


def rows_of_workbook(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The rows of the first sheet of a workbook (.xlsx) as CSV, values in the place of formulas."""
    try:
        import openpyxl
    except ImportError:
        raise DataError(
            f'{name}: workbooks are read by openpyxl: pip install "streamboost[io]", or save the sheet as CSV.'
        ) from None
    with tempfile.TemporaryFile() as file:
        file.writelines(blocks)
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            yield from _csv(book.worksheets[0].iter_rows(values_only=True))
        except DataError:
            raise
        except KeyError as error:
            raise DataError(
                f"{name}: is a zip archive and no workbook; unpack it, or pack it with gzip."
            ) from error
        except (
            Exception
        ) as error:  # openpyxl lets through whatever it meets in a file that is damaged or none of its own
            raise DataError(
                f"{name}: is no workbook that can be read ({type(error).__name__}: {error}); save the sheet as CSV."
            ) from error


def _csv(rows: Iterator[tuple[Any, ...]]) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(rows):
        if any(cell is not None for cell in row):  # sheets end in empty rows
            writer.writerow([cell.isoformat() if isinstance(cell, date | time) else cell for cell in row])
        if number % _BLOCK_ROWS == _BLOCK_ROWS - 1:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()
