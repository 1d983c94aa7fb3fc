"""The live page in a real Chromium: what people see, on a phone and on a desk, by day and by night."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamboost.service.http import tokens
from streamboost.service.store import Work
from streamboost.service.store.records import Kind
from tests.service.test_http import DESCRIPTION, Running
from tests.waiting import PATIENCE

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text()
SHOTS = os.environ.get("STREAMBOOST_SHOTS")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=1000 * PATIENCE
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: Any) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "RELOAD", 0.0)  # new tokens are known at once
        yield from served(tmp_path_factory.mktemp("page"))


def served(folder: Path) -> Iterator[Running]:
    found = Running(folder, open_to_all=False)
    found.store.create("loans", **{**DESCRIPTION, "params": {"n_estimators": 30}})
    found.store.add_shadow(
        "loans", "challenger", model="bagging", learner="naive-bayes", params={"n_estimators": 5}
    )
    rng = random.Random(1)
    for i in range(400):
        teach(found, rng, i)
    yield found
    found.close()


def teach(running: Running, rng: random.Random, i: int) -> None:
    x = rng.gauss(0, 1)
    features = {"income": round(x, 2), "job": rng.choice(["clerk", "nurse"])}
    running.store.predict("loans", features, id=f"e{i}")
    running.store.label("loans", f"e{i}", "paid" if x + rng.gauss(0, 0.4) > 0 else "lost")


@pytest.fixture
def page(browser: Any, running: Running) -> Iterator[Any]:
    yield from opened(browser, running)


def opened(browser: Any, running: Running, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """A page with a token, which fails on errors of the console and on requests to other hosts."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.faults = []
    page.on("console", lambda m: page.faults.append(m.text) if m.type == "error" and not page.calm else None)
    page.on("pageerror", lambda e: page.faults.append(str(e)))
    host = f"127.0.0.1:{running.port}"
    page.on(
        "request", lambda r: None if host in r.url or r.url.startswith("data:") else page.faults.append(r.url)
    )
    page.calm = False
    token = tokens.create(running.store.folder, ["admin"], name="page")
    page.goto(f"http://{host}/")
    page.evaluate("token => sessionStorage.setItem('token', token)", token)
    page.wait_for_selector("#token-dialog[open]")
    page.reload()
    page.faults.clear()  # the first answer was 401
    yield page
    assert page.faults == []
    context.close()


def show_model(page: Any) -> None:
    page.click(".card")
    page.wait_for_selector("#state[data-state=live]")
    page.wait_for_selector("#error canvas")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_looks_right_and_is_accessible(browser: Any, running: Running, width: int, scheme: str) -> None:
    for page in opened(browser, running, width, scheme):
        page.wait_for_selector(".card")
        for name in ("list", "model"):
            if name == "model":
                show_model(page)
                page.wait_for_selector("#events tbody tr")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"the page is {wide} wide"
            page.evaluate(AXE)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            grave = [
                (v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")
            ]
            assert grave == []
            if SHOTS:
                page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)


def test_a_example_shows_up_and_a_prediction_can_be_tried(page: Any, running: Running) -> None:
    show_model(page)
    before = running.store.scores("loans")["n"]
    running.store.learn("loans", {"income": 1.0, "job": "clerk"}, "paid", id="seen-on-the-page")
    page.wait_for_selector("#events td:has-text('seen-on-the-page')")
    page.wait_for_function(
        "n => document.querySelector('#numbers').innerText.includes(n)", arg=str(before + 1)
    )
    page.fill("#features", '{"income": 3.0, "job": "clerk"}')
    page.click("#try button")
    page.wait_for_selector("#answer:has-text('paid')")
    page.calm = True  # the browser notes a refusal in its console
    page.fill("#features", '{"income": "much"}')
    page.click("#try button")
    page.wait_for_selector("#answer:has-text('numeric')")


