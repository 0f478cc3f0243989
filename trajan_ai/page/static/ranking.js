// The ranking of a position's moves, while it gets better.

import { search } from "./api.js";
import { h } from "./dom.js";

const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(0)}%`);
const points = (value) => (value === null ? "–" : value.toFixed(0));

const error = (value) => (value === null ? null : h("small", {}, ` ±${value.toFixed(1)}`));

function signed1(value) {
  const digits = Math.abs(value).toFixed(1);
  return digits === "0.0" ? digits : `${value > 0 ? "+" : "−"}${digits}`;
}

export class Ranking {
  // `play(action)` plays a move, `point(place)` points at its place, `changed(moves)` hears of news.
  constructor(element, { play, point, changed, stopped }) {
    Object.assign(this, { element, play, point, changed, stopped });
    this.moves = [];
    this.search = null;
    this.clear();
  }

  get running() {
    return this.search !== null;
  }

  clear() {
    this.stop();
    this.moves = [];
    this.element.replaceChildren(
      h("p", { class: "small" }, "Press S, or the button, and the moves are ranked here: best first, better from moment to moment."),
    );
  }

  // Ends the search and forgets it.
  stop() {
    if (this.search) {
      this.search.leave();
      this.search = null;
      this.stopped();
    }
  }

  // Ends the search with what it has found so far, and why.
  finish() {
    this.search?.finish();
  }

  start(study, node, seconds) {
    this.stop();
    this.search = search(study, node, seconds, (result) => {
      if (result.last) {
        this.search = null;
        this.stopped();
      }
      if (result.problems) this.element.replaceChildren(h("p", { class: "problem" }, result.problems.join("\n")));
      else this.show(result);
    });
  }

  show(result) {
    const focused = this.element.contains(document.activeElement)
      ? document.activeElement.dataset.action
      : null;
    this.moves = result.moves;
    this.element.replaceChildren(
      h(
        "table",
        { class: "ranking" },
        h("thead", {}, h("tr", {},
          h("th", { scope: "col" }, "#"),
          h("th", { scope: "col" }, "Move"),
          h("th", { scope: "col", title: "expected share of the win, with its standard error" }, "Win"),
          h("th", { scope: "col", title: "expected final VP" }, "VP"),
          h("th", { scope: "col", title: "expected lead over the best opponent in VP" }, "Lead"))),
        h("tbody", {}, result.moves.map((move, i) => this.row(move, i, result.grade === "verified"))),
      ),
      h("p", { class: "small", id: "work" },
        `${result.grade === "verified" ? "Verified" : "Quick, rough"}: ${result.searches} searches, ` +
        `${result.iterations.toLocaleString("en")} iterations in ${result.seconds.toFixed(1)} s` +
        (result.calibrated ? "" : "; not calibrated for this game") +
        (result.of > result.moves.length ? `; ${result.of - result.moves.length} more moves` : "")),
    );
    if (result.why) this.element.append(this.why(result.why));
    if (focused) this.element.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
    this.changed(this.moves);
  }

  // What the best moves are expected to bring, by source: of the first how much, of the others how
  // much more.
  why({ actions, sources }) {
    const more = (value) => h("td", {}, signed1(value));
    return h("details", { class: "sources" },
      h("summary", {}, "Why? Expected VP by source"),
      h("table", {},
        h("thead", {}, h("tr", {}, h("td", {}), actions.map((action, i) =>
          h("th", { scope: "col", title: action }, `#${i + 1}`, i ? h("span", { class: "sr" }, " against #1") : null)))),
        h("tbody", {}, sources.map(({ name, first, others }) =>
          h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")), h("td", {}, first.toFixed(1)), others.map(more))))),
      h("p", { class: "small" }, "Expected VP after the first move, and how many more or fewer after the others; the rows add up to the VP above."));
  }

  row(move, i, verified) {
    const line = move.line.slice(1, 5).map(([player, action]) => `${player}: ${action}`).join(", ");
    const button = h(
      "button",
      {
        type: "button", class: "move", "data-action": move.action,
        onclick: () => this.play(move.action),
        onfocus: () => this.point(move.place),
        onblur: () => this.point(null),
      },
      move.action,
    );
    return h(
      "tr",
      { class: i === 0 ? "best" : verified && move.grade === "quick" ? "few" : "", onmouseenter: () => this.point(move.place), onmouseleave: () => this.point(null) },
      h("td", { class: "number" }, i + 1),
      h("td", {}, button, move.words ? h("span", { class: "line" }, move.words) : null,
        h("span", { class: "share", style: `--share:${(100 * move.share).toFixed(1)}%`, title: `${percent(move.share)} of the visits` }),
        i < 3 && line ? h("span", { class: "line" }, `then ${line}`) : null),
      h("td", {}, percent(move.win), move.win_error ? h("small", {}, ` ±${(100 * move.win_error).toFixed(0)}`) : null),
      h("td", {}, points(move.score), error(move.score_error)),
      h("td", {}, move.margin === null ? "–" : signed1(move.margin), error(move.margin_error)),
    );
  }
}
