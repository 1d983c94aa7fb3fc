"""The ``learn`` command: a saved model goes on learning from a file or pipe."""

from __future__ import annotations

import os
from pathlib import Path

from streamboost.cli.console import progress_bar, stdout
from streamboost.cli.errors import plain_warnings
from streamboost.cli.models import OpenModel
from streamboost.cli.run import bad_lines, result_table
from streamboost.evaluate import prequential
from streamboost.streams import Stream


def learn(opened: OpenModel, stream: Stream, save: Path) -> None:
    """Learn all rows, then save: a file that cannot be read to its end leaves the old model as it was."""
    model = opened.model
    with plain_warnings(), progress_bar() as progress:
        result = prequential(model, stream, callback=progress, name=opened.name)
    console = stdout()
    title = f"{opened.name} on {os.path.basename(stream.name)}, before learning each row"
    console.print(result_table([result], title, bad_lines=bad_lines(stream)))
    model.save(save)
    console.print(f"model: {save}", highlight=False, soft_wrap=True)
