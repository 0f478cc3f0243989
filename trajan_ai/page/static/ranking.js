// The ranking of a position's moves with the turns they begin, while it gets better.

import { search } from "./api.js";
import { button, h, percent, signed, token } from "./dom.js";
import { language, t } from "./language.js";

const TURNS = 3; // whole turns that are told

const points = (value) => (value === null ? "–" : value.toFixed(0));
const error = (value) => (value === null ? null : h("small", {}, ` ±${value.toFixed(1)}`));

export class Ranking {
  // `play(action, then)` plays a move, and perhaps more of its turn; `pointing(places)` has an
  // element point at places, `changed(moves)` hears of news.
  constructor(element, { play, pointing, changed, stopped }) {
    Object.assign(this, { element, play, pointing, changed, stopped });
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
      h("p", { class: "small" }, t("Press S, or the button: whole turns and moves, best first, better from moment to moment.")),
    );
  }

  // Ends the search and forgets it.
  stop() {
    this.threatened?.leave();
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
    this.asked = [study, node];
    this.search = search(study, { node, seconds }, (result) => {
      if (result.last) {
        this.search = null;
        this.stopped();
      }
      if (result.problems) this.element.replaceChildren(h("p", { class: "problem" }, result.problems.join("\n")));
      else this.show(result);
    });
  }

  show(result) {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    this.moves = result.moves;
    const verified = result.grade === "verified";
    this.element.replaceChildren(
      h(
        "table",
        { class: "ranking" },
        h("thead", {}, h("tr", {},
          h("th", { scope: "col" }, "#"),
          h("th", { scope: "col" }, t("Move")),
          h("th", { scope: "col", title: t("expected share of the win, with its standard error") }, t("Win")),
          h("th", { scope: "col", title: t("expected final VP") }, t("VP")),
          h("th", { scope: "col", title: t("expected lead over the best opponent in VP") }, t("Lead")))),
        h("tbody", {}, result.moves.flatMap((move, i) => this.rows(move, i, verified))),
      ),
      h("p", { class: "small", id: "work" },
        t("{grade}: {searches} searches, {iterations} iterations in {seconds} s", {
          grade: verified ? t("Verified") : t("Quick and rough, in the order of the visits"), searches: result.searches,
          iterations: result.iterations.toLocaleString(language), seconds: result.seconds.toFixed(1),
        }) + (result.calibrated ? "" : t("; not calibrated for this game")) +
        (result.of > result.moves.length ? t("; {count} more moves", { count: result.of - result.moves.length }) : "")),
    );
    if (result.why) this.element.append(this.why(result.why));
    if (result.last) this.element.append(this.threats());
    if (focused) this.element.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
    this.changed(this.moves);
  }

  // What the best moves are expected to bring, by source: of the first how much, of the others how
  // much more.
  why({ actions, sources }) {
    const more = (value) => h("td", {}, signed(value));
    return h("details", { class: "sources" },
      h("summary", {}, t("Why? Expected VP by source")),
      h("table", {},
        h("thead", {}, h("tr", {}, h("td", {}), actions.map((action, i) =>
          h("th", { scope: "col", title: action }, `#${i + 1}`, i ? h("span", { class: "sr" }, " ", t("against #1")) : null)))),
        h("tbody", {}, sources.map(({ name, first, others }) =>
          h("tr", {}, h("th", { scope: "row" }, t(name.replaceAll("_", " "))), h("td", {}, first.toFixed(1)), others.map(more))))),
      h("p", { class: "small" }, t("Expected VP after the first move, and how many more or fewer after the others; the rows add up to the VP above.")));
  }

  // On demand: what the next player will do after the best turn, as far as the observer can know.
  threats() {
    const found = h("div", { role: "status" });
    const ask = () => {
      const [study, node] = this.asked;
      const after = this.moves[0].turn.actions.join(";");
      this.threatened?.leave();
      this.threatened = search(study, { node, seconds: 2, after }, ({ problems, player, moves }) =>
        found.replaceChildren(...(problems ? [h("p", { class: "small" }, t("The turn goes on, or nobody decides after it."))]
          : [h("p", {}, token(player), " ", t("After your best turn player {player} may:", { player })),
            h("ol", {}, moves.slice(0, TURNS).map((move) =>
              h("li", {}, move.turn.words, h("small", {}, " ", t("{share} of the visits", { share: percent(move.share) })))))])));
    };
    return h("details", { class: "threats", ontoggle: (event) => event.target.open && ask() },
      h("summary", {}, t("What comes next? The opponent's best turns")), found);
  }

  // A row of figures, and one with the whole turn in words.
  rows(move, i, verified) {
    const { actions, reveals, words, complete } = move.turn;
    // As far as nothing comes up that the rest may depend on.
    const sure = actions.slice(0, (reveals[0] ?? actions.length) + 1);
    const { onfocus, onblur, ...pointer } = this.pointing(move.places);
    const played = button(move.words, () => this.play(move.action),
      { class: "move", "data-action": move.action, title: move.action, onfocus, onblur });
    const row = (...cells) => h("tr", { class: i === 0 ? "best" : verified && move.grade === "quick" ? "few" : "", ...pointer }, ...cells);
    const told = words + (reveals.length ? t(", as it comes") : "") + (complete ? "" : " ..");
    return [
      row(
        h("td", { class: "number" }, i + 1),
        h("td", {}, played,
          i < TURNS && sure.length > 1 ? button(t("▶ turn"), () => this.play(sure[0], sure.slice(1)),
            { class: "quiet whole", title: sure.join(" > "), "aria-label": t("Play the turn: {words}", { words }) }) : null,
          h("span", { class: "share", style: `--share:${(100 * move.share).toFixed(1)}%`, title: t("{share} of the visits", { share: percent(move.share) }) })),
        h("td", {}, percent(move.win), move.win_error ? h("small", {}, ` ±${(100 * move.win_error).toFixed(0)}`) : null),
        h("td", {}, points(move.score), error(move.score_error)),
        h("td", {}, move.margin === null ? "–" : signed(move.margin), error(move.margin_error)),
      ),
      ...(i < TURNS && words !== move.words ? [row(h("td", {}), h("td", { class: "line", colspan: 4 }, told))] : []),
    ];
  }
}
