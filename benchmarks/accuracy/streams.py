"""``python -m benchmarks.accuracy.streams``: the default model beside the ensembles for streams that drift, ours and others'.

Prequential accuracy, kappa, log loss, average precision where two classes are skewed, CPU seconds and memory, on 23 streams in
file order; the page has accuracy stream by stream and the means of the rest, the CSV file has everything.
Sets are found through STREAMBOOST_DATA; one that is not there is left out and named, and so is a library that is
not installed.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.accuracy.data import Data
from benchmarks.accuracy.stream_models import ENTRIES, ClassPeer, Retrained
from benchmarks.pages import RESULTS, Page, parser
from benchmarks.tables import Table
from streamboost.evaluate import prequential, rank_models
from streamboost.streams import ArrayStream, DataError

STREAMS = {
    "luxembourg": 1901,
    "nursery": 12_960,
    "powersupply": 20_000,
    "insects-gradual": 24_150,
    "drift-sea": 40_000,
    "drift-searec": 40_000,
    "drift-agr-abrupt": 40_000,
    "drift-hyper": 40_000,
    "drift-rbfslow": 40_000,
    "drift-rbffast": 40_000,
    "shuttle": 20_000,
    "poker-hand-train": 20_000,
    "ijcnn1": 30_000,
    "drift-rare": 30_000,
    "drift-agr-gradual": 40_000,
    "drift-led": 40_000,
    "gassensor-partial": 6697,
    "drift-wave": 20_000,
    "kddcup99-10pct": 30_000,
    "census-income-train": 20_000,
    "connect-4": 20_000,
    "covtype": 30_000,
    "spam-499": 3000,
}
"""Name -> its first rows that count."""
EVERY = {"kddcup99-10pct": 10}
"""Of a file whose neighbours are copies of each other, every so many-th row."""
TWO_CLASSES = (
    "luxembourg", "drift-sea", "drift-searec", "drift-agr-abrupt", "drift-hyper", "ijcnn1", "drift-rare", "drift-agr-gradual",
    "census-income-train", "spam-499",
)  # fmt: skip
SKEWED = 0.2
"""Two classes are skewed if the rarer one has less than this share of the rows."""

MEASURES = ("accuracy", "kappa", "log loss", "average precision", "seconds", "megabytes")
COLUMNS = ("stream", "rows", "delay", "seed", "model", *MEASURES)
Record = dict[str, Any]


def measure(name: str, models: Sequence[str], seeds: Sequence[int], options: Any) -> list[Record] | None:
    """All models over one stream, or None if it is not here."""
    warnings.simplefilter("ignore")
    try:
        data = Data(name, min(options.rows or STREAMS[name], STREAMS[name]), every=EVERY.get(name, 1))
    except DataError:
        return None
    counts = np.bincount(data.y, minlength=data.k)
    skewed = data.k == 2 and counts.min() < SKEWED * len(data.y)
    metrics = ["log_loss", *(["average_precision"] if skewed else [])]
    found = []
    for model in models:
        entry = ENTRIES[model]
        if entry.two_classes and data.k > 2:
            continue
        for seed in seeds:
            made = entry.make(data, seed)
            if options.delay and entry.ours and "delay" in made.get_params():
                made.set_params(delay=options.delay)
            result = prequential(
                made,
                ArrayStream(data.X, data.y, name=name),
                classes=range(data.k),
                metrics=metrics,
                positive=int(counts.argmin()) if skewed else None,
                delay=options.delay,
            )
            extra = {m: s["cumulative"].value for m, s in result.metrics.items()}
            peer = isinstance(made, ClassPeer | Retrained)
            size = made.final_bytes() if peer else result.memory_bytes or float("nan")
            values = (
                1 - result.error,
                result.kappa,
                extra["log_loss"],
                extra.get("average_precision", float("nan")),
                made.seconds if peer else result.seconds,
                size / 1e6 if size > 0 else float("nan"),
            )
            found.append(
                dict(zip(COLUMNS, (name, result.n_rows, options.delay, seed, model, *values), strict=True))
            )
            del made  # or the next one's memory would be measured beside it
            print(f"{name}: {model} {values[0]:.4f}, {found[-1]['seconds']:.1f} s", flush=True)
    return found


def measured_before(
    folder: Any,
    page: str,
    names: Sequence[str],
    models: Sequence[str],
    measures: Sequence[str] = MEASURES,
    seeds: Sequence[int] | None = None,
) -> list[Record]:
    """Records of the results file for models, streams or, where they are named, seeds that are not measured now."""
    path = folder / f"{page}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows: list[Record] = [dict(row) for row in csv.DictReader(file)]
    for row in rows:
        row.update({c: float(row[c]) if row[c] else float("nan") for c in measures})
        row.update({c: int(row[c]) for c in ("rows", "delay", "seed")})
    return [
        row
        for row in rows
        if not (row["stream"] in names and row["model"] in models and (seeds is None or row["seed"] in seeds))
    ]


def page_name(options: Any) -> str:
    """Runs with late labels or on first rows only have pages of their own."""
    late = f"-delay-{options.delay}" if options.delay else ""
    return f"streams{late}" + (f"-first-{options.rows}" if options.rows else "")


def page_title(options: Any) -> str:
    late = f", labels {options.delay} rows late" if options.delay else ""
    return f"Accuracy on streams that drift{late}" + (
        f", first {options.rows:,} rows" if options.rows else ""
    )


def table(
    records: list[Record],
    column: str,
    names: Sequence[str],
    title: str,
    note: str = "",
    models: Collection[str] = tuple(ENTRIES),
) -> Table:
    """Streams down, models across, means over the seeds; the mean of a model that has every stream below."""
    models = [m for m in models if any(r["model"] == m and r[column] == r[column] for r in records)]
    made = Table(title, ["stream", *models], note=note)
    cells = []
    for name in names:
        line = [
            _mean([r[column] for r in records if r["stream"] == name and r["model"] == m]) for m in models
        ]
        if not np.isnan(line).all():
            cells.append(line)
            made.add(name, *line)
    if len(cells) > 1:
        made.add("mean", *[float(v) for v in np.mean(cells, axis=0)])
    return made


def means(records: list[Record], names: Sequence[str]) -> Table:
    """Every model's means over the streams; of one that lacks streams, the CPU time beside the default's only."""
    flagship, *_ = ENTRIES
    made = Table(
        "Means over the streams",
        [
            "model",
            "accuracy",
            "kappa",
            "log loss",
            "CPU seconds",
            f"times the CPU of {flagship}",
            "megabytes",
        ],
        note="Log loss: probabilities below 2^-52 count as that. CPU: one thread on a machine with other work, so a rough"
        " measure; of other libraries without making rows in their form, of MOA with Java's compiler and garbage collector."
        f" Times the CPU of {flagship}: over the streams that both have. Megabytes of the model at the end, where it says them.",
    )
    cells: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        cells.setdefault((r["model"], r["stream"]), []).append(r)

    def mean(model: str, column: str) -> float:
        """NaN if a stream lacks the figure."""
        return float(np.mean([_mean([r[column] for r in cells.get((model, n), [])]) for n in names]))

    for model in [m for m in ENTRIES if any(key[0] == m for key in cells)]:
        both = [n for n in names if (model, n) in cells and (flagship, n) in cells]
        spent = [sum(_mean([r["seconds"] for r in cells[m, n]]) for n in both) for m in (model, flagship)]
        ratio = f"{spent[0] / spent[1]:.2g}" if both and spent[1] else "-"
        if spent[0] >= 10 * spent[1] > 0:
            ratio = f"{spent[0] / spent[1]:.0f}"
        quality = [mean(model, c) for c in ("accuracy", "kappa", "log loss")]
        made.add(model, *quality, mean(model, "seconds"), ratio, mean(model, "megabytes"))
    return made


def parts(records: list[Record], names: Sequence[str]) -> Table:
    """The default's CPU time beside that of the same model with fewer companions."""
    flagship, *_ = ENTRIES
    made = Table(
        f"CPU of {flagship} beside that of its parts",
        ["part", "all streams together", "those of two classes", "most", "on"],
        note=f"Times the part's CPU seconds. Most: the stream where {flagship} costs most"
        " beside the part. Without replay it is the model without trees over remembered rows, its judge and its temperature.",
    )

    def spent(model: str, name: str) -> float:
        return _mean([r["seconds"] for r in records if r["stream"] == name and r["model"] == model])

    for part in ("without replay", "its forest alone"):
        cost = {n: (spent(flagship, n), spent(part, n)) for n in names}
        cost = {n: both for n, both in cost.items() if both[0] > 0 and both[1] > 0}
        if not cost:
            continue
        two = [cost[n] for n in cost if n in TWO_CLASSES]
        most = max(cost, key=lambda n: cost[n][0] / cost[n][1])
        ratios = [
            f"{sum(a for a, _ in of) / sum(b for _, b in of):.2f}" if of else "-"
            for of in (cost.values(), two)
        ]
        made.add(part, *ratios, f"{cost[most][0] / cost[most][1]:.2f}", most)
    return made


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def ranks(page: Page, accuracy: Table) -> None:
    """Average ranks by accuracy over the streams, of the models that have them all, and their picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from streamboost.experiments.figures import Style
    from streamboost.experiments.rank_chart import RankChart

    rows = [row for row in accuracy.rows if row[0] != "mean"]
    values = np.array([row[1:] for row in rows], dtype=float)
    whole = ~np.isnan(values).any(axis=0)
    names = [m for m, has in zip(accuracy.columns[1:], whole, strict=True) if has]
    if len(rows) < 2 or len(names) < 2:
        return
    ranking = rank_models(1 - values[:, whole])
    made = Table(
        "Average ranks by accuracy",
        ["model", "average rank", "first on"],
        note=f"Models with a result on all {len(rows)} streams; 1 is best, ties share a rank. Nemenyi's critical difference at "
        f"0.05 is {ranking.critical_difference:.2f}: in the picture, models whose bars do not overlap are told apart.",
    )
    best = values[:, whole].max(axis=1)
    for at in np.argsort(ranking.ranks, kind="stable").tolist():
        made.add(
            names[at], f"{ranking.ranks[at]:.2f}", f"{int((values[:, whole][:, at] == best).sum())} streams"
        )
    page.add(made)
    ours = [m for m in names if ENTRIES[m].ours]
    styles = {m: Style(0 if m in ours[:1] else 1 if m in ours else None) for m in names}
    chart = RankChart("Average ranks", names, ranking, styles)

    def picture() -> Any:
        drawn = Figure(figsize=(12, chart.height(False) / 72), dpi=72, facecolor="white")
        FigureCanvasAgg(drawn)
        chart.draw(drawn, False)
        return drawn

    page.picture = picture


def main() -> None:
    made = parser("accuracy.streams", __doc__)
    made.add_argument("--rows", type=int, help="at most so many rows of each stream")
    made.add_argument("--sets", nargs="+", default=list(STREAMS), choices=list(STREAMS), metavar="NAME")
    made.add_argument(
        "--models",
        nargs="+",
        default=list(ENTRIES),
        choices=list(ENTRIES),
        metavar="NAME",
        help="of the tables",
    )
    made.add_argument("--seeds", type=int, nargs="+", default=[1])
    made.add_argument("--delay", type=int, default=0, help="rows until a label arrives")
    made.add_argument("--jobs", type=int, default=1, help="streams at the same time")
    made.add_argument(
        "--add", action="store_true", help="keep the figures of the results file for what is not measured now"
    )
    options = made.parse_args()
    if options.quick:
        options.rows, options.sets = min(options.rows or 1000, 1000), options.sets[:3]
    models = [m for m in options.models if ENTRIES[m].installed]
    page = Page(
        page_name(options),
        page_title(options),
        options,
        packages=["streamboost", "capymoa", "river", "vowpalwabbit", "lightgbm", "numpy"],
        columns=COLUMNS,
        caption="Average ranks by accuracy, with Nemenyi's critical difference",
    )
    old = measured_before(options.out or RESULTS, page.name, options.sets, models) if options.add else []
    work = partial(measure, models=models, seeds=options.seeds, options=options)
    records, missing = old, []
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        for name, part in zip(options.sets, pool.map(work, options.sets), strict=True):
            records = in_order([*records, *(part or [])])
            missing += [name] if part is None else []
            page.records = []
            for record in records:
                page.record(*(record[c] if record[c] == record[c] else None for c in COLUMNS))
            page.keep_records()  # hours of measuring are not lost to what comes later
    page.preface += facts(records, missing, options, [m for m in ENTRIES if m not in models])
    names = [name for name in STREAMS if any(r["stream"] == name for r in records)]
    accuracy = table(records, "accuracy", names, "Accuracy")
    if options.rows is None:
        page.add(accuracy)
    else:  # the mean says it all; who asks for one stream finds it in the file
        page.preface.append(f"- Stream by stream: {page.name}.csv")
    if not options.delay:
        ranks(page, accuracy)
    page.add(means(records, names))
    if (beside := parts(records, names)).rows:
        page.add(beside)
    skewed = table(
        records,
        "average precision",
        names,
        "Average precision of the rarer class",
        f"Two classes, the rarer one below {SKEWED:.0%}.",
    )
    if skewed.rows:
        page.add(skewed)
    page.write()


def in_order(records: list[Record]) -> list[Record]:
    order = {name: at for at, name in enumerate(STREAMS)}, {name: at for at, name in enumerate(ENTRIES)}
    return sorted(records, key=lambda r: (order[0][r["stream"]], order[1][r["model"]], r["seed"]))


def facts(records: list[Record], missing: list[str], options: Any, others: list[str]) -> list[str]:
    """What a reader must know of the run. others: models that were not measured now."""
    measured = {r["model"] for r in records}
    kept = [m for m in others if m in measured]
    rest = [m for m in ENTRIES if m not in measured]
    delays = {r["delay"] for r in records}
    seeds = {
        m: ", ".join(map(str, sorted({r["seed"] for r in records if r["model"] == m}))) for m in measured
    }
    most = max(seeds.values(), key=len)
    fewer = [m for m in ENTRIES if m in measured and seeds[m] != most]
    lines = [
        "- Prequential: every row is answered, then learned. Files in their order, their first "
        + (f"{options.rows:,} rows, the same for all models" if options.rows else "rows")
        + " (their number is in the CSV file; of kddcup99-10pct every 10th row). The streams were also used to choose the "
        "defaults of StreamBoost, so expect smaller leads on others.",
        f"- Every option at its default, but the number of learners where a name has one; seeds {most}"
        + (f" (fewer: {', '.join(fewer)})" if fewer else "")
        + "; "
        "classes are declared; labels arrive "
        + (
            "at once."
            if delays == {0}
            else f"{max(delays)} rows later, which StreamBoost is told; rows before the first label are not scored."
        )
        + " OSBoost takes two "
        "classes only. Oza boosting has Hoeffding trees."
        + (
            " LightGBM is refitted on all the past from row 100 on, each time it has grown by a fifth; with its defaults it fails"
            " where a class has a few rows only (kddcup99-10pct, shuttle, nursery)."
            if "LightGBM, retrained" in measured
            else ""
        ),
    ]
    streams = {r["stream"] for r in records}
    part = [
        m
        for m in ENTRIES
        if m in measured
        and not ENTRIES[m].two_classes
        and {r["stream"] for r in records if r["model"] == m} != streams
    ]
    if part:
        lines.append(f"- On part of the streams only: {', '.join(part)}.")
    bare = [
        m
        for m in ENTRIES
        if m in measured and all(r["kappa"] != r["kappa"] for r in records if r["model"] == m)
    ]
    if bare:
        lines.append(
            f"- Of an earlier run that ended early, from its printed lines, without kappa and log loss: {', '.join(bare)}."
        )
    if kept:
        lines.append(
            f"- Of earlier runs, some on slower machines, so compare CPU seconds with care: {', '.join(kept)}."
        )
    if rest:
        lines.append(f"- Not measured here: {', '.join(rest)}.")
    if missing:
        lines.append(f"- Not found, left out: {', '.join(missing)}.")
    return lines


if __name__ == "__main__":
    main()
