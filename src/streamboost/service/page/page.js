"use strict";
// The page: a list of models, and one model as the service describes it each second.

const $ = id => document.getElementById(id);
const make = (tag, text, name) => Object.assign(document.createElement(tag), { textContent: text ?? "", className: name ?? "" });
const percent = v => v === null || v === undefined ? "–" : `${(100 * v).toFixed(1)} %`;
const number = v => v === null || v === undefined ? "–" : Math.abs(v) >= 1e3 ? Math.round(v).toLocaleString("en") : Number.isInteger(v) ? v.toLocaleString("en") : v.toPrecision(3);
const isRegressor = who => who.task === "regression";
const isBandit = who => who.task === "bandit";
const shown = (who, v) => isRegressor(who) ? number(v) : percent(v);  // an error: a share of the examples, or how far off
const bytes = v => v > 1e6 ? `${(v / 1e6).toFixed(1)} MB` : `${(v / 1e3).toFixed(1)} kB`;
const ago = at => { const s = Date.now() / 1000 - at; return s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : s < 129600 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} days`; };
const whatOf = who => who.model + (who.learner ? ` of ${who.learner}` : "");
let current = null, stopLive = null, rates = [], timer = null;

function say(state, text) { $("state").dataset.state = state; if ($("state").textContent !== text) $("state").textContent = text; }
function notice(text) { $("notice").hidden = !text; $("notice").textContent = text || ""; }

async function ask(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = { ...(options.headers || {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) {
    const { error } = await response.json();
    openToken(token ? `${error.message} ${error.hint || ""}` : "");
    throw Object.assign(new Error(token ? error.message : "a token is needed"), { token: true });
  }
  if (!response.ok) {
    let message = response.statusText;
    try { const { error } = await response.json(); message = `${error.message} ${error.hint || ""}`; } catch { /* no JSON */ }
    throw Object.assign(new Error(message), { answered: true });
  }
  return response;
}
const askJson = async (path, body) => (await ask(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } })).json();

function openToken(why) { $("token-why").textContent = why; if (!$("token-dialog").open) $("token-dialog").showModal(); }
$("token-button").addEventListener("click", () => openToken(""));
$("token-form").addEventListener("submit", () => { sessionStorage.setItem("token", $("token").value.trim()); $("token").value = ""; route(); });

// The list.

async function overview() {
  try {
    const { models } = await askJson("/v1/models");
    say("live", "live"); notice("");
    nav(models.map(m => m.name));
    $("empty").hidden = models.length > 0;
    $("cards").replaceChildren(...models.map(m => {
      const card = make("a", "", "card");
      card.href = `#/${encodeURIComponent(m.name)}`;
      card.append(make("strong", m.name), make("p", whatOf(m.champion), "quiet"),
        make("div", `${isRegressor(m.champion) ? "mean absolute error" : "error"} of the last examples ${shown(m.champion, m.champion.recent_error)}`), make("div", `${number(m.champion.examples)} examples, ${number(m.waiting.events)} events wait for labels`),
        make("div", bytes(m.champion.memory_bytes)));
      return card;
    }));
  } catch (error) { failed(error); }
  timer = setTimeout(overview, 2000);
}

function nav(names) {
  $("models").replaceChildren(...names.map(name => {
    const item = make("li"), link = make("a", name);
    link.href = `#/${encodeURIComponent(name)}`;
    if (name === current) link.setAttribute("aria-current", "page");
    item.append(link);
    return item;
  }));
}

function failed(error) {
  if (error.token) say("waiting", error.message);
  else if (error.answered) { say("offline", "error"); notice(error.message); } else say("offline", "offline, trying again");
}

// One model, live.

async function live(name) {
  let stopped = false, wait = 500;
  const control = new AbortController();
  stopLive = () => { stopped = true; control.abort(); };
  say("loading", "loading");
  askJson("/v1/models").then(found => nav(found.models.map(m => m.name))).catch(() => {});
  while (!stopped) {
    try {
      const response = await ask(`/v1/models/${encodeURIComponent(name)}/live`, { signal: control.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) {
          if (part.startsWith("event: gone")) { notice("This model was deleted."); stopped = true; break; }
          show(JSON.parse(part.slice(part.indexOf("data: ") + 6)));
          wait = 500;
        }
      }
    } catch (error) {
      if (stopped) return;
      failed(error);
      if (error.answered || error.token) return;
    }
    if (stopped) return;
    say("offline", "offline, reconnecting");
    await new Promise(go => setTimeout(go, wait));
    wait = Math.min(wait * 2, 8000);
  }
}

