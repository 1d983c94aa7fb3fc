"use strict";
// Pictures of numbers: uPlot for lines, plain boxes for bars, one canvas row for each statistic of the learners.

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const COLOURS = ["--accent", "--good", "--bad", "--quiet"];
const plots = new Map();

function plot(id, series, data, options = {}) {
  const place = document.getElementById(id);
  const key = JSON.stringify([series.map(s => s.label), place.clientWidth, style("--card")]);
  const old = plots.get(id);
  if (old && old.key === key) {
    old.marks = options.marks || [];
    old.top = options.top;
    const zoomed = old.zoomed;
    old.plot.setData(data, !zoomed);
    if (zoomed) old.plot.redraw();
    return;
  }
  if (old) old.plot.destroy();
  const held = { key, marks: options.marks || [], top: options.top, zoomed: false };
  const axis = { stroke: style("--quiet"), grid: { stroke: style("--line"), width: 1 }, ticks: { stroke: style("--line") } };
  held.plot = new uPlot({
    width: Math.max(200, place.clientWidth), height: options.height || 190, series: [{ label: options.x || "examples" }, ...series],
    bands: options.bands || [], scales: { x: { time: !!options.time, ...(options.span ? { range: () => options.span } : {}) }, y: { range: options.range || ((u, low, high) => [0, (held.zoomed ? high : held.top ?? high) || 1]) }, ...(options.scales || {}) },
    axes: [axis, { ...axis, size: 46 }, ...(options.axes || []).map(more => ({ ...axis, ...more }))],
    legend: { show: series.length > 1 && place.clientWidth > 300 }, cursor: { drag: { x: true, y: false } },
    hooks: {
      setScale: [(u, name) => { if (name === "x" && u.data[0].length) held.zoomed = u.scales.x.min > u.data[0][0] + 1e-9 || u.scales.x.max < u.data[0].at(-1) - 1e-9; }],
      draw: [u => {
        for (const mark of held.marks) {
          const x = u.valToPos(mark.x, "x", true);
          if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
          u.ctx.save(); u.ctx.strokeStyle = style(mark.colour); u.ctx.setLineDash(mark.dash); u.ctx.lineWidth = 1.5;
          u.ctx.beginPath(); u.ctx.moveTo(x, u.bbox.top); u.ctx.lineTo(x, u.bbox.top + u.bbox.height); u.ctx.stroke(); u.ctx.restore();
        }
      }],
    },
  }, data, place);
  plots.set(id, held);
}

function line(label, colour, more = {}) { return { label, stroke: style(colour), width: 1.6, points: { show: false }, ...more }; }

// Curves of several models on one axis, each from where it joined: the value of the last point at or before each place.
function aligned(places, curve, joined) {
  let at = -1;
  return places.map(n => { while (at + 1 < curve.n.length && curve.n[at + 1] + joined <= n) at++; return at < 0 ? null : curve.cumulative[at]; });
}

function bars(id, rows) {
  const place = document.getElementById(id);
  place.replaceChildren();
  if (!rows.length) { place.append(Object.assign(document.createElement("span"), { textContent: "nothing yet", className: "quiet" })); return; }
  const most = Math.max(...rows.map(row => row.share), 1e-9);
  for (const row of rows) {
    const name = Object.assign(document.createElement("span"), { textContent: row.name });
    const track = Object.assign(document.createElement("div"), { className: "track" });
    const fill = Object.assign(document.createElement("div"), { className: "fill" });
    fill.style.width = `${100 * row.share / (row.of || most)}%`;
    track.append(fill);
    place.append(name, track, Object.assign(document.createElement("span"), { textContent: row.text }));
  }
}

// Dark blue over green to yellow; equal steps look equal, also without colours (interpolated from five anchors of viridis).
const ANCHORS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function perceptual(share) {
  const at = share * (ANCHORS.length - 1), i = Math.min(Math.floor(at), ANCHORS.length - 2);
  return `rgb(${ANCHORS[i].map((from, c) => Math.round(from + (at - i) * (ANCHORS[i + 1][c] - from))).join(" ")})`;
}

function strip(values, label) {
  const canvas = document.createElement("canvas");
  canvas.className = "strip"; canvas.width = values.length; canvas.height = 1;
  canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", label);
  const pen = canvas.getContext("2d");
  const known = values.filter(v => v !== null);
  const low = Math.min(...known), high = Math.max(...known);
  values.forEach((v, i) => {
    const share = v === null ? 0 : high > low ? (v - low) / (high - low) : 0.5;
    pen.fillStyle = v === null ? style("--line") : perceptual(share);
    pen.fillRect(i, 0, 1, 1);
  });
  return { canvas, low, high };
}
