"""Columns of dates and times: refused with advice, left out, or taken apart; a model reads them as it learned them."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import streamboost as sb
from streamboost.streams import CsvStream, DataError, DataWarning, ExpectedColumns, open_stream, to_arrays
from streamboost.streams.readers.dates import DateForm

TEXT = (
    "size,when,kind,label\n"
    "1,2024-02-29T06:30:00,a,p\n"
    "2,2024-03-01 18:00,b,q\n"
    "3,,a,p\n"
    "4,1969-12-31 00:00:00Z,b,q\n"
)


def parts(column, *of):
    """The names of the parts of a column: weekday and hour also have their place on the circle."""
    waves = {part: ("", " sine", " cosine") if part != "days" else ("",) for part in of}
    return tuple(f"{column} ({part}{wave})" for part in of for wave in waves[part])


def on_circle(value, period):
    return [value, math.sin(2 * math.pi * value / period), math.cos(2 * math.pi * value / period)]


@pytest.fixture
def file(tmp_path):
    def write(text, name="dates.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_parts_are_numbers(file):
    stream = open_stream(file(TEXT), dates="parts")
    assert stream.feature_names == ("size", *parts("when", "days", "weekday", "hour"), "kind")
    assert stream.n_features == 9
    assert stream.nominal.tolist() == [False] * 8 + [True]
    first = (datetime.date(2024, 2, 29) - datetime.date(1970, 1, 1)).days
    wanted = [
        [1, first + 6.5 / 24, *on_circle(3, 7), *on_circle(6.5, 24), 0],
        [2, first + 1 + 0.75, *on_circle(4, 7), *on_circle(18, 24), 1],
        [3, *[math.nan] * 7, 0],
        [4, -1, *on_circle(2, 7), *on_circle(0, 24), 1],
    ]
    for size in (1, 3, 100):
        chunks = list(stream.chunks(size))
        np.testing.assert_allclose(np.concatenate([chunk.X for chunk in chunks]), wanted, atol=1e-12)
        assert chunks[-1].coding.names == stream.feature_names
        assert list(chunks[-1].coding.values) == [8]
        assert list(chunks[-1].coding.values[8]) == ["a", "b"]
    assert stream.find_classes() == ("p", "q")
    assert to_arrays(stream).X.shape == (4, 9)


def test_dates_have_no_hour_and_times_nothing_else(file):
    rows = open_stream(file("d,t,y\n2024-01-01,07:30,0\n2024-01-08,19:00:36,1\n"), dates="parts")
    assert rows.feature_names == (*parts("d", "days", "weekday"), *parts("t", "hour"))
    np.testing.assert_allclose(next(rows.chunks()).X[:, [1, 4]], [[0, 7.5], [0, 19.01]])
    halves = open_stream(
        file("t,y\n07:30 AM,0\n12:15 am,1\n12:15PM,1\n7:00 p.m.,1\n", "h.csv"), dates="parts"
    )
    wanted = [on_circle(hour, 24) for hour in (7.5, 0.25, 12.25, 19)]
    np.testing.assert_allclose(next(halves.chunks()).X, wanted, atol=1e-12)


def test_the_first_rows_tell_the_day_from_the_month(file):
    days = open_stream(file("d,y\n01/02/2024,0\n31/01/2024,1\n"), dates="parts")
    found = next(days.chunks()).X[:, 0]
    assert found[1] - found[0] == -1
    months = open_stream(file("d,y\n01-02-24,0\n01-31-24,1\n", "m.csv"), dates="parts")
    found = next(months.chunks()).X[:, 0]
    assert found[1] - found[0] == 29
    with pytest.raises(
        DataError, match=r"'01/02/2024' nobody can tell the day from the month; say which .*dates='day-first'"
    ):
        open_stream(file("d,y\n01/02/2024,0\n03/04/2024,1\n", "x.csv"), dates="parts")


@pytest.mark.parametrize(
    ("cells", "dates", "step"),
    [
        (("01.02.2024", "02.03.2024"), "parts", 30),  # dates with points have the day first
        (("01.02.2024", "01.13.2024"), "parts", 11),  # but for what the rows show
        (("01/02/2024", "02/03/2024"), "day-first", 30),
        (("01/02/2024", "02/03/2024"), "month-first", 32),
        (("01.02.2024", "02.03.2024"), "month-first", 32),
    ],
)
def test_who_knows_which_comes_first_says_so(file, cells, dates, step):
    stream = open_stream(file("d,y\n" + "".join(f"{cell},0\n" for cell in cells)), dates=dates)
    first, second = next(stream.chunks()).X[:, 0]
    assert second - first == step
    assert stream.day_first == {"d": dates != "month-first" and step == 30}


def test_what_contradicts_itself_is_refused(file):
    with pytest.raises(DataError, match="nobody can tell the day from the month"):
        open_stream(file("d,y\n13.01.2024,0\n01.13.2024,1\n"), dates="parts")
    with pytest.raises(DataError, match=r"'12/31/2024' is no date"):
        list(open_stream(file("d,y\n12/31/2024,0\n01/01/2024,1\n"), dates="day-first").chunks())


@pytest.mark.parametrize("cell", ["03/04/2024", ""])  # an empty first cell tells nothing either
def test_a_model_knows_which_came_first(file, cell):
    names = parts("d", "days", "weekday")
    for day_first, day in ((True, 3), (False, 4)):
        expected = ExpectedColumns(names, (None,) * 4, ("p",), needs_label=False, day_first={"d": day_first})
        rows = next(open_stream(file(f"d,y\n{cell},p\n03/04/2024,p\n"), expected=expected).chunks()).X
        date = datetime.date(2024, 7 - day, day)
        assert rows[1, 0] == (date - datetime.date(1970, 1, 1)).days


def test_texts_of_dicts_are_dates_where_the_model_has_learned_dates():
    """JSON has no dates: what comes as a text must not become a column of its own beside the parts."""
    model = learned(pl.DataFrame({"size": [1.0, 2, 3], "when": MOMENTS}))
    for text in ("2024-02-29T06:30", "2024-02-29 06:30:00Z", "29.02.2024 06:30"):
        assert model.predict_proba_one({"size": 1.0, "when": text}) == model.predict_proba_one(
            {"size": 1.0, "when": MOMENTS[0]}
        )
    model.learn_one({"size": 1.0, "when": "2024-02-29T06:30"}, "p")
    assert model.feature_names_in_.tolist() == ["size", *parts("when", "days", "weekday", "hour")]
    for text in ("soon", "03/04/2024", "2023-02-29"):
        with pytest.raises(ValueError, match=f"'when' holds dates or times, but x holds the text '{text}'"):
            model.learn_one({"size": 1.0, "when": text}, "p")
    model.learn_one({"size": 1.0, "when": None}, "p")
    assert model.n_learned_ == 5


@pytest.mark.parametrize(
    "text",
    [
        "29 Feb 2024",
        "29-FEB-2024",
        "29-Feb-24",
        "Feb 29, 2024",
        "february 29 2024",
        "29. February 2024",
        "Thu, 29 Feb 2024",
    ],
)
def test_months_may_have_their_names(file, text):
    day = (datetime.date(2024, 2, 29) - datetime.date(1970, 1, 1)).days
    for clock, hour in (("", 0), (" 18:30", 18.5), (" 6:30 PM", 18.5)):
        stream = open_stream(file(f'd,y\n"{text}{clock}",0\n"{text}{clock}",1\n'), dates="parts")
        assert next(stream.chunks()).X[0, 0] == day + hour / 24
    for other in ("29 Febr 20244", "Feb 2024", "29 Fob 2024", "a 29 Feb 2024", "May", "30 Feb 2024"):
        form = DateForm(None, ("days",))
        assert form.numbers(other) is None, other


def test_dates_are_left_out_aloud(file):
    with pytest.warns(
        UserWarning, match=r"column 'when' holds dates or times \('1969-12-31 00:00:00Z'\) and is left out"
    ):
        stream = open_stream(file(TEXT), dates="drop")
    assert stream.feature_names == ("size", "kind")


def test_refusals(file):
    path = file(TEXT)
    with pytest.raises(
        DataError, match="dates='hours' is not allowed; choose parts, drop, day-first or month-first"
    ):
        open_stream(path, dates="hours")
    with pytest.warns(DataWarning, match=r"column 'when' holds dates or times .*its parts are read"):
        assert "when (days)" in open_stream(path).feature_names
    with pytest.raises(
        DataError, match=r"column 'when' holds dates or times .*dates='parts', leave it out with drop="
    ):
        CsvStream(path)
    with pytest.raises(DataError, match="there is no header; leave dates out with dates='drop'"):
        open_stream(file("1,2024-01-01,p\n2,2024-01-02,q\n", "bare.csv"), dates="parts", header=False)
    with (
        pytest.raises(DataError, match="no column is left beside the label but dates"),
        pytest.warns(UserWarning, match="left out"),
    ):
        open_stream(file("d,y\n2024-01-01,0\n", "only.csv"), dates="drop")
    late = file("x,d,y\n" + "1,2024-01-01,0\n" * 1200 + "1,soon,1\n", "late.csv")
    with pytest.raises(DataError, match=r"column 'd': 'soon' is no date"):
        list(open_stream(late, dates="parts").chunks())
    with pytest.raises(DataError, match=r"dates= is not for libsvm but for csv, jsonl"):
        open_stream(file("1 1:2\n", "x.libsvm"), dates="parts")
    assert DateForm(None, ("days",)).numbers("2023-02-29") is None
    assert DateForm(None, ("hour",)).numbers("24:00") is None


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_model_reads_files_as_it_learned_them(file, name):
    rng = np.random.default_rng(0)
    moments = [
        datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=int(h)) for h in rng.integers(0, 5000, 300)
    ]
    rows = [(round(float(rng.normal()), 3), m.isoformat(), int(m.hour >= 12)) for m in moments]
    if name.endswith("csv"):
        path = file("x,when,late\n" + "".join(f"{x},{when},{y}\n" for x, when, y in rows), name)
    else:
        path = file("".join(f'{{"x": {x}, "when": "{when}", "late": {y}}}\n' for x, when, y in rows), name)
    model = sb.OnlineBaggingClassifier(sb.HoeffdingTree(grace_period=20), n_estimators=5, random_state=1)
    stream = open_stream(path, label="late", dates="parts")
    for chunk in stream.chunks(50):
        model.partial_fit(chunk.rows, chunk.labels, classes=[0, 1])
    names = ("x", *parts("when", "days", "weekday", "hour"))
    assert tuple(model.feature_names_in_) == names
    expected = ExpectedColumns(names, (None,) * 8, (0, 1), needs_label=False)
    again = open_stream(path, label="late", expected=expected)
    assert again.feature_names == names
    chunk = next(again.chunks(1000))
    np.testing.assert_array_equal(chunk.X, to_arrays(stream).X)
    right = np.mean(model.predict(chunk.rows) == [y for _, _, y in rows])
    assert right > 0.95


MOMENTS = [datetime.datetime(2024, 2, 29, 6, 30), datetime.datetime(1969, 12, 31, 23, 59, 59, 250000), None]
FRAMES = {
    "pandas": pd.DataFrame({"size": [1.0, 2, 3], "when": MOMENTS}),
    "pandas in a zone": pd.DataFrame(
        {"size": [1.0, 2, 3], "when": pd.to_datetime(MOMENTS).tz_localize("Europe/Berlin")}
    ),
    "pandas objects": pd.DataFrame({"size": [1.0, 2, 3], "when": pd.Series(MOMENTS, dtype=object)}),
    "polars": pl.DataFrame({"size": [1.0, 2, 3], "when": MOMENTS}),
    "arrow": pa.table({"size": [1.0, 2, 3], "when": MOMENTS}),
}


def learned(frame, labels=("p", "q", "p")):
    return sb.OnlineBaggingClassifier(n_estimators=3, random_state=1).partial_fit(frame, list(labels))


@pytest.mark.parametrize("name", FRAMES)
def test_dates_of_frames_are_those_of_files_and_of_dicts(file, name):
    path = file("size,when,y\n1,2024-02-29T06:30,p\n2,1969-12-31 23:59:59.25,q\n3,,p\n")
    chunk = next(open_stream(path, dates="parts").chunks())
    by_file = learned(chunk.rows)
    by_frame = learned(FRAMES[name])
    assert by_frame.feature_names_in_.tolist() == ["size", *parts("when", "days", "weekday", "hour")]
    want = by_file.predict_proba(chunk.rows)
    assert np.array_equal(by_frame.predict_proba(FRAMES[name]), want)
    assert np.array_equal(by_frame.predict_proba(chunk.rows), want)
    assert np.array_equal(by_file.predict_proba(FRAMES[name]), want)
    by_dict = sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    for size, when, label in zip([1.0, 2, 3], MOMENTS, "pqp", strict=True):
        by_dict.learn_one({"size": size, "when": when}, label)
    assert np.array_equal(by_dict.predict_proba(FRAMES[name]), want)


WRITTEN = ["2024-02-29T06:30", "1969-12-31 23:59:59.25", None]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_texts_of_frames_are_dates_where_all_of_them_are(file, frame):
    """As in files; the user need not parse them."""
    written = frame({"size": [1.0, 2, 3], "when": WRITTEN})
    model = learned(written)
    assert model.feature_names_in_.tolist() == ["size", *parts("when", "days", "weekday", "hour")]
    moments = next(iter(FRAMES.values()))
    assert np.array_equal(model.predict_proba(written), learned(moments).predict_proba(moments))
    assert np.array_equal(model.predict_proba(moments), model.predict_proba(written))
    nothing = frame({"size": [1.0], "when": [None]})
    assert model.predict_proba(nothing)[0].tolist() == list(model.predict_proba_one({"size": 1.0}).values())
    with pytest.raises(ValueError, match="'when' holds dates or times, but X holds the text 'soon' there"):
        model.partial_fit(frame({"size": [1.0, 2], "when": ["2024-03-01", "soon"]}), ["p", "q"])
    assert model.n_learned_ == 3


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (["2024-03-01", "soon"], {}),
        (["01/02/2024", "03/04/2024"], {}),  # nobody can tell the day from the month
        (["2024-03-01", "2024-03-02"], {"categorical_features": ["when"]}),
        (["2024-03-01", "2024-03-02"], {"categorical_features": [0]}),
        (["2024-03-01", "2024-03-02"], {"identifier_features": ["when"]}),
        (["2024-03-01", "2024-03-02"], {"text_features": [0]}),
        (pd.Categorical(["2024-03-01", "2024-03-02"]), {}),
    ],
)
def test_texts_that_may_be_something_else_stay(cells, options):
    model = sb.StreamBoostClassifier(n_estimators=2, random_state=1, **options)
    model.partial_fit(pd.DataFrame({"when": cells}), ["p", "q"])
    assert model.feature_names_in_.tolist() == ["when"]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_of_parquet_are_those_of_csv(file, tmp_path, zone):
    path = file(
        "when,day,at,y\n2024-02-29T06:30,2024-01-08,07:30,p\n1969-12-31 23:59:59.25,2024-01-09,,q\n,,19:00,p\n"
    )
    table = {
        "when": pd.to_datetime(MOMENTS).tz_localize(zone),
        "day": [datetime.date(2024, 1, 8), datetime.date(2024, 1, 9), None],
        "at": [datetime.time(7, 30), None, datetime.time(19)],
        "y": ["p", "q", "p"],
    }
    pd.DataFrame(table).to_parquet(tmp_path / "d.parquet")
    wanted = open_stream(path, dates="parts")
    with pytest.warns(DataWarning, match="its parts are read"):
        found = open_stream(tmp_path / "d.parquet")
    assert found.feature_names == wanted.feature_names
    assert repr(found).endswith("d.parquet>")
    np.testing.assert_array_equal(next(found.chunks()).X, next(wanted.chunks()).X)
    model = learned(next(wanted.chunks()).rows)
    expected = ExpectedColumns(
        wanted.feature_names, (None,) * len(wanted.feature_names), ("p", "q"), needs_label=False
    )
    again = open_stream(tmp_path / "d.parquet", label="y", expected=expected)
    assert np.array_equal(
        model.predict_proba(next(again.chunks()).rows), model.predict_proba(next(wanted.chunks()).rows)
    )


def test_a_model_takes_the_parts_that_it_has_learned():
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), None]
    by_day = learned(pl.DataFrame({"when": days}))
    assert by_day.feature_names_in_.tolist() == [*parts("when", "days", "weekday")]
    moments = pl.DataFrame({"when": days}).with_columns(pl.col("when").cast(pl.Datetime))
    assert np.array_equal(by_day.predict_proba(moments), by_day.predict_proba(pl.DataFrame({"when": days})))
    by_moment = learned(moments)
    assert np.isfinite(by_moment.predict_proba(pl.DataFrame({"when": days}))).all()
    clock = learned(pl.DataFrame({"at": [datetime.time(7, 30), datetime.time(19), None]}))
    assert clock.feature_names_in_.tolist() == [*parts("at", "hour")]
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- other \(days\)"):
        by_day.predict(pl.DataFrame({"other": days}))
