// The log: every decision with its branches. A click goes to the node.

import { h, icons, token } from "./dom.js";
import { t } from "./language.js";

export class Log {
  constructor(element, go) {
    this.element = element;
    this.go = go;
    this.nodes = [];
    this.children = [];
    this.bad = new Map(); // mistakes by node
    this.visited = new Map(); // the child that was shown last, by node
    element.addEventListener("click", (event) => {
      const node = event.target.closest("[data-node]")?.dataset.node;
      if (node !== undefined) this.go(Number(node));
    });
  }

  show(state) {
    const { nodes, node } = state;
    this.state = state;
    if (JSON.stringify(nodes) !== JSON.stringify(this.nodes)) {
      this.nodes = nodes;
      this.children = nodes.map(() => []);
      nodes.forEach(([parent], i) => i && this.children[parent].push(i));
      const rows = [];
      this.rows(0, rows);
      this.element.replaceChildren(
        h("button", { type: "button", class: "move", "data-node": 0 }, t("Beginning")),
        h("ol", { class: "log" }, rows),
      );
    }
    for (let child = node; child; child = nodes[child][0]) this.visited.set(nodes[child][0], child);
    this.mark(node);
    this.mistakes(this.bad);
  }

  // Marks mistakes and shows the better turns.
  mistakes(bad) {
    this.bad = bad;
    for (const [node, { grade, better_words: better }] of bad) {
      const button = this.element.querySelector(`[data-node="${node}"]`);
      button?.classList.add("bad", grade);
      button?.setAttribute("title", t("{grade}; better: {better}", { grade: t(grade), better }));
    }
  }

  mark(node) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = this.element.querySelector(`[data-node="${node}"]`);
    button.setAttribute("aria-current", "step");
    const box = this.element.getBoundingClientRect();
    const place = button.getBoundingClientRect();
    if (place.top < box.top || place.bottom > box.bottom)
      this.element.scrollTop += place.top - box.top - box.height / 2;
  }

  // Adds the rows of the line after a node: one per turn, each followed by its branches.
  rows(node, rows) {
    let row = null;
    let of = null;
    while (this.children[node].length) {
      const [first, ...others] = this.children[node];
      const [, player, action, turn] = this.nodes[first];
      if (of !== `${turn} ${player}`) {
        row = h("li", {}, h("span", { class: "turn" }, turn), token(player), h("span", { class: "sr" }, t("player {player}: ", { player })));
        rows.push(row);
        of = `${turn} ${player}`;
      }
      row.append(this.button(first, action));
      for (const other of others) {
        rows.push(h("li", { class: "branch" }, this.branch(other)));
        of = null;
      }
      node = first;
    }
  }

  button(node, action) {
    const { game, log, pieces } = this.state;
    return h("button", { type: "button", class: "move", "data-node": node, title: action }, icons(game, pieces[action]), log[action]);
  }

  branch(node) {
    const [, player, action, turn] = this.nodes[node];
    const first = h("li", {}, h("span", { class: "turn" }, turn), token(player),
      this.button(node, action));
    const rows = [first];
    this.rows(node, rows);
    return h("ol", { class: "log", "aria-label": t("a branch") }, rows);
  }

  parent(node) {
    return node ? this.nodes[node][0] : null;
  }

  next(node) {
    return this.visited.get(node) ?? this.children[node][0] ?? null;
  }

  last(node) {
    for (let next = this.next(node); next !== null; next = this.next(node)) node = next;
    return node;
  }

  sibling(node, step) {
    const all = node ? this.children[this.nodes[node][0]] : [];
    return all[all.indexOf(node) + step] ?? null;
  }
}
