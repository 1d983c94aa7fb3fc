"""Streams of labelled rows: files, standard input, arrays in memory, generators.

A stream yields :class:`Chunk` objects and holds no more of the data than one chunk at a time.
"""

from streamboost.streams.arff import ArffStream, SparseArffStream, open_arff
from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    ArrayStream,
    Chunk,
    DataError,
    Label,
    Stream,
    as_stream,
    limited,
    to_arrays,
)
from streamboost.streams.builtin import BUILTIN, BuiltinSet, load_builtin
from streamboost.streams.columns import Known
from streamboost.streams.csv import CsvStream
from streamboost.streams.datasets import CACHE_VARIABLE, DATA_VARIABLE, Dataset, cache_folder, registered
from streamboost.streams.generators import (
    GENERATORS,
    AgrawalStream,
    DriftStream,
    GeneratedStream,
    HyperplaneStream,
    LabelNoiseStream,
    LEDStream,
    RandomRBFStream,
    SEAStream,
    SyntheticStream,
    WaveformStream,
    make_generator,
)
from streamboost.streams.jsonl import JsonLinesStream
from streamboost.streams.libsvm import LibsvmStream
from streamboost.streams.parquet import ArrowStream
from streamboost.streams.registry import DataFile, data_files, load, open_stream
from streamboost.streams.vw import VwStream

__all__ = [
    "BUILTIN",
    "CACHE_VARIABLE",
    "DATA_VARIABLE",
    "DEFAULT_CHUNK_SIZE",
    "GENERATORS",
    "AgrawalStream",
    "ArffStream",
    "ArrayStream",
    "ArrowStream",
    "BuiltinSet",
    "Chunk",
    "CsvStream",
    "DataError",
    "DataFile",
    "Dataset",
    "DriftStream",
    "GeneratedStream",
    "HyperplaneStream",
    "JsonLinesStream",
    "Known",
    "LEDStream",
    "Label",
    "LabelNoiseStream",
    "LibsvmStream",
    "RandomRBFStream",
    "SEAStream",
    "SparseArffStream",
    "Stream",
    "SyntheticStream",
    "VwStream",
    "WaveformStream",
    "as_stream",
    "cache_folder",
    "data_files",
    "limited",
    "load",
    "load_builtin",
    "make_generator",
    "open_arff",
    "open_stream",
    "registered",
    "to_arrays",
]