function show(view) {
  say("live", "live");
  notice(view.read_only ? `Read-only: ${view.read_only}.` : "");
  $("overview").hidden = true; $("model").hidden = false;
  const { champion, scores } = view;
  $("name").textContent = view.name;
  const { oldest, oldest_at, newest } = view.reach;
  $("what").textContent = `${champion.name} answers: ${whatOf(champion)}. It can go back to any record from ${oldest} to ${newest}${oldest_at ? `, ${ago(oldest_at)} back` : ""}.`;
  $("alarms").hidden = !view.alarms.length;
  $("alarms").replaceChildren(...view.alarms.map(a => make("li", a.message)));
  const numbers = isRegressor(scores);
  const measured = numbers
    ? [["mean absolute error, last examples", number(scores.windowed.mae)], ["mean absolute error, all", number(scores.cumulative.mae)], ["RMSE", number(scores.cumulative.rmse)], ["R²", number(scores.cumulative.r2)]]
    : [["error, last examples", percent(scores.windowed.error)], ["error, all", percent(scores.cumulative.error)], ["log loss", number(scores.cumulative.log_loss)], ["AUC", number(scores.cumulative.auc)], ["kappa", number(scores.cumulative.kappa)]].slice(0, isBandit(scores) ? 2 : 5);
  $("reliability-part").hidden = numbers || !scores.calibration.length;
  $("recall-part").hidden = numbers || !scores.recall.length;
  $("delay-part").hidden = !scores.delay.n;
  $("bounds-part").hidden = !view.bounds.length;
  $("importances-part").hidden = !view.importances.length;
  const guesses = Object.entries(scores.baselines).map(([name, value]) => [`${name} alone`, shown(scores, value)]);
  const facts = [...measured.slice(0, 1), ...guesses, ...measured.slice(1), ["examples", number(scores.n)], ["examples a second", number(view.rates.learned ?? 0)],
    ["events waiting", number(view.waiting.events)], ["queue", number(view.queue)], ["memory", bytes(champion.memory_bytes)], ["refused", number(view.counts.poison ?? 0)], ["seq", number(view.seq)]];
  $("numbers").replaceChildren(...facts.map(([term, value]) => { const box = make("div"); box.append(make("dt", term), make("dd", value)); return box; }));
  curves(view);
  rates.push([view.at, view.rates.learned ?? 0, view.queue]);
  if (rates.length > 600) rates.shift();
  plot("rate", [line("examples a second", "--accent"), line("queue", "--bad", { scale: "queue" })], [0, 1, 2].map(i => rates.map(r => r[i])),
    { x: "time", time: true, height: 170, scales: { queue: { range: (u, low, high) => [0, high || 1] } }, axes: [{ scale: "queue", side: 1, size: 40 }] });
  $("rate-text").textContent = `${number(view.rates.learned ?? 0)} examples a second, ${view.queue} records queued`;
  const sure = scores.calibration;
  if (!numbers && sure.length) plot("reliability", [line("right", "--accent", { points: { show: true, size: 6 } }), line("as sure as right", "--quiet", { dash: [4, 4] })],
    sure.length ? [sure.map(b => b.confidence), sure.map(b => b.right), sure.map(b => b.confidence)] : [[0, 1], [null, null], [0, 1]], { x: "how sure", height: 170, range: () => [0, 1], span: [0, 1] });
  $("reliability-text").textContent = sure.map(b => `${percent(b.confidence)} sure, ${percent(b.right)} right`).join("; ") || "no answers yet";
  const names = ["under 1 s", "1–10 s", "10–60 s", "1–10 min", "10–60 min", "1–6 h", "6–24 h", "1–7 days", "longer"];
  bars("delay", scores.delay.n ? scores.delay.counts.map((n, i) => ({ name: names[i], share: n, text: number(n) })) : []);
  bars("recall", scores.recall.map(r => ({ name: String(r.label), share: r.recall, of: 1, text: `${percent(r.recall)} of ${number(r.n)}` })));
  bars("importances", view.importances.map(i => ({ name: i.column, share: i.importance, text: number(i.importance) })));
  lanes(view.lanes);
  candidates(view);
  queries.follow(view);
  examples(view.events, scores);
  table("bounds", ["what is promised", "bound", "so far", ""], view.bounds.map(b => [b.name, number(b.rhs), number(b.lhs), b.holds ? "holds" : "above"]));
  if ($("features").value === "{}" && view.events.length) {
    $("features").value = JSON.stringify(view.events[0].features, null, 1);
    $("features").rows = Math.min(16, $("features").value.split("\n").length);
  }
}

