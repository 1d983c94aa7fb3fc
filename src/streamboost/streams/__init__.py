"""Streams of labelled rows: files, standard input, arrays in memory, generators.

A stream yields :class:`Chunk` objects and holds no more of the data than one chunk at a time.
"""

from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    ArrayStream,
    Chunk,
    Coding,
    DataError,
    DataWarning,
    Label,
    Stream,
    as_stream,
    first_rows,
    limited,
    to_arrays,
)
from streamboost.streams.datasets import (
    BUILTIN,
    CACHE_VARIABLE,
    DATA_VARIABLE,
    BuiltinSet,
    Dataset,
    cache_folder,
    load_builtin,
    registered,
)
from streamboost.streams.generators import (
    GENERATORS,
    NUMBER_GENERATORS,
    AgrawalStream,
    DriftStream,
    FriedmanStream,
    GeneratedStream,
    HyperplaneDistanceStream,
    HyperplaneStream,
    LabelNoiseStream,
    LEDStream,
    RandomRBFStream,
    SEAStream,
    SensorStream,
    SyntheticStream,
    WaveformStream,
    make_generator,
)
from streamboost.streams.open import DataFile, data_files, load, open_stream
from streamboost.streams.readers.arff import ArffStream, SparseArffStream, open_arff
from streamboost.streams.readers.columns import ExpectedColumns
from streamboost.streams.readers.csv import CsvStream
from streamboost.streams.readers.jsonl import JsonLinesStream
from streamboost.streams.readers.libsvm import LibsvmStream
from streamboost.streams.readers.limits import Limits
from streamboost.streams.readers.parquet import ArrowStream
from streamboost.streams.readers.vw import VwStream

__all__ = [
    "BUILTIN",
    "CACHE_VARIABLE",
    "DATA_VARIABLE",
    "DEFAULT_CHUNK_SIZE",
    "GENERATORS",
    "NUMBER_GENERATORS",
    "AgrawalStream",
    "ArffStream",
    "ArrayStream",
    "ArrowStream",
    "BuiltinSet",
    "Chunk",
    "Coding",
    "CsvStream",
    "DataError",
    "DataFile",
    "DataWarning",
    "Dataset",
    "DriftStream",
    "ExpectedColumns",
    "FriedmanStream",
    "GeneratedStream",
    "HyperplaneDistanceStream",
    "HyperplaneStream",
    "JsonLinesStream",
    "LEDStream",
    "Label",
    "LabelNoiseStream",
    "LibsvmStream",
    "Limits",
    "RandomRBFStream",
    "SEAStream",
    "SensorStream",
    "SparseArffStream",
    "Stream",
    "SyntheticStream",
    "VwStream",
    "WaveformStream",
    "as_stream",
    "cache_folder",
    "data_files",
    "first_rows",
    "limited",
    "load",
    "load_builtin",
    "make_generator",
    "open_arff",
    "open_stream",
    "registered",
    "to_arrays",
]
