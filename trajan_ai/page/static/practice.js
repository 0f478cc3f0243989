// Exercises, in which the user finds the best turn: the puzzle of the day, repetitions of missed exercises,
// the user's mistakes, and the games' puzzles. A series consists of the biggest mistakes in one game.

import { get, post } from "./api.js";
import { Board } from "./board.js";
import {
	attempt,
	button,
	capitalized,
	choices,
	closeButton,
	entitle,
	field,
	gameName,
	make,
	makeSvg,
	notice,
	number,
	openGame,
	select,
	showChoices,
	showScores,
	signed,
	token,
} from "./dom.js";
import { tr } from "./language.js";

const SERIES = "of-"; // begins the address of a series, before the id of a game
const difficulty = (rating) =>
	rating <= 600 ? tr("easy") : rating <= 1200 ? tr("medium") : rating <= 4800 ? tr("hard") : tr("very hard");
const figure = (one) => `${signed(one.mean)} ± ${number(one.error, 1)} ${tr("VP")}`;

export class Practice {
	/** @type {Exercise[]} */
	exercises = [];
	/** @type {Record<string, string[]>} the biggest mistakes in each game */
	mistakes = {};
	/** @type {{id: string, solved: boolean}} */
	daily = null;
	streak = 0; // days in a row
	/** @type {PlayedLevel[]} */
	levels = [];
	/** @type {ExerciseState} */
	state = null;

	/** @param {HTMLElement} main */
	constructor(main) {
		this.main = main;
		this.game = ""; // empty: all games
		this.series = null; // the exercises of a series
		this.id = null; // the exercise that was requested last
		this.shown = null; // the exercise on the board
		this.solved = new Set(); // during this visit
	}

	async start(id) {
		entitle(tr("Practise"));
		this.board = new Board(
			(actions) => this.choose(actions),
			(reason) => notice(`${reason}\n${this.state.instruction ?? ""}`),
		);
		this.who = make("p", { class: "who" });
		this.task = make("p", { class: "small task", tabindex: "0" });
		this.scores = make("ul", { class: "scores", "aria-label": tr("Victory points") });
		this.choices = choices();
		this.verdict = make("div", { class: "verdict", role: "status", "aria-live": "polite", tabindex: "0" });
		const close = closeButton(() => this.verdict.replaceChildren());
		this.show = button(tr("Show the answer"), () => this.answer(null), { title: tr("The best turns (A)") });
		this.next = button(tr("Next"), () => this.another(), {
			title: tr("Another exercise (N)"),
			class: "main",
		});
		this.openButton = button(tr("Analyse it"), () => this.analyse(), { title: tr("As a separate game") });
		this.moves = make("div", { class: "legal" });
		this.legal = make(
			"details",
			{ class: "card legal-moves" },
			make("summary", {}, tr("Legal moves")),
			this.moves,
		);
		this.habit = make("div", {});
		this.list = make("div", {
			class: "scroll",
			tabindex: "0",
			"aria-label": tr("Exercises"),
			role: "region",
		});
		this.level = make("details", { class: "card levels", hidden: true });
		Object.assign(this, await attempt(() => get(`/api/practice?game=${localStorage.getItem("game") ?? ""}`)));
		const games = [...new Set(this.exercises.map((one) => one.game))].map((name) => [name, gameName(name)]);
		const filter = select({ id: "only", onchange: () => ((this.game = filter.value), this.fill()) }, [
			["", tr("all")],
			...games,
		]);
		this.main.className = "tree";
		this.main.replaceChildren(
			make(
				"section",
				{ class: "card now" },
				this.who,
				this.task,
				this.scores,
				make("div", { class: "buttons" }, this.next, this.show, this.openButton),
				make("div", { class: "foot" }, this.choices, this.verdict, close),
			),
			make("section", { class: "pane" }, this.board.element),
			this.legal,
			make(
				"section",
				{ class: "card logs" },
				make("h2", {}, tr("Exercises")),
				this.habit,
				field(tr("Game"), filter),
				this.list,
			),
			this.level,
		);
		this.board.watch();
		this.showLevels();
		if (id) await this.open(id);
		else this.another();
		this.fill();
	}

	leave() {
		this.board.watching?.disconnect();
	}

	chosen() {
		const ids = this.series;
		if (ids) return ids.map((id) => this.exercises.find((one) => one.id === id));
		return this.exercises.filter((one) => !this.game || one.game === this.game);
	}