function curves(view) {
  const { curve } = view, others = Object.entries(view.curves), guesses = Object.entries(view.scores.baselines).filter(([, v]) => v !== null);
  const settled = curve.n.map((n, i) => i).filter(i => curve.n[i] >= 200 || curve.n.at(-1) < 400);
  const top = 1.1 * Math.max(...settled.flatMap(i => [curve.high[i], curve.cumulative[i]]), ...guesses.map(([, v]) => v), 1e-9);
  const best = guesses.sort((a, b) => a[1] - b[1])[0];
  const marks = [...view.drift.map(([n]) => ({ x: n, colour: "--bad", dash: [2, 3] })), ...view.commands.filter(c => c.act !== "create").map(c => ({ x: place(curve, c.at), colour: "--quiet", dash: [6, 3] }))];
  plot("error", [line(view.champion.name, "--accent"), line("lowest", "--accent", { width: 1, stroke: style("--accent") + "66" }), line("highest", "--accent", { width: 1, stroke: style("--accent") + "66" }), ...others.map(([name], i) => line(name, COLOURS[1 + i % 3], { dash: [5, 2] })), ...(best ? [line(`${best[0]} alone, last examples`, "--text", { width: 1, dash: [1, 3] })] : [])],
    [curve.n, curve.cumulative, curve.low, curve.high, ...others.map(([name, c]) => aligned(curve.n, c, view.scores.n - view.scores.shadows[name].n)), ...(best ? [curve.n.map(() => best[1])] : [])],
    { marks, height: 260, top, bands: [{ series: [3, 2], fill: style("--accent") + "33" }] });
  key(view);
  const [name, what] = isRegressor(view.scores) ? ["mae", "Mean absolute error"] : ["error", "Error"], { cumulative, windowed, window } = view.scores;
  $("error-text").textContent = `${what} of all examples ${shown(view.scores, cumulative[name])}, of the last ${window} ${shown(view.scores, windowed[name])}; ${view.drift.length} learners replaced after drift`;
}
// What the upright lines mean, for those that are there.
function key(view) {
  const acts = [...new Set(view.commands.filter(c => c.act !== "create").map(c => c.act))];
  const items = [];
  if (view.drift.length) items.push(["dotted", `drift: a learner was replaced (${view.drift.length}${view.drift.length >= 50 ? " last ones" : ""})`]);
  if (acts.length) items.push(["dashed", acts.join(", ").replaceAll("_", " ")]);
  $("marks").replaceChildren(...items.map(([name, text]) => { const item = make("li", ""); item.append(make("span", "", `mark ${name}`), make("span", text)); return item; }));
}
function place(curve, at) { const i = curve.at.findIndex(t => t >= at); return i < 0 ? Infinity : curve.n[i]; }

function lanes(found) {
  $("lanes").replaceChildren(...Object.entries(found).flatMap(([name, values]) => {
    if (!values.some(v => v !== null)) return [];
    const { canvas, low, high } = strip(values, `${name} of ${values.length} learners`);
    const scale = make("div", "", "scale");
    scale.append(make("span", number(low)), strip([...Array(32).keys()], "scale").canvas, make("span", number(high)));
    return [make("div", `${name.replaceAll("_", " ")} of ${values.length} learners`, "quiet"), canvas, ...(high > low ? [scale] : [make("div", `all ${number(low)}`, "quiet")])];
  }));
  $("lanes-part").hidden = !$("lanes").children.length;
}