def test_a_model_made_without_options(browser: Any, running: Running) -> None:
    """The default, with nothing said: no "undefined", a baseline, a legend for what is marked, no empty panel."""
    running.store.create("plain")
    rng = random.Random(5)
    work = [
        Work(
            Kind.EXAMPLE,
            None,
            {"x": (x := rng.gauss(0, 1)), "y": rng.random()},
            "yes" if (x > 0) != (i > 1500) else "no",
        )
        for i in range(2500)
    ]
    running.store.submit("plain", work).result()
    running.store.reader("plain", running.store.stream("plain").champion.seq, timeout=PATIENCE)
    try:
        for page in opened(browser, running):
            page.click(".card:has-text('plain')")
            page.wait_for_selector("#error canvas")
            page.wait_for_selector("#numbers:has-text('last label alone')")
            text = page.inner_text("body")
            assert "undefined" not in text
            assert "lesson" not in text.lower()
            assert "plain answers: streamboost" in text
            assert "It can go back to any record from" in text
            assert page.is_hidden("#bounds-part")
            assert page.is_hidden("#delay-part")
            page.wait_for_selector("#marks:has-text('drift: a learner was replaced')")
            page.wait_for_selector("#importances:has-text('x')")
            page.wait_for_selector("#lanes .scale canvas")
            top = page.evaluate("plots.get('error').plot.scales.y.max")
            highest = max(running.store.stream("plain").champion.scores.curve(600)["high"][-300:])
            assert top < max(0.9, 1.3 * highest)
    finally:
        running.store.delete("plain")


def test_champion_and_challenger_since_it_joined(page: Any, running: Running) -> None:
    show_model(page)
    page.wait_for_selector("#shadows th:has-text('since it joined')")
    page.wait_for_selector("#shadows td:has-text('(champion ')")


def test_a_bandit(browser: Any, tmp_path: Path) -> None:
    running = Running(tmp_path, open_to_all=False)
    running.store.create("articles", model="bandit", learner="naive-bayes", classes=["art", "news"], seed=1)
    for t in range(60):
        shown = running.store.act("articles", {"age": t % 9}, f"visit-{t}").answer.label
        if t < 50:
            running.store.reward("articles", f"visit-{t}", shown == ("art" if t % 9 > 4 else "news"))
    for page in opened(browser, running):
        show_model(page)
        page.wait_for_selector("#events td:has-text('visit-49')")
        heads = page.locator("#events th").all_inner_texts()
        assert [head.lower() for head in heads][2:4] == ["shown", "reward"]
        assert page.locator("#events .right").count() > 0
        assert "log loss" not in page.inner_text("#numbers").lower()
        assert page.locator("#queries-part").is_hidden(), "ten events wait, for rewards and not for labels"
        page.fill("#features", '{"age": 8}')
        page.click("#try button")
        page.wait_for_selector("#answer:has-text('art')")
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    running.close()


def test_an_alarm_is_shown(page: Any, running: Running) -> None:
    running.app.service.alarms.active = {("loans", "error"): "loans: something deserves a look."}
    show_model(page)
    running.app.service.alarms.active = {("loans", "error"): "loans: something deserves a look."}
    page.wait_for_selector("#alarms:has-text('deserves a look')")


def test_a_wrong_token_is_not_a_missing_one(browser: Any, running: Running) -> None:
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{running.port}/")
    page.wait_for_selector("#token-dialog[open]")
    page.wait_for_selector("#state:has-text('a token is needed')")
    assert page.inner_text("#token-why") == ""
    page.fill("#token", "sb_12345678_wrong")
    page.click("#token-form button")
    page.wait_for_selector("#token-why:has-text('not known')")
    context.close()


def test_promote(page: Any, running: Running) -> None:
    show_model(page)
    page.click("button:has-text('Promote challenger')")
    page.wait_for_selector("#what:has-text('challenger answers')")
    assert running.store.describe("loans")["champion"]["name"] == "challenger"
    page.click("button:has-text('Promote loans')")
    page.wait_for_selector("#what:has-text('loans answers')")


def test_the_token_is_asked_for_once(browser: Any, running: Running) -> None:
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{running.port}/")
    page.wait_for_selector("#token-dialog[open]")
    page.fill("#token", tokens.create(running.store.folder, ["read"], name="reader"))
    page.click("#token-form button")
    page.wait_for_selector(".card")
    page.reload()
    page.wait_for_selector(".card")
    assert not page.is_visible("#token-dialog")
    context.close()


def test_offline_and_back(page: Any, running: Running) -> None:
    show_model(page)
    page.calm = True
    page.context.set_offline(True)
    running.app.service.stopping.set()  # ends the streams that are open
    page.wait_for_selector("#state[data-state=offline]")
    running.app.service.stopping.clear()
    page.context.set_offline(False)
    page.wait_for_selector("#state[data-state=live]")
    assert page.is_hidden("#state[data-state=offline]")


