// A whole game analysed: progress, graph, mistakes, luck and skill. The server judges; what is
// drawn is what the page of `trajan-ai annotate` draws.

import { accounts, graph, isBad, losses, mistakes, picked, spot, story, strengths } from "./annotation.js";
import { post, spoken } from "./api.js";
import { attempt, h } from "./dom.js";
import { t } from "./language.js";

const EVERY = 700; // milliseconds between questions how far it is

export class Review {
  // `go(node)` shows a position, `changed(bad)` hears of mistakes, by node.
  constructor(element, { go, changed }) {
    Object.assign(this, { element, go, changed });
    this.game = null;
    this.told = h("div", { class: "told", "aria-live": "polite" });
  }

  // Analyses the line of a study that ends at the last of `line`, whose moves are its nodes.
  async start(id, line, nodes) {
    this.id = id;
    this.end = line.at(-1);
    this.stop();
    const found = await attempt(() => post(`/api/studies/${id}/review`, { node: this.end }));
    if (!found) return;
    const { game, plies, judged, doubtful, verified, done } = found;
    if (game) {
      const own = line.filter((node) => game.observer === null || nodes[node][1] === game.observer);
      for (const d of game.decisions) {
        d.at = plies.indexOf(d.ply);
        d.node = own[d.at];
        d.before = nodes[d.node][0];
      }
      this.game = Object.assign(game, { count: plies.length });
      this.own = own;
    }
    this.done = done;
    this.progress = done ? "" : judged < plies.length ? t("{judged} of {count} decisions looked at", { judged, count: plies.length })
      : t("{verified} of {doubtful} possible mistakes verified", { verified, doubtful });
    this.show(judged === plies.length);
    if (!done) this.timer = setTimeout(() => this.start(id, line, nodes), EVERY);
  }

  stop() {
    clearTimeout(this.timer);
  }

  show(whole) {
    const { game } = this;
    const drawn = (tag, markup, attributes = {}) => {
      const element = h(tag, attributes);
      element.innerHTML = markup; // its names are escaped
      return element;
    };
    this.element.hidden = false;
    const opened = [...this.element.querySelectorAll("details[open]")].map((one) => one.dataset.what);
    const part = (what, markup) => h("details", { "data-what": what, open: opened.includes(what) },
      h("summary", {}, what), drawn("div", markup, { class: "scroll" }));
    this.element.replaceChildren(
      h("div", { class: "head" }, h("h2", {}, t("Analysis")),
        this.done ? h("a", { class: "button", href: spoken(`/api/studies/${this.id}/review.html?node=${this.end}`), download: true }, t("Save as a page")) : null,
        this.done ? h("a", { class: "button", href: "#practice" }, t("Practise")) : null),
      ...(this.progress ? [h("p", { class: "small", role: "status" }, this.progress)] : []),
    );
    if (!game) return;
    const box = drawn("div", `<svg class="graph" viewBox="0 0 600 200" role="img" aria-label="${t("Expected margin by move")}">${graph(game)}</svg>`);
    box.firstChild.addEventListener("click", (event) =>
      this.go(nodeBefore(this, Math.min(picked(game, box.firstChild, event), game.count - 1))));
    this.element.append(h("p", { class: "small" }, game.names.length === 2 ? t("Expected margin of player 0 in VP.") : t("Expected margin in VP."),
      " ", t("A click goes there; M: the next mistake.")), box, this.told);
    if (whole) {
      const list = part(t("Biggest mistakes"), mistakes(game));
      const jump = (event) => {
        const at = event.target.closest(".jump");
        if (at && (event.type === "click" || event.key === "Enter")) this.go(nodeBefore(this, Number(at.dataset.ply)));
      };
      list.addEventListener("click", jump);
      list.addEventListener("keydown", jump);
      this.element.append(list, part(t("Luck and skill"), accounts(game) + (this.done ? strengths(game) : "")), part(t("VP lost by quarter and kind"), losses(game)));
    }
    this.changed(new Map(game.decisions.filter(isBad).map((d) => [d.node, d])));
    this.at(this.node);
  }

  // Tells of the decision that was made at a node.
  at(node) {
    this.node = node;
    const d = this.game?.decisions.find((one) => one.before === node);
    this.told.innerHTML = d ? story(this.game, d) : "";
    const line = this.element.querySelector(".cursor");
    const x = this.game && spot(this.game, d ? d.at : this.own.indexOf(node) + 1);
    for (const name of ["x1", "x2"]) line?.setAttribute(name, x);
  }

  // The node before the next mistake.
  next(node) {
    const from = this.own?.indexOf(node) ?? -1;
    const found = this.game?.decisions.find((d) => isBad(d) && d.before !== node && d.at > from);
    return found?.before ?? null;
  }
}

const nodeBefore = ({ game, own }, number) => game.decisions.find((d) => d.at === number)?.before ?? own[number];
