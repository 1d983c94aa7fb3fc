"""Another process writes events, one JSON object a line; a model learns them as they come.

The same can be had without a script: `some-program | streamboost run - --format jsonl --label class`. Here the reader also saves
the model now and then; loaded again, it goes on exactly where it stopped.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import streamboost
from streamboost import NaiveBayes, OnlineBoostingClassifier

WRITER = """
import json, random
draw = random.Random(4)
for number in range(3000):
    heat, load, site = draw.gauss(60, 10), draw.random(), draw.choice(["north", "south"])
    late = heat + 20 * load > 72 if site == "north" else heat > 66
    print(json.dumps({"heat": heat, "load": load, "site": site, "class": "late" if late else "in time"}), flush=True)
"""


def main():
    """Read events from the pipe until it ends."""
    model = OnlineBoostingClassifier(NaiveBayes(), n_estimators=20, random_state=1)
    right = n = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.sboost"
        with subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE, text=True) as writer:
            for line in writer.stdout:
                event = json.loads(line)
                label = event.pop("class")
                right += model.predict_one(event) == label
                model.learn_one(event, label)
                n += 1
                if n % 1_000 == 0:
                    model.save(file)
                    model = streamboost.load(file)  # as after a restart
                    print(f"{n} events, error {1 - right / n:.1%}, {file.stat().st_size:,} bytes saved")
    print(model.predict_proba_one({"heat": 75.0, "site": "south"}))


if __name__ == "__main__":
    main()
