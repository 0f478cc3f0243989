// The first view: start a game, load one, or continue one.

import { get, post, remove } from "./api.js";
import {
	attempt,
	button,
	entitle,
	field,
	gameName,
	gameTitle,
	h,
	notice,
	openGame,
	select,
	showError,
} from "./dom.js";
import { showEditor } from "./editor.js";
import { language, t } from "./language.js";
import { showTable } from "./table.js";

const ME = "";
const SAVED_GAME = "trajan-ai/study"; // the format in each line of a file of saved games

export async function showStart(main) {
	entitle("trajan_ai");
	const data = await attempt(() => get("/api/start"));
	if (!data) return;
	main.className = "start";
	main.replaceChildren(
		quick(data.games),
		saved(main, data.studies, data.damaged),
		newGame(data.games),
		otherWays(data.games),
		load(main),
	);
}

// One click starts a game: the first one, two players, the easiest level, nothing to set up.
// Below it is the puzzle of the day.
function quick([game]) {
	const [level, label] = Object.entries(game.levels[2])[0];
	const start = () =>
		openGame("/api/studies", { game: game.name, seats: [null, level], options: { markers: "random" } });
	const daily = h("a", { class: "button daily", href: "#practice" }, t("Puzzle of the day"));
	const streak = h("small", {});
	showDaily(daily, streak);
	return h(
		"section",
		{ class: "card quick" },
		h(
			"p",
			{ class: "motto" },
			t("Play Trajan and Forum Trajanum, and learn what the best move would have been."),
		),
		button(t("Quick start"), start, { class: "main", "aria-describedby": "quick-what" }),
		h(
			"p",
			{ class: "small", id: "quick-what" },
			t("{game}, two players, {level}. The markers are placed at random.", {
				game: gameName(game.name),
				level: label,
			}),
		),
		h("p", { class: "habit" }, daily, " ", streak),
	);
}

async function showDaily(link, place) {
	const { daily, streak } = (await attempt(() => get("/api/practice"))) ?? {};
	if (!daily) return;
	link.href = `#practice/${daily.id}`;
	if (daily.solved) link.prepend("✓ ");
	if (streak) place.textContent = t("days in a row: {count}", { count: streak });
}

function otherWays(games) {
	return h(
		"section",
		{ class: "card" },
		h("h2", {}, t("Other ways to start")),
		h(
			"div",
			{ class: "ways" },
			h("a", { class: "button", href: "#practice" }, t("Practise")),
			h(
				"p",
				{ class: "small" },
				t("Find the best turn: puzzles of both games, and your own mistakes in games that you analysed."),
			),
			button(t("Follow a real table"), () => showTable(games)),
			h("p", { class: "small" }, t("Enter what happens at your table, and ask for advice.")),
		),
	);
}

function newGame(games) {
	const seats = h("div", { class: "seats" });
	const note = h("p", { class: "small", id: "note" });
	const options = h("div", { class: "options" });
	const game = select(
		{ id: "game", onchange: () => (fill(), fillOptions()) },
		games.map(({ name }) => [name, gameName(name)]),
	);
	const players = select(
		{ id: "players", onchange: () => fill() },
		[2, 3, 4].map((count) => [count, count]),
	);
	const seed = h("input", { id: "seed", inputmode: "numeric", placeholder: t("by chance") });
	const chosen = () => games.find((one) => one.name === game.value);

	function fill() {
		const levels = Object.entries(chosen().levels[players.value] ?? {});
		const before = [...seats.querySelectorAll("select")].map((seat) => seat.value);
		const rows = [...Array(Number(players.value)).keys()].map((player) => {
			const same = [ME, ...levels.map(([name]) => name)].find((name) => name === before[player]);
			const start = same ?? (player === 0 ? ME : (levels[0]?.[0] ?? ME));
			const seat = select({ id: `seat${player}` }, [[ME, t("You")], ...levels]);
			seat.value = start;
			return field(t("Player {player}", { player }), seat);
		});
		seats.replaceChildren(...rows);
	}

	function fillOptions() {
		note.textContent = chosen().note ?? "";
		options.replaceChildren(
			...chosen().options.map(({ name, allowed, choices, default: value }) => {
				const attributes = { id: `option-${name}`, name };
				const input = choices
					? select(
							attributes,
							choices.map(([one, text]) => [one === value ? "" : one, text]),
						)
					: h("input", { ...attributes, "aria-describedby": `allowed-${name}`, placeholder: String(value) });
				if (choices) input.value = "";
				return h(
					"div",
					{ class: "field" },
					h("label", { for: input.id }, t(name.replaceAll("_", " "))),
					input,
					choices ? null : h("small", { id: `allowed-${name}` }, allowed),
				);
			}),
		);
	}

	async function begin(event) {
		event.preventDefault();
		const typed = [...options.querySelectorAll("input, select")].filter((input) => input.value.trim());
		const number = seed.value.trim();
		if (number && !/^-?\d{1,15}$/.test(number)) {
			notice(t("The random number must be whole, with at most 15 digits. Leave it empty for chance."));
			seed.focus();
			return;
		}
		await openGame("/api/studies", {
			game: game.value,
			seats: [...seats.querySelectorAll("select")].map((seat) => seat.value || null),
			seed: number ? Number(number) : null,
			options: Object.fromEntries(typed.map((input) => [input.name, input.value.trim()])),
		});
	}

	fill();
	fillOptions();
	return h(
		"form",
		{ class: "card", onsubmit: begin },
		h("h2", {}, t("New game")),
		h("div", { class: "pair" }, field(t("Game"), game), field(t("Players"), players)),
		note,
		seats,
		h(
			"details",
			{},
			h("summary", {}, t("Rules and options")),
			field(t("Random number (the same one deals the same game)"), seed),
			options,
		),
		h("button", { type: "submit", class: "main" }, t("Start")),
		h(
			"p",
			{ class: "small" },
			t("The number of a level is the VP that it makes on average."),
			" ",
			t(
				"With one “You” the page knows only what you may know. With several, or with none, everything can be seen.",
			),
		),
	);
}

