"use strict";
// The page: a list of models, and one model as the service describes it each second.

const $ = id => document.getElementById(id);
const make = (tag, text, name) => Object.assign(document.createElement(tag), { textContent: text ?? "", className: name ?? "" });
const percent = v => v === null || v === undefined ? "–" : `${(100 * v).toFixed(1)} %`;
const number = v => v === null || v === undefined ? "–" : Math.abs(v) >= 1e4 ? Math.round(v).toLocaleString("en") : Number.isInteger(v) ? String(v) : v.toPrecision(3);
const isRegressor = who => who.task === "regression";
const shown = (who, v) => isRegressor(who) ? number(v) : percent(v);  // an error: a share of the examples, or how far off
const bytes = v => v > 1e6 ? `${(v / 1e6).toFixed(1)} MB` : `${(v / 1e3).toFixed(1)} kB`;
let current = null, stopLive = null, rates = [], timer = null;

function say(state, text) { $("state").dataset.state = state; if ($("state").textContent !== text) $("state").textContent = text; }
function notice(text) { $("notice").hidden = !text; $("notice").textContent = text || ""; }

async function ask(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = { ...(options.headers || {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) { openToken(); throw new Error("A token is needed."); }
  if (!response.ok) {
    let message = response.statusText;
    try { const { error } = await response.json(); message = `${error.message} ${error.hint || ""}`; } catch { /* no JSON */ }
    throw Object.assign(new Error(message), { answered: true });
  }
  return response;
}
const askJson = async (path, body) => (await ask(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } })).json();

function openToken() { if (!$("token-dialog").open) $("token-dialog").showModal(); }
$("token-button").addEventListener("click", openToken);
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
      card.append(make("strong", m.name), make("p", m.champion.model + (m.champion.learner ? ` of ${m.champion.learner}` : ""), "quiet"),
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
  if (error.answered) { say("offline", "error"); notice(error.message); } else say("offline", "offline, trying again");
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
      if (error.answered) return;
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
  $("what").textContent = `${champion.name} answers: ${champion.model}${champion.learner ? ` of ${champion.learner}` : ""}`;
  const numbers = isRegressor(scores);
  const measured = numbers
    ? [["mean absolute error, last examples", number(scores.windowed.mae)], ["mean absolute error, all", number(scores.cumulative.mae)], ["RMSE", number(scores.cumulative.rmse)], ["R²", number(scores.cumulative.r2)]]
    : [["error, last examples", percent(scores.windowed.error)], ["error, all", percent(scores.cumulative.error)], ["log loss", number(scores.cumulative.log_loss)], ["AUC", number(scores.cumulative.auc)], ["kappa", number(scores.cumulative.kappa)]];
  $("reliability-part").hidden = $("recall-part").hidden = numbers;
  const facts = [...measured, ["examples", number(scores.n)], ["examples a second", number(view.rates.learned ?? 0)],
    ["events waiting", number(view.waiting.events)], ["queue", number(view.queue)], ["memory", bytes(champion.memory_bytes)], ["refused", number(view.counts.poison ?? 0)], ["seq", number(view.seq)]];
  $("numbers").replaceChildren(...facts.map(([term, value]) => { const box = make("div"); box.append(make("dt", term), make("dd", value)); return box; }));
  curves(view);
  rates.push([view.at, view.rates.learned ?? 0, view.queue]);
  if (rates.length > 600) rates.shift();
  plot("rate", [line("examples a second", "--accent"), line("queue", "--bad", { scale: "queue" })], [0, 1, 2].map(i => rates.map(r => r[i])),
    { x: "time", time: true, height: 170, scales: { queue: { range: (u, low, high) => [0, high || 1] } }, axes: [{ scale: "queue", side: 1, size: 40 }] });
  $("rate-text").textContent = `${number(view.rates.learned ?? 0)} examples a second, ${view.queue} records queued`;
  const sure = scores.calibration;
  if (!numbers) plot("reliability", [line("right", "--accent", { points: { show: true, size: 6 } }), line("as sure as right", "--quiet", { dash: [4, 4] })],
    sure.length ? [sure.map(b => b.confidence), sure.map(b => b.right), sure.map(b => b.confidence)] : [[0, 1], [null, null], [0, 1]], { x: "how sure", height: 170, range: () => [0, 1], span: [0, 1] });
  $("reliability-text").textContent = sure.map(b => `${percent(b.confidence)} sure, ${percent(b.right)} right`).join("; ") || "no answers yet";
  const names = ["under 1 s", "1–10 s", "10–60 s", "1–10 min", "10–60 min", "1–6 h", "6–24 h", "1–7 days", "longer"];
  bars("delay", scores.delay.n ? scores.delay.counts.map((n, i) => ({ name: names[i], share: n, text: number(n) })) : []);
  bars("recall", scores.recall.map(r => ({ name: String(r.label), share: r.recall, of: 1, text: `${percent(r.recall)} of ${number(r.n)}` })));
  lanes(view.lanes);
  candidates(view);
  examples(view.events, numbers);
  table("bounds", ["what is promised", "bound", "so far", ""], view.bounds.map(b => [b.name, number(b.rhs), number(b.lhs), b.holds ? "holds" : "above"]));
  if ($("features").value === "{}" && view.events.length) $("features").value = JSON.stringify(view.events[0].features, null, 1);
}

