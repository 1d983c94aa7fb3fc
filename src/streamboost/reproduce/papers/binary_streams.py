"""The streams that Chen et al. and Bai et al. share, as LIBSVM distributes them."""

from __future__ import annotations

from streamboost.reproduce.study import DataEntry

_COUNTED = {"naive_bayes": ("nominal",)}
_ONE_HOT = "all columns are 0 or 1: naive Bayes counts them"
_SCALED = "scaled to [-1, 1], as LIBSVM's scaled file is"

SMALL = (
    DataEntry("Heart", "heart"),
    DataEntry("Breast-Cancer", "breast-cancer-libsvm"),
    DataEntry("Australian", "australian"),
    DataEntry("Diabetes", "diabetes"),
    DataEntry("German", "german", ("scale:-1",), note=_SCALED),
    DataEntry(
        "Splice", "splice", note="raw values 1 to 4: they fit the published perceptrons, scaled ones do not"
    ),
    DataEntry("Mushrooms", "mushrooms", note=_ONE_HOT, learner_steps=_COUNTED),
)
ADULT = DataEntry("Adult", "a9a", note=f"a9a, training and test file; {_ONE_HOT}", learner_steps=_COUNTED)
COD_RNA = DataEntry(
    "Cod-RNA",
    "cod-rna-train",
    ("scale:-1",),
    note="only the training file, 59,535 of the paper's 488,565 rows; scaled to [-1, 1]",
    other=True,
)
COVERTYPE = DataEntry(
    "Covertype",
    "covtype",
    ("one-class:2", "scale:0"),
    {"nominal": ()},
    note="class 2 against the rest, scaled to [0, 1], as LIBSVM's scaled file is",
)
IJCNN1 = DataEntry("Ijcnn1", "ijcnn1")
WEBPAGE = DataEntry(
    "WebPage",
    "webpage-w8a",
    note="w8a, 64,700 rows; the paper's 412,943 are w1a to w8a one after the other, the same rows up to eight times; "
    + _ONE_HOT,
    learner_steps=_COUNTED,
)
CHEN = (*SMALL, ADULT, IJCNN1, COD_RNA, WEBPAGE, COVERTYPE)
EXTRA = (
    DataEntry("Ionosphere", "ionosphere"),
    DataEntry("Sonar", "sonar"),
    DataEntry("SVMguide3", "svmguide3", ("scale:-1",), note=_SCALED),
)
