// Exercises: find the best turn. The puzzle of the day, repetitions of missed exercises, own
// mistakes, and the puzzles of the games. A lesson has the biggest mistakes of one game.

import { get, post } from "./api.js";
import { Board } from "./board.js";
import {
	attempt,
	button,
	choices,
	entitle,
	field,
	gameName,
	h,
	notice,
	number,
	openGame,
	select,
	showChoices,
	signed,
	token,
} from "./dom.js";
import { t } from "./language.js";

const LESSON = "of-"; // begins the address of a lesson, before the id of a game
const difficulty = (rating) =>
	rating <= 600 ? t("easy") : rating <= 1200 ? t("medium") : rating <= 4800 ? t("hard") : t("very hard");
const figure = (one) => `${signed(one.mean)} ± ${number(one.error, 1)} ${t("VP")}`;
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const source = (name) => t(name.replaceAll("_", " "));

export class Practice {
	constructor(main) {
		this.main = main;
		this.game = ""; // all of them
		this.lesson = null; // the exercises of a lesson
		this.solved = new Set(); // during this visit
	}

	async start(id) {
		entitle(t("Practise"));
		this.board = new Board(
			(actions) => this.choose(actions),
			(reason) => notice(`${reason}\n${this.state.instruction ?? ""}`),
		);
		this.who = h("p", { class: "who" });
		this.task = h("p", { class: "small task", tabindex: "0" });
		this.scores = h("ul", { class: "scores", "aria-label": t("Victory points") });
		this.choices = choices();
		this.verdict = h("div", { class: "verdict", role: "status", "aria-live": "polite" });
		const close = button("✕", () => this.verdict.replaceChildren(), {
			class: "close",
			"aria-label": t("Close"),
		});
		this.show = button(t("Show the answer"), () => this.answer(null), { title: t("The best turns (A)") });
		this.next = button(t("Next"), () => this.another(), { title: t("Another exercise (N)"), class: "main" });
		this.openButton = button(t("Analyse it"), () => this.analyse(), { title: t("As a game of its own") });
		this.moves = h("div", { class: "legal" });
		this.legal = h("details", { class: "card legal-moves" }, h("summary", {}, t("Legal moves")), this.moves);
		this.habit = h("div", {});
		this.list = h("div", { class: "scroll", tabindex: "0", "aria-label": t("Exercises"), role: "region" });
		this.level = h("details", { class: "card levels", hidden: true });
		const { exercises, lessons, daily, streak, levels } = (await attempt(() => get("/api/practice"))) ?? {
			exercises: [],
			lessons: {},
			levels: [],
		};
		Object.assign(this, { exercises, lessons, daily, streak, levels });
		const games = [...new Set(exercises.map((one) => one.game))].map((name) => [name, gameName(name)]);
		const filter = select({ id: "only", onchange: () => ((this.game = filter.value), this.fill()) }, [
			["", t("all")],
			...games,
		]);
		this.main.className = "study";
		this.main.replaceChildren(
			h(
				"section",
				{ class: "card now" },
				this.who,
				this.task,
				this.scores,
				h("div", { class: "buttons" }, this.next, this.show, this.openButton),
				h("div", { class: "foot" }, this.choices, this.verdict, close),
			),
			h("section", { class: "pane" }, this.board.element),
			this.legal,
			h(
				"section",
				{ class: "card logs" },
				h("h2", {}, t("Exercises")),
				this.habit,
				field(t("Game"), filter),
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
		const ids = this.lesson;
		if (ids) return ids.map((id) => this.exercises.find((one) => one.id === id));
		return this.exercises.filter((one) => !this.game || one.game === this.game);
	}

	label(one) {
		if (one.own)
			return t("{title}, turn {turn}: {vp} VP lost", {
				title: one.title && one.title !== one.game ? one.title : gameName(one.game),
				turn: one.turn,
				vp: number(one.lead, 1),
			});
		return `${gameName(one.game)}, ${t("{players} players", one)}`;
	}

	// The groups of the list; those that do not contain this exercise are folded.
	fill() {
		const all = this.chosen();
		const item = (one) =>
			h(
				"li",
				{},
				h(
					"a",
					{ href: `#practice/${one.id}`, "aria-current": one.id === this.id ? "true" : null },
					this.isSolved(one) ? "✓ " : "",
					this.label(one),
				),
			);
		const groups = new Map();
		for (const one of all) {
			const name = one.due
				? t("Missed before: again today")
				: one.own
					? t("Your mistakes, the biggest first")
					: t("Puzzles: {difficulty}", { difficulty: difficulty(one.rating) });
			groups.set(name, [...(groups.get(name) ?? []), one]);
		}
		const group = ([name, ones], i) =>
			h(
				"details",
				{ open: i === 0 || ones.some((one) => one.id === this.id) },
				h("summary", {}, `${name} (${ones.filter((one) => this.isSolved(one)).length}/${ones.length})`),
				h("ol", { class: "log exercises" }, ones.map(item)),
			);
		this.list.replaceChildren(
			h(
				"p",
				{ class: "small" },
				t("{solved} of {count} solved.", {
					solved: all.filter((one) => this.isSolved(one)).length,
					count: all.length,
				}),
				" ",
				this.exercises.some((one) => one.own)
					? ""
					: t("Analyse a game that you played: your mistakes come here."),
			),
			...(this.lesson
				? [
						h("ol", { class: "log exercises" }, all.map(item)),
						h(
							"p",
							{},
							h("a", { href: "#practice", onclick: () => (this.lesson = null) }, t("All exercises")),
						),
					]
				: [...groups].map(group)),
		);
		this.habit.replaceChildren(
			...(this.daily
				? [
						h(
							"p",
							{},
							h(
								"a",
								{ class: "daily", href: `#practice/${this.daily.id}` },
								this.daily.solved ? "✓ " : "",
								t("Puzzle of the day"),
							),
							this.streak ? ` · ${t("days in a row: {count}", { count: this.streak })}` : "",
						),
					]
				: []),
		);
		const here = this.list.querySelector("[aria-current]");
		if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
	}

	isSolved(one) {
		return this.solved.has(one.id) || (one.solved && !one.due && !this.lesson);
	}

	// Opens the puzzle of the day first, then the next unsolved exercise of the list.
	another() {
		const all = this.chosen();
		const at = all.findIndex((one) => one.id === this.id);
		const isFirst = !this.id && !this.lesson && this.daily && !this.daily.solved;
		const next = isFirst
			? this.daily
			: [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find((one) => !this.isSolved(one));
		if (next) location.hash = `practice/${next.id}`;
		else
			this.verdict.replaceChildren(
				h("p", {}, all.length ? t("All of these are solved.") : t("No exercises here yet.")),
			);
	}

	// Opens an exercise, or the lesson of a game.
	async open(id) {
		if (id.startsWith(LESSON)) {
			const lesson = this.lessons[id.slice(LESSON.length)];
			if (lesson) Object.assign(this, { lesson, id: null });
			this.fill();
			this.another();
			return;
		}
		this.id = id;
		const state = await attempt(() => get(`/api/practice/${id}`));
		if (!state) return;
		this.state = state;
		const { player, instruction, tried, words, lead, turn } = state;
		const number_of = this.lesson?.indexOf(id) ?? -1;
		this.who.replaceChildren(
			token(player),
			number_of < 0
				? t("Find the best turn")
				: t("Mistake {number} of {count}: find the best turn", {
						number: number_of + 1,
						count: this.lesson.length,
					}),
		);
		const why = tried
			? t("You played “{words}”, which cost {vp} VP.", { words: words[tried] ?? tried, vp: number(lead, 1) })
			: t("One turn is well ahead of all others.");
		this.task.textContent = [
			`${gameName(state.game)}, ${t("turn {turn}", { turn })}.`,
			sentence(instruction ?? ""),
			why,
			t("Several answers may be right."),
		].join(" ");
		this.scores.replaceChildren(
			...state.scores.map((vp, one) =>
				h(
					"li",
					{},
					token(one),
					h("span", { class: "sr" }, state.names[one]),
					h("strong", {}, vp),
					` ${t("VP")}`,
				),
			),
		);
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

	showVerdict({ right, words, gain, cost, reasons, reply, best }) {
		const { player, tried, words: named } = this.state;
		const parts = [];
		if (words) {
			const why = gain?.mean < 0 ? ` (${figure(gain)})` : "";
			parts.push(
				h(
					"p",
					{ class: right ? "right" : "problem" },
					right
						? t("✓ Right: {words}{why}.", { words, why })
						: t("✗ Not the best: {words}{why}. Try again.", { words, why }),
				),
			);
		}
		if (reply)
			parts.push(
				h(
					"p",
					{},
					token(reply.player),
					" ",
					t("{name} would likely reply: {words}.", {
						name: this.state.names[reply.player],
						words: reply.words,
					}),
				),
			);
		const what = new Intl.ListFormat(document.documentElement.lang).format(
			reasons.map((one) => reason(one, player)),
		);
		// The reasons that are sure may explain only a part of the cost.
		const isPart = reasons.reduce((sum, one) => sum + one.vp, 0) < -(cost?.mean ?? 0) / 2;
		const brings = isPart ? t("among other things {what}", { what }) : what;
		if (reasons.length)
			parts.push(
				h(
					"p",
					{ class: "reason" },
					right && tried
						? t("Instead of “{words}” it brings {what}.", { words: named[tried] ?? tried, what: brings })
						: t("The best turn brings {what}.", { what: brings }),
				),
			);
		else if (right && cost?.mean < 0)
			parts.push(
				h(
					"p",
					{ class: "reason" },
					t("“{words}” costs {vp} VP of the lead, from no single source.", {
						words: named[tried] ?? tried,
						vp: `${number(-cost.mean, 1)} ± ${number(cost.error, 1)}`,
					}),
				),
			);
		if (best.length)
			parts.push(
				h("p", {}, t("The best turns:")),
				h(
					"ol",
					{},
					best.map((one) =>
						h("li", {}, one.words, one.gain?.mean ? h("small", {}, ` (${figure(one.gain)})`) : null),
					),
				),
			);
		this.verdict.replaceChildren(...parts);
		const places = new Map(this.state.legal);
		this.board.suggest(best.map((one) => places.get(one.action)));
		if (!right) return;
		this.solved.add(this.id);
		if (this.id === this.daily?.id) this.daily.solved = true;
		this.streak ||= 1;
		this.fill();
		this.next.focus();
	}

	// The estimated level in each analysed game, with its standard error.
	showLevels() {
		this.level.hidden = !this.levels.length;
		if (!this.levels.length) return;
		const vp = this.levels.flatMap((one) => [one.vp - one.error, one.vp + one.error]);
		const low = Math.min(...vp),
			high = Math.max(...vp, low + 10);
		const x = (i) => 40 + (545 * (i + 0.5)) / this.levels.length;
		const y = (value) => 110 - (100 * (value - low)) / (high - low);
		const lines = [...new Set(this.levels.map((one) => one.game))].map((game, which) => {
			const own = this.levels.map((one, i) => [one, i]).filter(([one]) => one.game === game);
			const style = `stroke="var(--p${which})" stroke-width="2"`;
			return (
				`<polyline fill="none" ${style} points="${own.map(([one, i]) => `${x(i)},${y(one.vp)}`).join(" ")}"/>` +
				own
					.map(
						([one, i]) =>
							`<line ${style} opacity=".5" x1="${x(i)}" x2="${x(i)}" y1="${y(one.vp - one.error)}" y2="${y(one.vp + one.error)}"/><circle fill="var(--p${which})" cx="${x(i)}" cy="${y(one.vp)}" r="4"/>`,
					)
					.join("")
			);
		});
		const box = h("div", {});
		box.innerHTML =
			`<svg class="graph" viewBox="0 0 600 120" role="img" aria-label="${t("Your level by game")}">${lines.join("")}` +
			[low, high]
				.map(
					(value) =>
						`<text x="2" y="${y(value) + 4}" font-size="11" fill="currentColor">${number(value)}</text>`,
				)
				.join("") +
			"</svg>";
		const day = new Intl.DateTimeFormat(document.documentElement.lang);
		this.level.replaceChildren(
			h("summary", {}, t("Your level")),
			box,
			h(
				"ol",
				{ class: "small" },
				this.levels.map((one) =>
					h(
						"li",
						{},
						`${day.format(new Date(one.day))}, ${gameName(one.game)}: ${number(one.vp)} ± ${number(one.error)} ${t("VP")}`,
					),
				),
			),
		);
	}

	analyse() {
		if (this.state)
			openGame("/api/load", { text: JSON.stringify(this.state.position), title: t("An exercise") });
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

// What a better move brings, as a part of a sentence.
function reason({ player, source: name, vp, is_lost: isLost }, own) {
	const values = { vp: number(vp), source: source(name) };
	if (player === own)
		return isLost
			? t("at least {vp} VP fewer lost at {source}", values)
			: t("at least {vp} VP more from {source}", values);
	return isLost
		? t("at least {vp} VP more lost by the opponent at {source}", values)
		: t("at least {vp} VP fewer for the opponent from {source}", values);
}
