// Exercises: find the best turn. Own mistakes come first, then the puzzles of the games.

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { attempt, button, entitle, field, gameName, h, number, openGame, select, signed, token } from "./dom.js";
import { t } from "./language.js";

const difficulty = (rating) => (rating <= 600 ? t("easy") : rating <= 1200 ? t("medium") : rating <= 4800 ? t("hard") : t("very hard"));

export class Practice {
  constructor(main) {
    this.main = main;
    this.game = ""; // all of them
  }

  async start(id) {
    entitle(t("Practise"));
    this.board = new Board((actions) => this.choose(actions));
    this.who = h("p", { class: "who" });
    this.task = h("p", { class: "small" });
    this.scores = h("ul", { class: "scores", "aria-label": t("Victory points") });
    this.verdict = h("div", { class: "verdict", role: "status", "aria-live": "polite" });
    this.show = button(t("Show the answer"), () => this.answer(null), { title: t("The best turns (A)") });
    this.next = button(t("Next"), () => this.another(), { title: t("Another exercise (N)"), class: "main" });
    this.openButton = button(t("Analyse it"), () => this.analyse(), { title: t("As a game of its own") });
    this.moves = h("div", { class: "legal" });
    this.legal = h("details", { class: "card legal-moves" }, h("summary", {}, t("Legal moves")), this.moves);
    this.list = h("div", { class: "scroll", tabindex: "0", "aria-label": t("Exercises"), role: "region" });
    this.exercises = (await attempt(() => get("/api/practice"))) ?? [];
    const games = [...new Set(this.exercises.map((one) => one.game))].map((name) => [name, gameName(name)]);
    const filter = select({ id: "only", onchange: () => ((this.game = filter.value), this.fill()) }, [["", t("all")], ...games]);
    this.main.className = "study";
    this.main.replaceChildren(
      h("section", { class: "card now" }, this.who, this.task, this.scores,
        h("div", { class: "buttons" }, this.next, this.show, this.openButton), this.verdict),
      h("section", { class: "pane" }, this.board.element),
      this.legal,
      h("section", { class: "card logs" }, h("h2", {}, t("Exercises")), field(t("Game"), filter), this.list),
    );
    this.board.watch();
    this.fill();
    if (id) await this.open(id);
    else this.another();
  }

  leave() {
    this.board.watching?.disconnect();
  }

  chosen() {
    return this.exercises.filter((one) => !this.game || one.game === this.game);
  }

  fill() {
    const all = this.chosen();
    this.list.replaceChildren(h("p", { class: "small" },
      t("{solved} of {count} solved.", { solved: all.filter((one) => one.solved).length, count: all.length }), " ",
      all.length ? "" : t("Analyse a game that you played: your mistakes come here.")),
    h("ol", { class: "log" }, all.map((one) =>
      h("li", {}, h("a", { href: `#practice/${one.id}`, "aria-current": one.id === this.id ? "true" : null },
        one.solved ? "✓ " : "",
        one.own ? t("{title}: {vp} VP lost", { title: one.title, vp: number(one.lead, 1) })
          : `${gameName(one.game)}, ${t("{players} players", one)}: ${difficulty(one.rating)}`)))));
    const here = this.list.querySelector("[aria-current]");
    if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
  }

  // Opens the next unsolved exercise of the list.
  another() {
    const all = this.chosen();
    const at = all.findIndex((one) => one.id === this.id);
    const next = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find((one) => !one.solved);
    if (next) location.hash = `practice/${next.id}`;
    else this.verdict.replaceChildren(h("p", {}, all.length ? t("All of these are solved.") : t("No exercises here yet.")));
  }

  async open(id) {
    this.id = id;
    const state = await attempt(() => get(`/api/practice/${id}`));
    if (!state) return;
    this.state = state;
    const { player, decision, tried, words, lead } = state;
    this.who.replaceChildren(token(player), t("Player {player}: find the best turn", { player }));
    this.task.textContent = `${gameName(state.game)}, ${t("turn {turn}", { turn: state.turn + 1 })}${decision ? `: ${decision}` : ""}. ` + (tried
      ? t("You played “{words}”, which cost {vp} VP.", { words: words[tried] ?? tried, vp: number(lead, 1) })
      : t("One turn is well ahead of all others."));
    this.scores.replaceChildren(...state.scores.map((vp, one) =>
      h("li", {}, token(one), h("span", { class: "sr" }, t("player {player}", { player: one })), h("strong", {}, vp), ` ${t("VP")}`)));
    this.verdict.replaceChildren(h("p", { class: "small" }, t("Choose on the board or in the list. Several answers may be right.")));
    this.moves.replaceChildren(...state.legal.map(([action, place]) => this.option(action, place)));
    this.board.show(state, player);
    this.fill();
  }

  option(action, place) {
    return button(action, () => this.answer(action),
      { class: "move", title: this.state.words[action], ...this.board.pointing([place]) });
  }

  // Answers with the action of a place, or offers several in the list.
  choose(actions) {
    if (actions.length === 1) return this.answer(actions[0]);
    this.offer(actions);
    return null;
  }

  offer(actions = this.state.legal.map(([action]) => action)) {
    const places = new Map(this.state.legal);
    this.moves.replaceChildren(...actions.map((action) => this.option(action, places.get(action))));
    this.legal.open = true;
    this.moves.querySelector("button").focus();
  }

  async answer(action) {
    if (!this.state || this.busy) return;
    this.busy = true;
    const { id } = this;
    this.verdict.replaceChildren(h("p", { class: "small" }, t("Judging …")));
    const verdict = await attempt(() => post(`/api/practice/${id}/answer`, { action }));
    this.busy = false;
    if (verdict && id === this.id) this.showVerdict(verdict);
  }

  showVerdict({ right, words, gain, best }) {
    const figure = (one) => `${signed(one.mean)} ± ${number(one.error, 1)} ${t("VP")}`;
    const parts = [];
    if (words) {
      const why = gain?.mean < 0 ? ` (${figure(gain)})` : "";
      parts.push(h("p", { class: right ? "right" : "problem" }, right ? t("✓ Right: {words}{why}.", { words, why }) : t("✗ Not the best: {words}{why}. Try again.", { words, why })));
    }
    if (best.length)
      parts.push(h("p", {}, t("The best turns:")), h("ol", {}, best.map((one) => h("li", {}, one.words, one.gain?.mean ? h("small", {}, ` (${figure(one.gain)})`) : null))));
    this.verdict.replaceChildren(...parts);
    const places = new Map(this.state.legal);
    this.board.suggest(best.map((one) => places.get(one.action)));
    if (!right) return;
    this.exercises.find((one) => one.id === this.id).solved = true;
    this.fill();
    this.next.focus();
  }

  analyse() {
    if (this.state) openGame("/api/load", { text: JSON.stringify(this.state.position), title: t("An exercise") });
  }

  key(event) {
    const does = {
      n: () => this.another(),
      a: () => this.answer(null),
      l: () => this.state && this.offer(),
    }[event.key.toLowerCase()];
    if (!does) return;
    event.preventDefault();
    does();
  }
}