def test_a_long_history_opens_quickly(browser: Any, running: Running) -> None:
    """A million examples are a few hundred points by the time they reach the page."""
    history = running.store.stream("loans").champion.scores.history
    rng = random.Random(2)
    for i in range(300_000):
        history.extend([rng.random() < 0.2], [float(i)])
    for page in opened(browser, running):
        page.wait_for_selector(".card")
        begin = time.monotonic()
        show_model(page)
        assert time.monotonic() - begin < 60  # a second on a quiet machine
        assert len(running.store.stream("loans").champion.scores.curve(600)["n"]) <= 600


def test_no_model_and_no_such_model(browser: Any, tmp_path: Path) -> None:
    running = Running(tmp_path / "s")
    try:
        context = browser.new_context()
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{running.port}/")
        page.wait_for_selector("#empty:not([hidden])")
        page.goto(f"http://127.0.0.1:{running.port}/#/none")
        page.wait_for_selector("#notice:has-text('no model')")
        context.close()
    finally:
        running.close()


# Events that deserve a label.


@pytest.fixture
def waiting(running: Running) -> Iterator[list[str]]:
    """Events of which the model is sure and unsure, without labels."""
    ids = [f"ask-{i}-{time.monotonic_ns()}" for i in range(25)]
    for i, id in enumerate(ids):
        running.store.predict(
            "loans", {"income": 0.02 * (i % 3) if i < 5 else 3.0 + i, "job": "clerk"}, id=id
        )
    yield ids
    for id in ids:
        running.store.label("loans", id, "paid")


def test_the_events_that_deserve_a_label(running: Running, waiting: list[str]) -> None:
    found = running.store.label_wishes("loans", 5)
    assert {event["id"] for event in found["events"]} == set(waiting[:5])
    assert [event["seq"] for event in found["events"]] == sorted(
        (e["seq"] for e in found["events"]), reverse=True
    )
    assert found["labels"] == ["lost", "paid"]


def test_labels_by_keyboard(page: Any, running: Running, waiting: list[str]) -> None:
    show_model(page)
    page.wait_for_selector("#queries li")
    first = page.locator("#queries li legend").first.inner_text()
    before = page.locator("#queries li").count()
    page.evaluate(AXE)
    found = page.evaluate("axe.run('#queries-part', {resultTypes: ['violations']})")["violations"]
    assert [v["id"] for v in found] == []
    button = page.get_by_role("button", name=f"Label {first} as paid")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#queries-said:has-text('{first} is paid: learned.')")
    assert page.locator("#queries li").count() == before - 1
    second = page.locator("#queries li legend").first.inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"Label {second} as lost"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"Another label for {second}"
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#queries-said:has-text('Type a label for {second}.')")
    page.keyboard.type("paid")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#queries-said:has-text('{second} is paid: learned.')")
    states = (
        running.store.label("loans", first, "lost").state,
        running.store.label("loans", second, "lost").state,
    )
    assert states == ("duplicate", "duplicate")
    group = page.get_by_role("group", name=page.locator("#queries li legend").first.inner_text())
    assert group.count() == 1


def test_two_people_and_a_label_given_twice(browser: Any, running: Running, waiting: list[str]) -> None:
    pages = [opened(browser, running) for _ in range(2)]
    one, two = (next(opening) for opening in pages)
    for page in (one, two):
        show_model(page)
        page.wait_for_selector("#queries li")
        page.locator("#queries input").first.focus()  # the list waits for whoever is at work in it
    event = one.locator("#queries li legend").first.inner_text()
    learned = running.store.scores("loans")["n"]
    one.get_by_role("button", name=f"Label {event} as lost").dblclick()
    one.wait_for_selector(f"#queries-said:has-text('{event} is lost: learned.')")
    assert two.locator(f"#queries legend:has-text('{event}')").count() == 1
    two.get_by_role("button", name=f"Label {event} as paid").click()
    two.wait_for_selector(f"#queries-said:has-text('{event} had its label already')")
    assert two.locator(f"#queries legend:has-text('{event}')").count() == 0
    entry = next(e for e in running.store.events("loans", "learned", 5) if e["id"] == event)
    assert entry["label"] == "lost"
    assert running.store.scores("loans")["n"] == learned + 1
    for opening in pages:
        next(opening, None)