function curves(view) {
  const { curve } = view, others = Object.entries(view.curves);
  const marks = [...view.drift.map(([n]) => ({ x: n, colour: "--bad", dash: [2, 3] })), ...view.commands.filter(c => c.act !== "create").map(c => ({ x: place(curve, c.at), colour: "--quiet", dash: [6, 3] }))];
  plot("error", [line(view.champion.name, "--accent"), line("lowest", "--accent", { width: 1, stroke: style("--accent") + "66" }), line("highest", "--accent", { width: 1, stroke: style("--accent") + "66" }), ...others.map(([name], i) => line(name, COLOURS[1 + i % 3], { dash: [5, 2] }))],
    [curve.n, curve.cumulative, curve.low, curve.high, ...others.map(([, c]) => aligned(curve.n, c))],
    { marks, height: 260, bands: [{ series: [3, 2], fill: style("--accent") + "33" }] });
  const [name, what] = isRegressor(view.scores) ? ["mae", "Mean absolute error"] : ["error", "Error"], { cumulative, windowed, window } = view.scores;
  $("error-text").textContent = `${what} of all examples ${shown(view.scores, cumulative[name])}, of the last ${window} ${shown(view.scores, windowed[name])}; ${view.drift.length} learners replaced after drift`;
}
function place(curve, at) { const i = curve.at.findIndex(t => t >= at); return i < 0 ? Infinity : curve.n[i]; }

function lanes(found) {
  $("lanes").replaceChildren(...Object.entries(found).flatMap(([name, values]) => {
    if (!values.some(v => v !== null)) return [];
    const { canvas, low, high } = strip(values, `${name} of ${values.length} learners`);
    return [make("div", `${name.replaceAll("_", " ")}: ${number(low)} to ${number(high)}`, "quiet"), canvas];
  }));
  if (!$("lanes").children.length) $("lanes").append(make("span", "nothing yet", "quiet"));
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
  const heads = isRegressor(view.scores) ? ["mean absolute error", "last examples", "RMSE", "R²"] : ["error", "last examples", "log loss", "AUC"];
  const figures = s => isRegressor(s) ? [s.cumulative.mae, s.windowed.mae, s.cumulative.rmse, s.cumulative.r2].map(number)
    : [percent(s.cumulative.error), percent(s.windowed.error), number(s.cumulative.log_loss), number(s.cumulative.auc)];
  table("shadows", ["name", "model", "examples", ...heads, ""], rows.map(([who, s], i) => {
    let last = "answers";
    if (i) {
      last = make("button", `Promote ${who.name}`);
      last.dataset.promote = who.name;
      last.addEventListener("click", () => promote(view.name, who.name));
    }
    return [who.name, who.model + (who.learner ? ` of ${who.learner}` : ""), number(s.n), ...figures(s), last];
  }));
  if (held) document.querySelector(`[data-promote="${CSS.escape(held)}"]`)?.focus();
}

async function promote(model, shadow) {
  try { await askJson(`/v1/models/${encodeURIComponent(model)}/promote`, { shadow }); } catch (error) { notice(error.message); }
}

function examples(events, numbers) {
  table("events", ["seq", "id", "answer", "truth", "delay", "features"], events.map(e => {
    const answer = e.answer ? String(e.answer.label ?? "–") : "–";
    const truth = numbers ? number(e.label) : make("span", String(e.label), answer === String(e.label) ? "right" : "wrong");
    return [String(e.seq), e.id ?? "–", numbers ? number(e.answer?.label) : answer, truth, e.delay_s === null ? "–" : `${number(e.delay_s)} s`,
      Object.entries(e.features ?? {}).slice(0, 4).map(([k, v]) => `${k} ${v}`).join(", ").slice(0, 80)];
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
