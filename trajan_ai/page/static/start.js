// The first view: start a game, load one, or continue one.

import { get, post, remove } from "./api.js";
import {
	attempt,
	button,
	entitle,
	field,
	gameName,
	gameTitle,
	make,
	notice,
	openEditor,
	playerName,
	select,
	showError,
	startGame,
} from "./dom.js";
import { readProgress } from "./guide_progress.js";
import { language, tr } from "./language.js";
import { drawGame } from "./pictures.js";

const ME = "";
const SAVED_GAME = "trajan-ai/study"; // the format in each line of a file of saved games, as in release 0.3.0

// `text` is the text of a record to open. A record in the address is opened only after the user has
// confirmed this, because any web page may contain a link to such an address.
/** @param {HTMLElement} main */
export async function showStart(main, text = "") {
	entitle("trajan_ai");
	const data = await attempt(() => get("/api/start"));
	if (!data) return;
	main.className = "start";
	const isNew = !data.trees.length;
	const games = offer(data.games, isNew);
	const kept = saved(main, data.trees, data.damaged);
	main.replaceChildren(
		...(isNew ? [games, day(), kept] : [kept, day(), games]),
		newGame(data.games),
		otherWays(data.games),
		load(main, text),
	);
	if (text) /** @type {HTMLElement} */ (main.querySelector(".file [type=submit]")).focus();
}

function day() {
	const daily = make("a", { class: "button daily", href: "#practice" }, tr("Puzzle of the day"));
	const streak = make("small", {});
	showDaily(daily, streak);
	return make(
		"section",
		{ class: "card day" },
		make(
			"p",
			{ class: "motto" },
			tr("Play Trajan and Forum Trajanum, and learn what the best move would have been."),
		),
		make("p", { class: "habit" }, daily, " ", streak),
	);
}

// The options of a game that one click starts, with two players, the easiest level and the shortest
// setup.
const AT_ONCE = { trajan: { markers: "random" }, forum_trajanum: { introductory: "true" } };

// Returns, for each game, its topic, its guide, and a game that begins at once. If the user has no games
// yet (`isNew`) and has not completed the guide, the guide is the main button; otherwise the game is.
/** @param {OfferedGame[]} games @param {boolean} isNew */
function offer(games, isNew) {
	const entry = ({ name, levels, guide: { language: lang, about, lessons } }) => {
		const [level, label] = Object.entries(levels[2])[0];
		const start = () => startGame(name, [null, level], AT_ONCE[name] ?? {});
		const progress = readProgress(name);
		const text = !progress?.step
			? tr("Learn the game")
			: progress.ended
				? tr("Learn it again")
				: tr("Continue with lesson {number} of {count}", { number: progress.lesson + 1, count: lessons });
		return make(
			"article",
			{},
			drawGame(name),
			make("h2", {}, gameName(name)),
			make("p", { lang }, about),
			make(
				"div",
				{ class: "buttons" },
				make(
					"a",
					{
						class: isNew && !progress?.ended ? "button main" : "button",
						href: `#learn/${name}`,
						"aria-label": `${text}: ${gameName(name)}`,
					},
					text,
				),
				button(tr("Play now"), start, {
					class: progress?.ended || !isNew ? "main" : "",
					"aria-label": `${tr("Play now")}: ${gameName(name)}`,
					title: tr("Two players, {level}, with the shortest setup", { level: label }),
				}),
			),
		);
	};
	return make("section", { class: "card learn" }, games.filter(({ guide }) => guide).map(entry));
}

async function showDaily(link, place) {
	const { daily, streak } =
		(await attempt(() => get(`/api/practice?game=${localStorage.getItem("game") ?? ""}`))) ?? {};
	if (!daily) return;
	link.href = `#practice/${daily.id}`;
	if (daily.solved) link.prepend("✓ ");
	if (streak) place.textContent = tr("days in a row with a right answer: {count}", { count: streak });
}

function otherWays(games) {
	return make(
		"section",
		{ class: "card" },
		make("h2", {}, tr("Other ways to start")),
		make(
			"div",
			{ class: "ways" },
			make("a", { class: "button", href: "#practice" }, tr("Practise")),
			make(
				"p",
				{ class: "small" },
				tr("Find the best turn: puzzles of both games, and your own mistakes in games that you analysed."),
			),
			button(tr("Follow a real table"), () =>
				attempt(async () => (await import("./table.js")).showTable(games)),
			),
			make("p", { class: "small" }, tr("Enter what happens at your table, and ask for advice.")),
		),
	);
}

