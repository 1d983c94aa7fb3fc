"""The default: a forest that follows the stream, experts of other kinds beside it, and pools that learn whom to trust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.word_columns import WordFeatures
from streamboost.base.parameter import FLAG, anything, number, one_of, parameter, whole, with_defaults
from streamboost.base.params import BoosterPlan, LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.drift.choice import guard_of
from streamboost.ensemble.adaptive import MAX_FEATURES, POISSON_RATE, TREES, AdaptiveEnsemble
from streamboost.ensemble.common import companion_names
from streamboost.ensemble.options import (
    OPTIONS,
    PAST,
    SIZE,
    EnsembleOptions,
)
from streamboost.ensemble.replay import ReplayBoostingClassifier
from streamboost.ensemble.words import (
    FORGETTING,
    POOL_OF_ALL,
    WINDOWS,
    WORD_OPTIONS,
    WordOptions,
    are_wide,
    for_columns,
    for_open_rows,
    has_temperature,
)
from streamboost.learners import LogisticRegression, NaiveBayes, NearestNeighbors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from streamboost.base.files.manifest import Manifest

VOTE = parameter(
    "vote",
    one_of("log_odds", "accuracy", "uniform"),
    "Weight of a learner's vote: the log odds of its recent accuracy, its accuracy since it was created, or 1.",
)
CHAIN = parameter(
    "chain",
    FLAG,
    "Whether every other learner belongs to a boosting chain, in which examples that earlier members got wrong are "
    "learned more often.",
)
WINDOW = parameter(
    "window",
    number("(1, inf)"),
    "About how many examples count as recent, for votes, the chain and the pool; for the pool, four times `delay` "
    "more.",
)
SHORT_MEMORY = parameter(
    "short_memory",
    whole("[200, 1000000]"),
    'Number of rows that the faster of the two boosted trees of "replay" remembers.',
    to_core=False,
)
CAUTION = parameter(
    "caution",
    number("[0, inf)"),
    'With "replay" or "history": how clearly an expert of the inner pool must lead before it answers alone. The pool must have '
    "made more errors than the expert's e + caution * sqrt(e); a quarter of that is enough where it has also lost more.",
    to_core=False,
)
COMPANIONS = {
    "linear": (("linear", {"learning_rate": 1.0}), ("linear-quick", {"learning_rate": 4.0})),
    "naive-bayes": (("naive-bayes", {}),),
    "neighbors": (("neighbors", {}),),
    "replay": (
        ("replay", {"rounds": 50, "learning_rate": 0.2, "refit": 2.0}),
        (
            "replay-quick",
            {
                "rounds": 15,
                "leaves": 15,
                "bins": 31,
                "learning_rate": 0.25,
                "refit": 1.25,
                "late": 0.5,
            },
        ),
    ),
    "history": (("history", {}),),
}
"""Experts beside the forest: names in the report and in files, and their parameters."""
JUDGE: tuple[str, dict[str, Any]] = ("judge", {"memory": 10_000, "rounds": 30, "leaves": 8, "bins": 31})
"""Comes with "replay", after all others, and sees their answers beside the row."""
DELAYS = 4
"""By so many delays the memory of pools is longer where labels come late."""
OUTER = ("replay", "history")
"""Those that answer beside the pool of the others, in a pool of their own."""
POOL = {
    "referee": True,
    "temperature": False,
    "first_alone": False,
    "prior": 10.0,
    "refill": 1.0,
    "least": 0.0,
    "most": 4.0,
    "caution": 0.0,
    "by_loss": False,
    "information": 0.0,
}
OUTER_POOL = {
    "referee": True,
    "temperature": True,
    "first_alone": True,
    "prior": 20.0,
    "refill": 0.05,
    "least": -0.2,
    "most": 3.0,
    "caution": 1.0,
    "by_loss": False,
    "information": 0.0,
}


class DefaultOptions(EnsembleOptions, WordOptions, total=False):
    """Options of StreamBoostClassifier."""


class StreamBoostClassifier(AdaptiveEnsemble):
    r"""The default: a small adaptive forest, companion models of other kinds, and a combiner that learns to weigh them.

    Needs no scaling and no declared classes; takes nominal and missing values as they come; its memory is bounded.

    When to use it: first. It suits streams that change and streams that do not, few columns or many, without tuning.

    Notes
    -----
    The forest: every tree gets each example :math:`k \sim \mathrm{Poisson}(r)` times (every other tree, as a link of a
    boosting chain, more often where earlier links failed), splits early, and looks at a random part of the columns at each
    node. ADWIN watches the errors of each tree; a warning grows a tree in the background, a drift puts it in its place. A tree
    votes with its class distribution times :math:`\ln(a (K - 1) / (1 - a))`, a being how often it was right lately.

    The companions: two linear learners, one slow and one quick, naive Bayes, and the nearest neighbours among the last 1,000
    rows. A logarithmic opinion pool gives

    .. math:: P_c \propto \exp \sum_m \beta_m \ln p_m(c),

    its weights :math:`\beta` learned by Newton steps on the logarithmic loss with a memory of about `window` examples. A
    referee lets one of them speak alone while it has been right more often than all others and than the pool.

    A second pool of the same kind takes that answer as its first expert. The others are gradient boosted trees over the last
    50,000 rows and over the last 2,000, refitted in small slices while the stream goes on (:class:`ReplayBoostingClassifier`);
    where it is asked for, the labels' own past: how often each label has followed the last two; and a judge, boosted trees
    over the last 10,000 rows that see the answers of all of them beside the row. One temperature w, learned in the same way,
    has the last word on probabilities: :math:`P \propto Q^w`; labels do not change. It stands aside where `calibration` is
    given.

    References
    ----------
    A. Bifet, G. Holmes and B. Pfahringer, Leveraging bagging for evolving data streams, ECML PKDD 2010.
    H. M. Gomes et al., Adaptive random forests for evolving data stream classification, Machine Learning 106, 2017.

    Examples
    --------
    >>> from streamboost import StreamBoostClassifier
    >>> model = StreamBoostClassifier(random_state=7)
    >>> for i in range(300):
    ...     model.learn_one({"size": i % 10, "shop": "abc"[i % 3]}, "large" if i % 10 > 4 else "small")
    >>> model.predict_one({"size": 8, "shop": "a"})
    'large'
    """

    _entry = model_entry("streamboost")
    _parameters = (
        TREES,
        SIZE.saying("Number of trees."),
        POISSON_RATE,
        MAX_FEATURES,
        VOTE,
        CHAIN,
        parameter(
            "companions",
            anything("sequence of names"),
            'Experts beside the forest: "linear" (a slow and a fast learner), "naive-bayes", "neighbors" (nearest neighbours '
            'among the last 1,000 rows), "replay" (boosted trees over the last 50,000 rows and over the last 2,000, refitted '
            'in slices) and "history" (which label usually follows the last two: for streams whose labels arrive before the '
            "next prediction is needed). Use () for none.",
            to_core=False,
        ),
        WINDOW,
        SHORT_MEMORY,
        CAUTION,
        *PAST,
        # No calibration: the pools of the default minimise the logarithmic loss already.
        *with_defaults(OPTIONS, drift="adwin", calibration=None),
        *WORD_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 30,
        poisson_rate: float = 6.0,
        max_features: float | str | None = 0.6,
        vote: str = "log_odds",
        chain: bool = True,
        companions: Sequence[str] = ("linear", "naive-bayes", "neighbors", "replay"),
        window: float = 1000.0,
        short_memory: int = 2000,
        caution: float = 2.0,
        lags: int | Sequence[int] = 0,
        delay: int = 0,
        **options: Unpack[DefaultOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.poisson_rate = poisson_rate
        self.max_features = max_features
        self.vote = vote
        self.chain = chain
        self.lags = lags
        self.delay = delay
        self.companions = companions
        self.window = window
        self.short_memory = short_memory
        self.caution = caution
        self._set_options(options)

    @classmethod
    def _with_params(cls, manifest: Manifest, **more: Any) -> Any:
        # A file that does not name its caution was written when there was none.
        return super()._with_params(replace(manifest, params={"caution": 0.0, **manifest.params}), **more)

    def _booster_plan(self) -> BoosterPlan:
        inner, outer = self._companions_made(outer=False), self._companions_made(outer=True)
        window = self._pool_window()
        own = {**self._lateness(), "temperature": self.calibration is None, "window": window}
        # Of what another pool hears probabilities count: who answers alone must be clearly ahead, or better in them, too.
        pool = {**self._pool(), **({"caution": float(self.caution), "by_loss": True} if outer else {})}
        outer_pool = {**OUTER_POOL, **own, "referee_window": max(0.3 * window, 2.0)}
        return replace(
            super()._booster_plan(),
            companions=inner,
            pool=pool if inner else {},
            outer_companions=outer,
            outer_pool=outer_pool if outer else {},
        )

    def _pool(self) -> dict[str, Any]:
        window = self._pool_window()
        return {**POOL, **self._lateness(), "window": window, "referee_window": window}

    def _pool_window(self) -> float:
        """Rows of one delay are answered by what was known before all of them: they say little more than one row does."""
        return float(self.window) + DELAYS * self.delay

    def _lateness(self) -> dict[str, Any]:
        """Of a pool: answers that are old when their labels come are too sure, so no pool of them is to be surer."""
        return {"total": 1.0 if self.delay else 0.0}

    def _for_columns(self, plan: BoosterPlan, columns: Schema) -> BoosterPlan:
        most, window = self.max_tree_columns, WINDOWS * self._pool_window()
        if columns.stored and not any(name.endswith("pool/pool_lost") for name in columns.stored):
            plan = replace(plan, pool={**plan.pool, "by_loss": False} if plan.pool else {})  # as in 1.0.0
        pool = {
            **POOL_OF_ALL,
            **self._lateness(),
            "temperature": self.calibration is None and (self.delay > 0 or has_temperature(columns)),
            "window": window,
            "referee_window": window,
        }
        if not are_wide(columns, most):
            return for_open_rows(plan, columns, most, "hashed", pool, self._memory())
        plan = replace(
            plan,
            pool={**plan.pool, **FORGETTING} if plan.pool else {},
            outer_pool={**plan.outer_pool, **FORGETTING} if plan.outer_pool else {},
        )
        return for_columns(plan, columns, most, "hashed", pool, self._memory(words=True))

    def _learner_for_columns(self, plan: LearnerPlan, columns: Schema) -> LearnerPlan:
        return self._within_memory(plan, words=are_wide(columns, self.max_tree_columns))

    def _word_features(self) -> WordFeatures:
        return WordFeatures(self.text_features, self.identifier_features)

    def _companions_made(self, *, outer: bool) -> tuple[dict[str, Any], ...]:
        names = [name for name in self._companion_names() if (name in OUTER) is outer]
        judge = [JUDGE] if "replay" in names else []
        return tuple(
            self._companion(*entry)
            for entry in (*(entry for name in names for entry in COMPANIONS[name]), *judge)
        )

    def _companion_names(self) -> list[str]:
        return companion_names(self.companions, COMPANIONS)

    def _remembers_rows(self) -> bool:
        return "replay" in self._companion_names()

    def _ring_bytes(self) -> dict[str, int]:
        """Return what each memory of rows may take: most of it is for the long one."""
        whole = max(self._memory().rows, 8)
        quick, judge = whole // 4, whole // 8
        return {"replay": whole - quick - judge, "replay-quick": quick, "judge": judge}

    def _companion(self, name: str, params: dict[str, Any]) -> dict[str, Any]:
        lone = {"name": name, "learner": "", "params": {}, "guard": {}, "size": 1}
        if name == "history":
            return {**lone, "booster": "history", "booster_params": {"delay": int(self.delay)}}
        rings = self._ring_bytes()
        if name in rings:
            short = {"memory": int(self.short_memory)} if name == "replay-quick" else {}
            core = {**ReplayBoostingClassifier()._core_params(), **params, **short, "max_bytes": rings[name]}
            return {**lone, "booster": "replay", "booster_params": core}
        made = {"naive-bayes": NaiveBayes, "neighbors": NearestNeighbors}
        plan = made.get(name, LogisticRegression)(**params).plan()
        guard = guard_of("adwin", False, "learner") if name == "naive-bayes" else {}
        return {"name": name, "learner": plan.bank, "params": plan.params, "guard": guard}
