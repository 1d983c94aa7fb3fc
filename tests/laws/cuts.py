"""The laws over one stream: it does not matter how rows are cut into calls, or what a model went through between them."""

import itertools
import pickle

import numpy as np

from streamboost import models
from tests.inside.handles import bits


def check_cuts(fresh, X, y, weight, edges, path, **kind):
    """Chunks with a file, a pickle and two threads, and single rows: the answers and the state of one call, bit for bit.

    Asking changes nothing, whatever rows are asked about together, and rows of weight 0 change nothing. ``kind``: arguments of
    ``test_then_train`` if classes are learned.
    """

    def serve(model, begin, end):
        rows = slice(begin, end)
        return model.test_then_train(X[rows], y[rows], sample_weight=weight[rows], **kind)

    model = fresh()
    whole = serve(model, 0, len(y))
    pieces, got = fresh().set_params(n_jobs=2), []
    for a, b in itertools.pairwise([*edges, len(y)]):
        got.append(serve(pieces, a, b))
        pieces.save(path)
        pieces = pickle.loads(pickle.dumps(models.load(path)))
    assert np.concatenate(got).tobytes() == whole.tobytes()
    assert bits(pieces) == bits(model)
    rows = fresh()
    one_by_one = [serve(rows, t, t + 1) for t in range(len(y))]
    assert np.concatenate(one_by_one).tobytes() == whole.tobytes()
    assert bits(rows) == bits(model)

    before, answers = bits(model), model.predict_proba if kind else model.predict
    assert answers(X).tobytes() == answers(X).tobytes()
    assert answers(X).tobytes() == np.concatenate([answers(X[:1]), answers(X[1:])]).tobytes()
    model.partial_fit(X[:20], y[:20], sample_weight=np.zeros(20))
    assert bits(model) == before
