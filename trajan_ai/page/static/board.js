// The board: the server's drawing, its panels arranged to fit the window, places to click, and
// marks of suggested moves.

import { draw, h } from "./dom.js";
import { t } from "./language.js";

const SVG = "http://www.w3.org/2000/svg";
const MAX_MARKED = 3; // suggestions
const WIDE = 400; // units of a column
const LINE = 30; // units of a folded panel
const GAP = 10;
const COLUMNS = 4;
const MIN_FILLED = 0.85; // scale down to which more panels are unfolded
const PHONE = 600; // pixels
const MIN_SCALE = 0.7; // below it the page scrolls
const MAX_SCALE = 2;

export class Board {
  // `chosen(actions, name)` is called with the legal actions of a place that was clicked.
  constructor(chosen) {
    const element = h("div", { class: "board", tabindex: "-1", "aria-label": t("Board"), role: "region" });
    this.element = element;
    this.chosen = chosen;
    this.legal = [];
    this.folded = new Map(); // the person's choice by the name of a panel
    this.zoom = 1;
    const press = (event) => this.toggle(event.target) || this.press(event.target);
    element.addEventListener("click", press);
    element.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && event.target.closest?.("svg [tabindex]")) {
        event.preventDefault();
        press(event);
      }
    });
  }

  // `own` is the player whose board comes first.
  show(state, own) {
    const focused = this.element.contains(document.activeElement);
    this.legal = state.legal;
    draw(this.element, state);
    const drawing = this.element.querySelector("svg");
    this.panels = [...(drawing?.querySelectorAll("g[data-height]") ?? [])].map((group) => ({
      group,
      label: group.getAttribute("aria-label"),
      name: group.dataset.panel ?? group.getAttribute("aria-label"),
      height: Number(group.dataset.height),
      chosen: group.querySelector("[data-action], [data-choices]") !== null,
    }));
    for (const panel of this.panels) panel.own = panel.name === `board of player ${own}`;
    if (this.panels.length) {
      drawing.setAttribute("role", "group"); // its panels are folded and opened
      drawing.querySelector(":scope > rect").remove(); // the sheet, as large as it was
      const clip = this.add(drawing, "clipPath", { id: "folded" });
      this.add(clip, "rect", { width: WIDE - GAP, height: LINE - 5, rx: 7 });
      for (const panel of this.panels) if (!panel.chosen && !panel.own) this.foldable(panel);
      this.arrange();
    }
    if (focused) this.element.focus({ preventScroll: true });
  }

  // Unfolds the panels of the decision, then others that fit, and arranges them in columns.
  arrange() {
    const drawing = this.element.querySelector("svg");
    if (!drawing || !this.panels?.length) return;
    const width = this.element.clientWidth;
    const height = window.innerHeight - (this.element.getBoundingClientRect().top + window.scrollY) - 8;
    const shown = this.panels.filter((panel) => panel.chosen || panel.name !== "state of the game");
    const open = new Set(shown.filter((panel) => panel.chosen || panel.own || this.folded.get(panel.name) === false));
    const order = () => [
      ...shown.filter((panel) => panel.chosen && !panel.own),
      ...shown.filter((panel) => panel.own),
      ...shown.filter((panel) => open.has(panel) && !panel.chosen && !panel.own),
      ...shown.filter((panel) => !open.has(panel)),
    ];
    const fitted = () => fit(order(), open, width, height);
    let best = fitted();
    const rest = (panel) => /^board of|^Victory|^Key/.test(panel.name);
    for (const panel of [...shown.filter((one) => !rest(one)), ...shown.filter(rest)]) {
      if (open.has(panel) || this.folded.get(panel.name)) continue;
      open.add(panel);
      const now = fitted();
      const fills = now.columns.length > 1 || now.scale > 0.99 * Math.min(width / WIDE, MAX_SCALE);
      if (now.scale >= MIN_FILLED && fills) best = now;
      else open.delete(panel);
    }
    const scale = this.zoom * Math.max(best.scale, MIN_SCALE);
    for (const panel of this.panels) panel.group.toggleAttribute("hidden", !shown.includes(panel));
    best.columns.forEach((column, i) => {
      let y = GAP / 2;
      for (const panel of column) {
        panel.group.setAttribute("transform", `translate(${i * WIDE + GAP / 2} ${y})`);
        panel.group.classList.toggle("folded", !open.has(panel));
        panel.toggle?.setAttribute("aria-expanded", open.has(panel));
        y += (open.has(panel) ? panel.height : LINE) + GAP;
      }
    });
    const units = WIDE * best.columns.length;
    drawing.setAttribute("viewBox", `0 0 ${units} ${best.height}`);
    drawing.style.width = `${units * scale}px`;
    this.arranged?.();
  }

  // Makes the head of a panel fold and unfold it.
  foldable(panel) {
    const name = panel.label[0].toUpperCase() + panel.label.slice(1);
    panel.toggle = this.add(panel.group, "g", { class: "toggle", role: "button", tabindex: 0, "aria-label": t("{name}: show or fold", { name }) });
    this.add(panel.toggle, "rect", { width: WIDE - GAP, height: LINE - 4, rx: 6 });
    this.add(panel.toggle, "path", { d: "M2 9L8 13 2 17z" });
  }

  toggle(target) {
    const panel = this.panels?.find((one) => one.toggle?.contains(target));
    if (!panel) return false;
    this.folded.set(panel.name, !panel.group.classList.contains("folded"));
    this.arrange();
    return true;
  }

  press(target) {
    const element = target.closest?.("[data-place]");
    const place = element?.getAttribute("data-place");
    const actions = this.legal.filter((entry) => entry[1] === place).map((entry) => entry[0]);
    if (place && actions.length) this.chosen(actions, element.getAttribute("aria-label"));
  }

  // Marks the places of the best moves; `places` has one per move, or null.
  suggest(places) {
    this.mark(places.slice(0, MAX_MARKED), "best");
  }

  // Points at the places of a turn, the steps numbered.
  point(places) {
    this.mark(places, "step");
  }

  // Returns the handlers that make an element point at places while it has focus or pointer.
  pointing(places) {
    const on = () => this.point(places);
    const off = () => this.point([]);
    return { onfocus: on, onmouseenter: on, onblur: off, onmouseleave: off };
  }

  // Arranges the panels again when an element changes its size.
  watch(...elements) {
    this.watching = new ResizeObserver(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.arrange(), 100);
    });
    for (const element of elements) this.watching.observe(element);
  }

  mark(places, kind) {
    for (const mark of this.element.querySelectorAll(`.mark.${kind}`)) mark.remove();
    const taken = new Map();
    places.forEach((place, i) => {
      const target = place && this.element.querySelector(`svg [data-place="${CSS.escape(place)}"]`);
      if (!target || target.closest("[hidden]")) return;
      // The first part of a place lies in it; the others may be in several rows.
      const box = (target.firstElementChild ?? target).getBBox();
      const shift = taken.get(place) ?? 0;
      const add = (tag, part, attributes) =>
        this.add(target.parentNode, tag, { class: `mark ${kind} ${part}`, "aria-hidden": true, ...attributes });
      if (!shift)
        add("rect", "frame", { x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4, rx: 5 });
      if (kind === "best" || places.length > 1) {
        const at = { x: box.x + (kind === "best" ? 2 : box.width - 2) + 17 * shift, y: box.y + 1 };
        add("circle", "badge", { cx: at.x, cy: at.y, r: 8.5 });
        add("text", "rank", { x: at.x, y: at.y + 4 }).textContent = i + 1;
      }
      taken.set(place, shift + 1);
    });
  }

  add(parent, tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  }
}

// The columns that show panels at the largest scale in a window. On a phone, folded panels may be
// below it.
function fit(panels, open, width, height) {
  let best = null;
  const phone = width < PHONE;
  for (let count = 1; count <= COLUMNS; count++) {
    const columns = [...Array(count).keys()].map(() => []);
    const tall = columns.map(() => GAP / 2);
    let needed = 0;
    for (const panel of panels) {
      const i = tall.indexOf(Math.min(...tall));
      columns[i].push(panel);
      tall[i] += (open.has(panel) ? panel.height : LINE) + GAP;
      if (open.has(panel)) needed = Math.max(...tall);
    }
    const most = Math.max(...tall);
    const scale = Math.min(width / (WIDE * count), height / (phone ? needed : most), MAX_SCALE);
    if (!best || scale > best.scale) best = { columns, scale, height: most };
  }
  return best;
}
