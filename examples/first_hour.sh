#!/usr/bin/env bash
# A user's first hour with streamboost, as several people live it. It makes its own data in a folder that it removes, and stops at
# the first thing that goes wrong.
set -euo pipefail
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

say() { printf '\n== %s\n' "$*"; }

python3 - <<'PYTHON'
import json, random

draw = random.Random(7)
with open("loans.csv", "w") as file:
    print("age,income,job,risk", file=file)
    for number in range(3000):
        age, income, job = draw.randint(18, 80), draw.gauss(40, 12), draw.choice(["clerk", "cook", "pilot"])
        risk = "low" if income > 45 else "high" if income < 30 else "middle"
        cells = [str(age), f"{income:.1f}", job, risk]
        if number % 10 == 0:
            cells[draw.randrange(3)] = draw.choice(["NA", "", "null", "?"])
        print(",".join(cells), file=file)
with open("events.jsonl", "w") as file:
    for number in range(2000):
        heat, site = draw.gauss(60, 10), draw.choice(["north", "south"])
        label = "alarm" if heat > (82 if site == "north" else 80) else "fine"
        print(json.dumps({"heat": heat, "site": site, "label": label}), file=file)
with open("office.csv", "w", encoding="latin-1") as file:
    print("class;größe;datum", file=file)
    for number in range(600):
        size = draw.uniform(0, 9)
        word, number_text = "groß" if size > 5 else "klein", f"{size:.2f}".replace(".", ",")
        print(f"{word};{number_text};2024-03-{1 + number % 28:02}", file=file)
with open("list.json", "w") as file:
    rows = [{"day": f"2024-05-{1 + i % 28:02}", "wind": draw.gauss(6, 2), "power": 0.0} for i in range(800)]
    json.dump([{**row, "power": round(row["wind"] ** 2 + draw.gauss(0, 1), 2)} for row in rows], file, indent=1)
with open("my_ideas.py", "w") as file:
    file.write(
        "from streamboost import PythonBooster\n"
        "class Stubborn(PythonBooster):\n"
        "    def __init__(self, estimator=None, *, factor=2.0, **options):\n"
        "        super().__init__(estimator, **options)\n"
        "        self.factor = factor\n"
        "    def weigh(self, state, lane, answer, example):\n"
        "        return self.factor if answer[example.label] < 0.5 else 1.0\n"
    )
PYTHON

say "A data scientist: a CSV file with holes, three classes, no options"
streamboost run loans.csv --save loans.sboost --importances > table.txt 2> said.txt
cat said.txt table.txt
grep -q "classification of column 'risk' (the last column)" said.txt
grep -q "majority" table.txt
grep -q "What the model looks at" table.txt
streamboost show loans.sboost | sed -n 1,7p
streamboost predict loans.sboost loans.csv --out answers.csv --proba --limit 100
streamboost explain loans.sboost loans.csv --limit 2

say "An office: semicolons, decimal commas, a date, an old encoding, the label in front"
streamboost run office.csv --encoding latin-1 --limit 500 2> said.txt
cat said.txt
grep -q "decimal comma" said.txt
grep -q "its parts are read" said.txt
grep -q "column 'class' (by its name)" said.txt

say "A list of JSON objects with dates, numbers to predict: which columns matter?"
streamboost run list.json --importances --report > table.txt 2> said.txt
cat said.txt
grep -q "regression of column 'power'" said.txt
grep -A2 "What the model looks at" table.txt
if python3 -c "import openpyxl" 2> /dev/null; then
    python3 -c "
import json, openpyxl
book, rows = openpyxl.Workbook(), json.load(open('list.json'))
book.active.append(list(rows[0]))
for row in rows:
    book.active.append(list(row.values()))
book.save('list.xlsx')"
    streamboost run list.xlsx 2> /dev/null
fi

say "A frame: dates as they are, columns in another order when it asks"
python3 - <<'PYTHON'
import pandas as pd
from streamboost import StreamBoostRegressor

frame = pd.read_json("list.json")
frame["day"] = pd.to_datetime(frame["day"])
X, y = frame[["day", "wind"]], frame["power"]
model = StreamBoostRegressor(random_state=1).partial_fit(X, y)
assert (model.predict(X[["wind", "day"]]) == model.predict(X)).all()
print(", ".join(model.feature_names_in_))
PYTHON

say "An engineer: events through a pipe, learned as they come, saved every hundred, told to stop, gone on with"
head -n 500 events.jsonl | streamboost run - --model oza-boost -n 20 --save events.sboost
mkfifo pipe
streamboost learn events.sboost - --format jsonl --checkpoint-every 100 < pipe 2> log.txt &
learner=$!
exec 3> pipe
sed -n 501,900p events.jsonl >&3
until grep -q "saved after" log.txt; do
    kill -0 "$learner"
    sleep 0.1
done
kill -TERM "$learner"
wait "$learner"
exec 3>&-
streamboost show events.sboost | sed -n "/rows learned/p"
sed -n 901,905p events.jsonl | streamboost predict events.sboost -

say "Somebody with a rare class: who is best, and is that any good?"
streamboost compare events.jsonl --models streamboost,oza-boost,bagging --rank-by g_mean --positive alarm --limit 1000 --jobs 1 --out comparison
test -s comparison/summary.csv

say "A researcher: an idea in three lines of Python, and several learners under one roof"
streamboost run loans.csv --limit 500 --model my_ideas:Stubborn --param factor=3 --learner naive-bayes -n 3
streamboost compare loans.csv --limit 500 --models streamboost,my_ideas:Stubborn,my_ideas:Stubborn:factor=3 --jobs 1 --out ideas
streamboost run loans.csv --limit 500 --model hedge --learner naive-bayes,stump

say "Somebody who makes a mistake: one line that says what to do"
if streamboost run loans.csv --model osboost 2> said.txt; then exit 1; fi
grep -- "--model streamboost" said.txt
if streamboost run loans.csv --model arf 2> said.txt; then exit 1; fi
grep "did you mean adaptive-random-forest" said.txt
if STREAMBOOST_DATA="$PWD" STREAMBOOST_CACHE="$PWD" streamboost reproduce chen2012 --table 1 --quick 2> said.txt; then exit 1; fi
grep -- "--fetch" said.txt
say "done"