function load(main) {
	const text = h("textarea", {
		id: "text",
		rows: 2,
		spellcheck: "false",
		placeholder: t("Paste a record or a position file, drop a file here, or choose one."),
	});
	const number = h("input", { id: "number", type: "number", min: 1, value: 1 });
	const file = h("input", {
		id: "file",
		type: "file",
		accept: ".jsonl,.json,.yaml,.yml",
		onchange: () => take(file.files[0]),
	});
	let title = "";

	async function take(chosen) {
		if (!chosen) return;
		text.value = await chosen.text();
		title = chosen.name;
	}

	async function send(event) {
		event.preventDefault();
		const lines = text.value.split("\n").filter((line) => line.slice(0, 100).includes(SAVED_GAME));
		try {
			if (lines.length) {
				for (const line of lines) await post("/api/load", { text: line });
				await showStart(main);
				return;
			}
			const { id } = await post("/api/load", { text: text.value, number: Number(number.value), title });
			location.hash = id;
		} catch (error) {
			if (error.problems && !text.value.trim().startsWith("{")) {
				notice(
					t("{count} problem(s), first: {problem}", {
						count: error.problems.length,
						problem: error.problems[0],
					}),
				);
				showEditor(text.value);
			} else showError(error);
		}
	}

	return h(
		"form",
		{
			class: "card file",
			onsubmit: send,
			ondragover: (event) => event.preventDefault(),
			ondrop: (event) => {
				event.preventDefault();
				take(event.dataTransfer.files[0]);
			},
		},
		h("h2", {}, t("Look at a game or a position")),
		field(t("File"), file),
		field(t("Or its text"), text),
		h("div", { class: "pair" }, field(t("Game number in the file"), number)),
		h(
			"div",
			{ class: "buttons" },
			h("button", { type: "submit", class: "main" }, t("Open")),
			button(t("Enter a position"), () => showEditor(text.value)),
		),
	);
}

// The result of a saved game, or whose turn it is.
function describe({ status }) {
	if (!status?.names) return ""; // of an older version
	const { names } = status;
	const scores = names
		.map((name, player) => `${name} ${status.scores[player]} ${t("VP")}`.replaceAll(" ", "\u00a0"))
		.join(", ");
	return status.player === null
		? t("Result: {scores}", { scores })
		: t("{name} to move. {scores}", { name: names[status.player], scores });
}

function saved(main, games, damaged) {
	const when = (text) => new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
	const drop = (game) =>
		attempt(async () => {
			if (!confirm(t("Delete “{title}”?", { title: title(game) }))) return;
			await remove(`/api/studies/${game.id}`);
			await showStart(main);
		});
	const title = (game) => gameTitle({ ...game.status, ...game });
	const rows = games.map((game) =>
		h(
			"li",
			{},
			h(
				"a",
				{ href: `#${game.id}` },
				h("span", {}, title(game), h("small", {}, describe(game))),
				h("time", {}, when(game.changed)),
			),
			button(t("Delete"), () => drop(game), {
				class: "quiet",
				"aria-label": t("Delete {title}, {when}", { title: title(game), when: when(game.changed) }),
			}),
		),
	);
	return h(
		"section",
		{ class: "card saved" },
		h("h2", {}, t("Go on")),
		games.length
			? h(
					"div",
					{},
					h("ul", {}, rows),
					h("a", { class: "button", href: "/api/studies", download: true }, t("Save all as a file")),
				)
			: h("p", {}, t("Games are kept on this machine, every decision at once; they will be listed here.")),
		damaged.length
			? h(
					"p",
					{ class: "problem" },
					t("These saved games cannot be read: {files}", { files: damaged.join(", ") }),
				)
			: null,
	);
}
