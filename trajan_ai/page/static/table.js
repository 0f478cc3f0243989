// A real table: asks for the open pieces one by one, by clicks on pictures, then follows the game.

import { post } from "./api.js";
import {
	attempt,
	button,
	dialog,
	draw,
	field,
	gameName,
	make,
	icons,
	loadSprite,
	openGame,
	replaceContent,
	select,
	playerName,
} from "./dom.js";
import { tr } from "./language.js";

/**
 * Returns the places of a question and the pictures of what may lie there.
 * @param {string} game
 * @param {Question} question
 * @param {object} state
 * @param {(string | number)[]} state.places
 * @param {(string | null)[]} state.answers
 * @param {number} state.at the place that is filled next
 * @param {number} [state.wrong] the place whose answer is impossible
 * @param {(name: string) => number} [state.left] returns the number of a piece's remaining copies
 * @param {(i: number) => void} state.place handles a click on a place
 * @param {(name: string) => void} state.name handles a click on a picture
 */
export function pictures(game, { names, pieces }, { places, answers, at, wrong, left, place, name: choose }) {
	const picture = (name) => [...icons(game, pieces[name]), make("span", {}, names[name])];
	return [
		make(
			"div",
			{ class: "laid", role: "group", "aria-label": tr("What lies there") },
			places.map((name, i) =>
				make(
					"button",
					{
						type: "button",
						"data-key": `place ${i}`,
						"aria-pressed": String(i === at),
						class: i === wrong ? "wrong" : answers[i] ? "" : "empty",
						onclick: () => place(i),
					},
					make("small", {}, name, i === wrong ? ` ✗ ${tr("impossible")}` : null),
					...(answers[i] ? picture(answers[i]) : ["?"]),
				),
			),
		),
		make(
			"p",
			{ class: "small" },
			tr("Choose what lies at the place marked. A place that you choose is emptied."),
		),
		make(
			"div",
			{ class: "laid", role: "group", "aria-label": tr("What may lie there") },
			Object.keys(names).map((name) =>
				make(
					"button",
					{
						type: "button",
						"data-key": `name ${name}`,
						disabled: left?.(name) <= 0 || (answers[at] ?? null) !== null,
						onclick: () => choose(name),
					},
					...picture(name),
					left ? make("small", {}, `×${left(name)}`) : null,
				),
			),
		),
	];
}

/** @param {OfferedGame[]} games */
export async function showTable(games) {
	const chosen = (id, choices) => select({ id, onchange: begin }, choices);
	const game = chosen(
		"table-game",
		games.map(({ name }) => [name, gameName(name)]),
	);
	const players = chosen("table-players", []);
	const seat = chosen("table-seat", []);
	const place = make("div", { class: "questions" });
	let state;
	let last = 0; // number of the last request
	let step = 0;
	let at = 0; // the place for the next picture that is clicked

	async function ask(more = {}) {
		const request = { game: game.value, players: Number(players.value), observer: Number(seat.value) };
		const number = ++last;
		const sent = structuredClone(state?.answers ?? {});
		const answer = await attempt(async () => {
			await loadSprite(request.game);
			return post("/api/table", { ...request, answers: sent, ...more });
		});
		if (!answer || number !== last) return; // an answer to an earlier request
		let clicked = false; // since the request
		for (const [key, names] of Object.entries(sent))
			names.forEach((name, i) => {
				if (state.answers[key][i] === name) return;
				answer.answers[key][i] = state.answers[key][i];
				clicked = true;
			});
		state = answer;
		if (clicked && isComplete()) await ask();
		else show();
	}

	const isComplete = () => state.questions.every(({ key }) => !state.answers[key].includes(null));

	async function begin() {
		const count = players.value;
		players.replaceChildren(
			...games
				.find(({ name }) => name === game.value)
				.players.map((value) => make("option", { value, selected: `${value}` === count }, value)),
		);
		const before = seat.value;
		seat.replaceChildren(
			...[...Array(Number(players.value)).keys()].map((player) =>
				make("option", { value: player }, player ? playerName(player) : tr("Player 1, who begins")),
			),
		);
		if (before < players.value) seat.value = before || "0";
		state = undefined;
		place.replaceChildren();
		step = at = 0;
		await ask();
	}

	// Returns the number of copies of a piece that no answer contains yet.
	function left(question, name) {
		const copy = question.of[name];
		const alike = state.questions.filter(({ supply }) => supply === question.supply);
		const gone = alike.flatMap((one) =>
			state.answers[one.key].filter((other) => other && one.of[other] === copy),
		);
		return question.stock[copy] - gone.length;
	}

	function set(key, i, name) {
		state.answers[key][i] = name;
		const free = state.answers[key].indexOf(null);
		at = free < 0 ? i : free;
		show();
		if (free < 0 && isComplete()) ask();
	}

	function show() {
		replaceContent(place, "key", step < state.questions.length ? question(state.questions[step]) : checked());
	}

	const steps = (...more) =>
		make(
			"div",
			{ class: "buttons" },
			button(tr("Back"), () => go(step - 1), { "data-key": "back", disabled: step === 0 }),
			...more,
		);

	function go(to) {
		step = to;
		at = Math.max(0, state.answers[state.questions[to]?.key]?.indexOf(null) ?? 0);
		show();
	}

	function question(one) {
		const { key, text, places } = one;
		const answers = state.answers[key];
		return [
			make("h3", {}, `${step + 1}/${state.questions.length}: ${text}`),
			...pictures(game.value, one, {
				places,
				answers,
				at,
				left: (name) => left(one, name),
				place: (i) => (answers[i] ? set(key, i, null) : ((at = i), show())),
				name: (name) => set(key, at, name),
			}),
			steps(
				button(tr("Fill in the rest at random"), () => ask({ chance: [key] }), { "data-key": "chance" }),
				button(tr("Next"), () => go(step + 1), {
					"data-key": "on",
					class: "main",
					disabled: answers.includes(null),
				}),
			),
		];
	}

	function checked() {
		const { problems = [tr("Something is still missing.")], text } = state;
		const board = make("div", { class: "board preview" });
		if (text && !problems.length) board.append(draw(state));
		return [
			make(
				"div",
				{ role: "status" },
				problems.length
					? make(
							"ul",
							{},
							problems.map((one) => make("li", { class: "problem" }, one.text ?? one)),
						)
					: make("p", { class: "right" }, tr("The position is valid.")),
			),
			steps(
				button(tr("Follow this game"), () => openGame("/api/load", { text: state.text }), {
					class: "main",
					"data-key": "follow",
					disabled: problems.length > 0,
				}),
			),
			board,
		];
	}

	dialog(
		tr("A real table"),
		make(
			"div",
			{ class: "real" },
			make(
				"div",
				{ class: "pair" },
				field(tr("Game"), game),
				field(tr("Players"), players),
				field(tr("I am"), seat),
			),
			place,
		),
	);
	await begin();
}
