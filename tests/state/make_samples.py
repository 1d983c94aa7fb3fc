"""Write the sample files that are missing for the present format: `python -m tests.state.make_samples`.

What is there is never written again: files of a released version must load for ever.
"""

from __future__ import annotations

import json
from pathlib import Path

from streamboost.base.files.archive import FORMAT_VERSION
from tests.inside.handles import session_of
from tests.state.models import answers, build

HERE = Path(__file__).parent / "files"


def main() -> None:
    HERE.mkdir(exist_ok=True)
    book = HERE / f"v{FORMAT_VERSION}.json"
    known = json.loads(book.read_text()) if book.exists() else {}
    for name, model in build().items():
        if name in known:
            continue
        if model.random_state is None:
            session_of(model).seed = 5  # any fixed key: only later draws depend on it
        model.save(HERE / f"v{FORMAT_VERSION}-{name}.sboost")
        known[name] = answers(name, model)
    book.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