/** @param {OfferedGame[]} games */
function newGame(games) {
	const seats = make("div", { class: "seats" });
	const note = make("p", { class: "small", id: "note" });
	const options = make("div", { class: "options" });
	const game = select(
		{ id: "game", onchange: () => (fill(), fillOptions()) },
		games.map(({ name }) => [name, gameName(name)]),
	);
	const last = localStorage.getItem("game"); // the one that the user played or learned
	if (games.some(({ name }) => name === last)) game.value = last;
	const players = select({ id: "players", onchange: () => fill() }, []);
	const seed = make("input", { id: "seed", inputmode: "numeric", placeholder: tr("random") });
	const chosen = () => games.find((one) => one.name === game.value);

	function fill() {
		const count = players.value;
		players.replaceChildren(
			...chosen().players.map((value) => make("option", { value, selected: `${value}` === count }, value)),
		);
		const levels = Object.entries(chosen().levels[players.value] ?? {});
		const before = [...seats.querySelectorAll("select")].map((seat) => seat.value);
		const rows = [...Array(Number(players.value)).keys()].map((player) => {
			const same = [ME, ...levels.map(([name]) => name)].find((name) => name === before[player]);
			const start = same ?? (player === 0 ? ME : (levels[0]?.[0] ?? ME));
			const seat = select({ id: `seat${player}` }, [[ME, tr("You")], ...levels]);
			seat.value = start;
			return field(playerName(player), seat);
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
					: make("input", {
							...attributes,
							"aria-describedby": `allowed-${name}`,
							placeholder: String(value),
						});
				if (choices) input.value = "";
				return make(
					"div",
					{ class: "field" },
					make("label", { for: input.id }, tr(name.replaceAll("_", " "))),
					input,
					choices ? null : make("small", { id: `allowed-${name}` }, allowed),
				);
			}),
		);
	}

	async function begin(event) {
		event.preventDefault();
		const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (options.querySelectorAll("input, select"));
		const typed = [...inputs].filter((input) => input.value.trim());
		const number = seed.value.trim();
		if (number && !/^-?\d{1,15}$/.test(number)) {
			notice(
				tr(
					"The random number must be a whole number with at most 15 digits. " +
						"Leave it empty for a random deal.",
				),
			);
			seed.focus();
			return;
		}
		await startGame(
			game.value,
			[...seats.querySelectorAll("select")].map((seat) => seat.value || null),
			Object.fromEntries(typed.map((input) => [input.name, input.value.trim()])),
			number ? Number(number) : null,
		);
	}

	fill();
	fillOptions();
	return make(
		"form",
		{ class: "card", onsubmit: begin },
		make("h2", {}, tr("New game")),
		make("div", { class: "pair" }, field(tr("Game"), game), field(tr("Players"), players)),
		note,
		seats,
		make(
			"details",
			{},
			make("summary", {}, tr("Rules and options")),
			field(tr("Random number (the same one deals the same game)"), seed),
			options,
		),
		make("button", { type: "submit", class: "main" }, tr("Start")),
		make(
			"p",
			{ class: "small" },
			tr("The higher its level, the better a bot plays: level 80 scores about 80 VP in a game."),
			" ",
			tr(
				"If one player is “You”, you see only what you would see at a real table. " +
					"If several are “You”, or none, nothing is hidden.",
			),
		),
	);
}

function load(main, given) {
	const text = make("textarea", {
		id: "text",
		rows: 2,
		spellcheck: "false",
		placeholder: tr("Paste a record or a position file, drop a file here, or choose one."),
	});
	const number = make("input", { id: "number", type: "number", min: 1, value: 1 });
	// The browser labels a file input, perhaps in another language.
	const file = make("input", {
		id: "file",
		type: "file",
		hidden: true,
		accept: ".jsonl,.json,.yaml,.yml",
		onchange: () => take(file.files[0]),
	});
	const chosenFile = make("span", { class: "small", role: "status" });
	let title = "";
	text.value = given;

	async function take(chosen) {
		if (!chosen) return;
		const content = await chosen.text();
		if (content.includes("\0")) return notice(tr("{file} is not a text file.", { file: chosen.name }));
		chosenFile.textContent = chosen.name;
		text.value = content;
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
					tr("{count} problem(s), first: {problem}", {
						count: error.problems.length,
						problem: error.problems[0],
					}),
				);
				openEditor(text.value);
			} else showError(error);
		}
	}

	return make(
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
		make("h2", {}, tr("Look at a game or a position")),
		make(
			"div",
			{ class: "field" },
			button(tr("Choose a file"), () => file.click()),
			chosenFile,
			file,
		),
		field(tr("Or its text"), text),
		make("div", { class: "pair" }, field(tr("Game number in the file"), number)),
		make(
			"div",
			{ class: "buttons" },
			make("button", { type: "submit", class: "main" }, tr("Open")),
			button(tr("Enter a position"), () => openEditor(text.value)),
		),
	);
}

// Returns the result of a saved game, or whose turn it is.
function describe({ status }) {
	if (!status?.names) return ""; // saved by an older version
	const { names } = status;
	const scores = names
		.map((name, player) => `${name} ${status.scores[player]} ${tr("VP")}`.replaceAll(" ", "\u00a0"))
		.join(", ");
	return status.player === null
		? tr("Result: {scores}", { scores })
		: tr("{name} to move. {scores}", { name: names[status.player], scores });
}

function saved(main, games, damaged) {
	const when = (text) => new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
	const drop = (game) =>
		attempt(async () => {
			if (!confirm(tr("Delete “{title}”?", { title: title(game) }))) return;
			await remove(`/api/trees/${game.id}`);
			await showStart(main);
		});
	// Older versions saved the names in one language only.
	for (const { status } of games)
		if (status?.names) status.names = [status.names[language], status.names].find(Array.isArray);
	const title = (game) => gameTitle({ ...game.status, ...game });
	const rows = games.map((game) =>
		make(
			"li",
			{},
			make(
				"a",
				{ href: `#${game.id}` },
				make("span", {}, title(game), make("small", {}, describe(game))),
				make("time", {}, when(game.changed)),
			),
			button(tr("Delete"), () => drop(game), {
				class: "quiet",
				"aria-label": tr("Delete {title}, {when}", { title: title(game), when: when(game.changed) }),
			}),
		),
	);
	return make(
		"section",
		{ class: "card saved" },
		make("h2", {}, tr("Continue")),
		games.length
			? make(
					"div",
					{},
					make("ul", {}, rows),
					make("a", { class: "button", href: "/api/trees", download: true }, tr("Save all as a file")),
				)
			: make("p", {}, tr("Games are saved on this device after every decision, and will be listed here.")),
		damaged.length
			? make(
					"p",
					{ class: "problem" },
					tr("These saved games cannot be read: {files}", { files: damaged.join(", ") }),
				)
			: null,
	);
}