function table(id, heads, rows) {
  const head = make("tr"), body = make("tbody"), top = make("thead");
  head.append(...heads.map(text => { const cell = make("th", text); cell.scope = "col"; return cell; }));
  top.append(head);
  body.append(...rows.map(cells => { const row = make("tr"); row.append(...cells.map(c => { if (c instanceof Node) { const cell = make("td"); cell.append(c); return cell; } return make("td", c); })); return row; }));
  $(id).replaceChildren(top, body);
}

function candidates(view) {
  const held = document.activeElement?.dataset?.promote;
  const rows = [[view.champion, view.scores], ...view.shadows.map(s => [s, view.scores.shadows[s.name]])];
  const heads = isRegressor(view.scores) ? ["mean absolute error", "last examples", "RMSE", "R²"] : ["error", "last examples", ...(isBandit(view.scores) ? [] : ["log loss", "AUC"])];
  const figures = s => isRegressor(s) ? [s.cumulative.mae, s.windowed.mae, s.cumulative.rmse, s.cumulative.r2].map(number)
    : [percent(s.cumulative.error), percent(s.windowed.error), ...(isBandit(s) ? [] : [s.cumulative.log_loss, s.cumulative.auc].map(number))];
  const since = (who, i) => { const s = view.since[who.name]; return !i || !s?.n ? "–" : `${shown(view.scores, s.shadow)} (champion ${shown(view.scores, s.champion)})`; };
  table("shadows", ["name", "model", "examples", ...heads, "since it joined", ""], rows.map(([who, s], i) => {
    let last = "answers";
    if (i) {
      last = make("button", `Promote ${who.name}`);
      last.dataset.promote = who.name;
      last.addEventListener("click", () => promote(view.name, who.name));
    }
    return [who.name, whatOf(who), number(s.n), ...figures(s), since(who, i), last];
  }));
  if (held) document.querySelector(`[data-promote="${CSS.escape(held)}"]`)?.focus();
}

async function promote(model, shadow) {
  try { await askJson(`/v1/models/${encodeURIComponent(model)}/promote`, { shadow }); } catch (error) { notice(error.message); }
}

function examples(events, scores) {
  const numbers = isRegressor(scores), bandit = isBandit(scores);
  table("events", ["seq", "id", bandit ? "shown" : "answer", bandit ? "reward" : "truth", "delay", "features"], events.map(e => {
    const answer = e.answer ? String(e.answer.label ?? "–") : "–";
    const truth = numbers ? number(e.label) : make("span", String(e.label), (bandit ? e.label === 1 : answer === String(e.label)) ? "right" : "wrong");
    return [String(e.seq), e.id ?? "–", numbers ? number(e.answer?.label) : answer, truth, e.delay_s === null ? "–" : `${number(e.delay_s)} s`,
      Object.entries(e.features ?? {}).slice(0, 4).map(([k, v]) => `${k} ${typeof v === "number" ? number(v) : v}`).join(", ").slice(0, 80)];
  }));
}

$("try").addEventListener("submit", async event => {
  event.preventDefault();
  try {
    const found = await askJson(`/v1/models/${encodeURIComponent(current)}/predict`, { features: JSON.parse($("features").value) });
    $("answer").textContent = found.label === null ? "no label known yet" : String(found.label) in found.probabilities ? `${found.label} (${percent(found.probabilities[String(found.label)])})` : number(found.label);
  } catch (error) { $("answer").textContent = error.message; }
});

function route() {
  clearTimeout(timer);
  stopLive?.(); stopLive = null; rates = [];
  current = location.hash.startsWith("#/") ? decodeURIComponent(location.hash.slice(2)) : null;
  document.title = current ? `${current} – streamboost` : "streamboost";
  $("overview").hidden = !!current; $("model").hidden = !current;
  notice("");
  if (current) live(current); else overview();
}
addEventListener("hashchange", route);
addEventListener("offline", () => say("offline", "offline"));
route();