	/** @param {Exercise} one */
	label(one) {
		if (one.own)
			return tr("{title}, turn {turn}: {vp} VP lost", {
				title: one.title && one.title !== one.game ? one.title : gameName(one.game),
				turn: one.turn,
				vp: number(one.lead, 1),
			});
		return `${gameName(one.game)}, ${tr("{players} players", one)}`;
	}

	// Fills the list; groups without the shown exercise are folded.
	fill() {
		const all = this.chosen();
		const item = (one) =>
			make(
				"li",
				{},
				make(
					"a",
					{ href: `#practice/${one.id}`, "aria-current": one.id === this.id ? "true" : null },
					this.isSolved(one) ? "✓ " : "",
					this.label(one),
				),
			);
		const groups = new Map();
		for (const one of all) {
			const name = one.due
				? tr("Missed before: again today")
				: one.own
					? tr("Your mistakes, the biggest first")
					: tr("Puzzles: {difficulty}", { difficulty: difficulty(one.rating) });
			groups.set(name, [...(groups.get(name) ?? []), one]);
		}
		const group = ([name, ones], i) =>
			make(
				"details",
				{ open: i === 0 || ones.some((one) => one.id === this.id) },
				make("summary", {}, `${name} (${ones.filter((one) => this.isSolved(one)).length}/${ones.length})`),
				make("ol", { class: "log exercises" }, ones.map(item)),
			);
		this.list.replaceChildren(
			make(
				"p",
				{ class: "small" },
				tr("{solved} of {count} solved.", {
					solved: all.filter((one) => this.isSolved(one)).length,
					count: all.length,
				}),
				" ",
				this.exercises.some((one) => one.own)
					? ""
					: tr("Analyse a game that you played, and your mistakes appear here."),
			),
			...(this.series
				? [
						make("ol", { class: "log exercises" }, all.map(item)),
						make(
							"p",
							{},
							make("a", { href: "#practice", onclick: () => (this.series = null) }, tr("All exercises")),
						),
					]
				: [...groups].map(group)),
		);
		this.habit.replaceChildren(
			...(this.daily
				? [
						make(
							"p",
							{},
							make(
								"a",
								{ class: "daily", href: `#practice/${this.daily.id}` },
								this.daily.solved ? "✓ " : "",
								tr("Puzzle of the day"),
							),
							this.streak
								? ` · ${tr("days in a row with a right answer: {count}", { count: this.streak })}`
								: "",
						),
					]
				: []),
		);
		const here = /** @type {HTMLElement} */ (this.list.querySelector("[aria-current]"));
		if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
	}

	/** @param {Exercise} one */
	isSolved(one) {
		return this.solved.has(one.id) || (one.solved && !one.due && !this.series);
	}

	// Opens the puzzle of the day first, then the next unsolved exercise of the list.
	another() {
		const all = this.chosen();
		const at = all.findIndex((one) => one.id === this.id);
		const isFirst = !this.id && !this.series && this.daily && !this.daily.solved;
		const next = isFirst
			? this.daily
			: [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find((one) => !this.isSolved(one));
		if (next) location.hash = `practice/${next.id}`;
		else
			this.verdict.replaceChildren(
				make("p", {}, all.length ? tr("All of these are solved.") : tr("No exercises here yet.")),
			);
	}

	// Opens an exercise, or the series of a game.
	async open(id) {
		if (id.startsWith(SERIES)) {
			const series = this.mistakes[id.slice(SERIES.length)];
			if (series) Object.assign(this, { series, id: null });
			this.fill();
			this.another();
			return;
		}
		this.id = id;
		const state = await attempt(() => get(`/api/practice/${id}`));
		if (!state || id !== this.id) return; // another exercise was requested meanwhile
		this.state = state;
		this.shown = id;
		const { player, instruction, tried, words, lead, turn } = state;
		const number_of = this.series?.indexOf(id) ?? -1;
		this.who.replaceChildren(
			token(player),
			number_of < 0
				? tr("Find the best turn")
				: tr("Mistake {number} of {count}: find the best turn", {
						number: number_of + 1,
						count: this.series.length,
					}),
		);
		const why = tried
			? tr("You played “{words}”, which cost {vp} VP.", { words: words[tried] ?? tried, vp: number(lead, 1) })
			: tr("One turn is well ahead of all others.");
		this.task.textContent = [
			`${gameName(state.game)}, ${tr("turn {turn}", { turn })}.`,
			capitalized(instruction ?? ""),
			why,
			tr("Several answers may be right."),
		].join(" ");
		showScores(this.scores, state);
		this.verdict.replaceChildren();
		showChoices(this.choices, state, (action) => this.answer(action));
		this.moves.replaceChildren(...state.legal.map(([action, place]) => this.option(action, place)));
		this.board.show(state, player);
		this.fill();
	}

	option(action, place) {
		return button(this.state.words[action] ?? action, () => this.answer(action), {
			class: "move",
			title: action,
			"data-action": action,
			...this.board.pointing([place]),
		});
	}

	// Answers with the only action of a place, or lists its actions to choose from.
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
		const id = this.shown;
		this.verdict.replaceChildren(make("p", { class: "small" }, tr("Judging …")));
		const verdict = await attempt(() => post(`/api/practice/${id}/answer`, { action }));
		this.busy = false;
		if (verdict && id === this.shown) this.showVerdict(verdict);
	}

