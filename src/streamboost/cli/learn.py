"""The ``learn`` command: a saved model goes on learning from a file or pipe."""

from __future__ import annotations

import os
from pathlib import Path

from streamboost.cli.console import stdout
from streamboost.cli.live import Checkpoints, Every, Place, facts_for, learn_live
from streamboost.cli.models import OpenModel
from streamboost.cli.run import bad_lines, result_table, say_stopped
from streamboost.cli.stopping import Stop
from streamboost.streams import Stream


def learn(opened: OpenModel, stream: Stream, save: Path, stop: Stop, *, every: Every, resume: bool) -> None:
    """Learn all rows, then save: a file that cannot be read to its end leaves what was saved last as it was."""
    model = opened.model
    start = Place.of(model, opened.path, stream.name) if resume else Place(stream.name)
    checkpoints = Checkpoints(every, start, lambda place: model.save(save, metadata=facts_for(model, place)))
    result = learn_live(model, stream, stop, checkpoints, name=opened.name)
    console = stdout()
    title = f"{opened.name} on {os.path.basename(stream.name)}, before learning each row"
    console.print(result_table([result], title, bad_lines=bad_lines(stream)))
    stopped = checkpoints.place if stop.asked is not None else None
    model.save(save, metadata=facts_for(model, stopped))
    say_stopped(console, start, checkpoints.place, stopped is not None, save if stream.repeatable else None)
    console.print(f"model: {save}", highlight=False, soft_wrap=True)
    if stopped is not None:
        stop.exit()
