"""``streamboost drift`` and the reproduction without published figures."""

import json


def test_alarms_on_a_stream_with_known_changes(run, tmp_path):
    data = "agrawal:drift=abrupt,every=1000,concepts=1+3+5+7"
    out = run(
        "drift",
        data,
        "--limit",
        "4000",
        "--detector",
        "hddm-w,adwin(delta=0.005)",
        "--json",
        tmp_path / "d.json",
    )
    assert "4,000 rows" in out.stdout
    assert "adwin(delta=0.005)" in out.stdout
    assert "every 100 rows" in out.stdout
    assert "of 3" in out.stdout
    saved = json.loads((tmp_path / "d.json").read_text())
    assert [one["detector"] for one in saved] == ["hddm-w", "adwin(delta=0.005)", "every 100 rows"]
    assert saved[-1]["changes"] == [1000, 2000, 3000]


def test_alarms_in_a_file(run, fails, tmp_path):
    path = tmp_path / "turns.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{(i % 7 > 3) ^ (i >= 600):d}\n" for i in range(1200)))
    plain = run("drift", path, "--detector", "ddm")
    assert "first at row" in plain.stdout
    judged = run("drift", path, "--detector", "ddm", "--changes", "600", "--tolerance", "200")
    assert "0 of 1" in judged.stdout
    assert "must be whole numbers of rows" in fails("drift", path, "--changes", "soon")
    assert "--changes 1200: " in fails("drift", path, "--changes", "600,1200")
    assert "nodetector" in fails("drift", path, "--detector", "nodetector")
    assert "There is no detector 'adwinn'; did you mean 'adwin'?" in fails("drift", path, "-d", "ddm;adwinn")


def test_the_table_of_the_defensive_booster(run, fails, tmp_path):
    out = run(
        "reproduce", "noarov2026", "--quick", "--datasets", "hyperplane,adult", "--out", tmp_path / "out"
    )
    assert "Defensive, adaptive" in out.stdout
    figures = json.loads((tmp_path / "out" / "figures.json").read_text())
    assert figures["hyperplane"]["Defensive"] < figures["hyperplane"]["OSBoost"]
    assert "is none of" in fails("reproduce", "noarov2026", "--datasets", "moon")
    assert "did you mean noarov2026?" in fails("reproduce", "noarov2025")
