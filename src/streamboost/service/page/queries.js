"use strict";
// Events that deserve a label, each with a form to give it. The list waits while somebody is at work in it.

const queries = (() => {
  const part = () => document.getElementById("queries-part"), list = () => document.getElementById("queries");
  let model = null, known = [], asked = 0, busy = false;

  const told = text => { document.getElementById("queries-said").textContent = text; };
  const path = verb => `/v1/models/${encodeURIComponent(model)}/${verb}`;

  // Called each second with what the page knows of the model.
  function follow(view) {
    const other = view.name !== model;
    if (other) { model = view.name; asked = 0; told(""); list().replaceChildren(); }
    part().hidden = view.scores.task !== "classification" || (!view.waiting.events && !list().children.length);
    const inUse = list().contains(document.activeElement);
    if (part().hidden || busy || (!other && (inUse || Date.now() - asked < 5000))) return;
    refresh();
  }

  async function refresh() {
    asked = Date.now();
    const name = model;
    try {
      const found = await askJson(path("queries"));
      if (name !== model || list().contains(document.activeElement)) return;
      known = found.labels;
      list().replaceChildren(...found.events.map(entry));
    } catch (error) { told(error.message); }
  }

  function entry(event) {
    const item = make("li"), form = make("form"), box = make("fieldset");
    const features = Object.entries(event.features ?? {}).map(([k, v]) => `${k} ${v ?? "missing"}`).join(", ");
    const says = event.answer.label === null ? "the model knows no label yet" : `the model says ${event.answer.label}, ${percent(event.confidence)} sure`;
    const text = make("p", `${features}; ${says}`, "features");
    text.id = `query-${event.seq}`;
    box.setAttribute("aria-describedby", text.id);
    box.append(make("legend", event.id), text);
    if (known.length <= 8) box.append(...known.map(label => {
      const button = make("button", String(label));
      button.type = "button";
      button.setAttribute("aria-label", `Label ${event.id} as ${label}`);
      // The second click of a double click falls on the event that has moved up.
      button.addEventListener("click", click => { if (click.detail < 2) give(item, event, label); });
      return button;
    }));
    const other = Object.assign(make("input"), { type: "text", autocomplete: "off", placeholder: "another label" });
    other.setAttribute("aria-label", `Another label for ${event.id}`);
    const send = Object.assign(make("button", "Label"), { type: "submit" });
    send.setAttribute("aria-label", `Give ${event.id} this label`);
    form.addEventListener("submit", submitted => {
      submitted.preventDefault();
      const text = other.value.trim(), numbers = known.length && known.every(label => typeof label === "number");
      if (!text) { told(`Type a label for ${event.id}.`); other.focus(); return; }
      give(item, event, known.find(label => String(label) === text) ?? (numbers && !Number.isNaN(Number(text)) ? Number(text) : text));
    });
    box.append(other, send);
    form.append(box);
    item.append(form);
    return item;
  }

  async function give(item, event, label) {
    if (busy) return;  // a second click while the first is on its way
    busy = true;
    try {
      const found = await askJson(path("label"), { id: event.id, label });
      told(found.state === "duplicate" ? `${event.id} had its label already: somebody else was first.` : `${event.id} is ${label}: ${found.state}.`);
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      (next?.querySelector("button") ?? document.getElementById("main")).focus();
      if (!next) refresh();
    } catch (error) { told(`${event.id} was not labelled: ${error.message}`); } finally { busy = false; }
  }

  return { follow };
})();