	/** @param {Verdict} verdict */
	showVerdict({ right, words, gain, reasons, reply, best }) {
		const parts = [];
		if (words) {
			const why = gain?.mean < 0 ? ` (${figure(gain)})` : "";
			parts.push(
				make(
					"p",
					{ class: right ? "right" : "problem" },
					right
						? tr("✓ Right: {words}{why}.", { words, why })
						: tr("✗ Not the best: {words}{why}. Try again.", { words, why }),
				),
			);
		}
		if (reply)
			parts.push(
				make(
					"p",
					{},
					token(reply.player),
					" ",
					tr("{name}'s likely reply: {words}.", {
						name: this.state.names[reply.player],
						words: reply.words,
					}),
				),
			);
		parts.push(...reasons.map((text) => make("p", { class: "reason" }, text)));
		if (best.length)
			parts.push(
				make("p", {}, tr("The best turns:")),
				make(
					"ol",
					{},
					best.map((one) =>
						make("li", {}, one.words, one.gain?.mean ? make("small", {}, ` (${figure(one.gain)})`) : null),
					),
				),
			);
		this.verdict.replaceChildren(...parts);
		const places = new Map(this.state.legal);
		this.board.suggest(best.map((one) => places.get(one.action)));
		if (!right) return;
		this.solved.add(this.shown);
		if (this.shown === this.daily?.id) this.daily.solved = true;
		this.streak ||= 1;
		this.fill();
		this.next.focus();
	}

	// Shows the estimated level in each analysed game, with its standard error.
	showLevels() {
		this.level.hidden = !this.levels.length;
		if (!this.levels.length) return;
		const vp = this.levels.flatMap((one) => [one.vp - one.error, one.vp + one.error]);
		const low = Math.min(...vp);
		const high = Math.max(...vp, low + 10);
		const left = (i) => 40 + (545 * (i + 0.5)) / this.levels.length;
		const top = (value) => 110 - (100 * (value - low)) / (high - low);
		const line = (game, which) => {
			const own = this.levels.map((one, i) => ({ ...one, x: left(i) })).filter((one) => one.game === game);
			const fill = `var(--p${which})`;
			const style = { stroke: fill, "stroke-width": 2 };
			const points = own.map((one) => `${one.x},${top(one.vp)}`).join(" ");
			const range = ({ x, vp: mean, error }) =>
				makeSvg("line", {
					...style,
					opacity: 0.5,
					x1: x,
					x2: x,
					y1: top(mean - error),
					y2: top(mean + error),
				});
			return [
				makeSvg("polyline", { fill: "none", ...style, points }),
				own.map((one) => [range(one), makeSvg("circle", { fill, cx: one.x, cy: top(one.vp), r: 4 })]),
			];
		};
		const label = (value) =>
			makeSvg("text", { x: 2, y: top(value) + 4, "font-size": 11, fill: "currentColor" }, number(value));
		const graph = makeSvg(
			"svg",
			{ class: "graph", viewBox: "0 0 600 120", role: "img", "aria-label": tr("Your level by game") },
			[...new Set(this.levels.map((one) => one.game))].map(line),
			[low, high].map(label),
		);
		const day = new Intl.DateTimeFormat(document.documentElement.lang);
		const words = (one) => `${number(one.vp)} ± ${number(one.error)} ${tr("VP")}`;
		this.level.replaceChildren(
			make("summary", {}, tr("Your level")),
			make("div", {}, graph),
			make(
				"ol",
				{ class: "small" },
				this.levels.map((one) =>
					make("li", {}, `${day.format(new Date(one.day))}, ${gameName(one.game)}: ${words(one)}`),
				),
			),
		);
	}

	analyse() {
		if (this.state)
			openGame("/api/load", { text: JSON.stringify(this.state.position), title: tr("An exercise") });
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
