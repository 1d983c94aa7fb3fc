"""What the service is measured beside: Flask with the model in a shelve, written as such services are, and vw's daemon."""

from __future__ import annotations

import shelve
import sys
from pathlib import Path
from typing import Any


def flask_and_shelve(folder: Path, port: int) -> None:
    """Predict and learn; the model goes back into the shelve after every example."""
    from flask import Flask, request

    from streamboost.models import build

    app = Flask("shelved")
    store = shelve.open(str(folder / "shelf"))  # noqa: SIM115 (open as long as the process lives)
    if "model" not in store:
        store["model"] = build("osboost", "naive-bayes", {"n_estimators": 10}, seed=0)
    model: Any = store["model"]

    @app.post("/predict")
    def predict() -> dict[str, Any]:
        body = request.get_json()
        return {
            "label": model.predict_one(body["features"]),
            "probabilities": model.predict_proba_one(body["features"]),
        }

    @app.post("/learn")
    def learn() -> dict[str, Any]:
        body = request.get_json()
        model.learn_one(body["features"], body["label"])
        store["model"] = model
        return {"learned": True}

    from werkzeug.serving import WSGIRequestHandler, make_server

    WSGIRequestHandler.protocol_version = "HTTP/1.1"
    make_server("127.0.0.1", port, app, threaded=True).serve_forever()


def learned_by_shelf(folder: Path) -> int | None:
    """How many examples the model knows that is in the shelve; None if it cannot be read."""
    try:
        with shelve.open(str(folder / "shelf"), flag="r") as store:
            return int(store["model"].n_learned_)
    except Exception:
        return None


if __name__ == "__main__":
    import logging

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    flask_and_shelve(Path(sys.argv[1]), int(sys.argv[2]))
