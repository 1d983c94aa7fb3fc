"""Write the sample files of the present format: `python -m tests.state.make_samples`.

Run it once per released format version, and never again for that version: the files must load for ever. (Before the
first release it may be run whenever the format changes.)
"""

from __future__ import annotations

import json
from pathlib import Path

from streamboost.base.files.archive import FORMAT_VERSION
from tests.state.models import X, build, rows

HERE = Path(__file__).parent / "files"


def main() -> None:
    HERE.mkdir(exist_ok=True)
    answers = {}
    for name, model in build().items():
        if model.random_state is None:
            model._session.seed = 5  # any fixed key: only later draws depend on it
        model.save(HERE / f"v{FORMAT_VERSION}-{name}.sboost")
        if name == "dicts":
            answers[name] = [list(model.predict_proba_one(row).values()) for row in rows()[:5]]
        else:
            answers[name] = model.predict_proba(X[:5]).tolist()
    (HERE / f"v{FORMAT_VERSION}.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
