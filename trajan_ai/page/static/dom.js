// Functions that build parts of the page. Text is always set as text, never as markup.

import { get, post } from "./api.js";
import { make, makeSvg, number, percent, signed, sourceName } from "./annotation.js";
import { tr } from "./language.js";

export { make, makeSvg, number, percent, signed, sourceName };

let noticeTimer;

// Shows a text for a while. A tap on the text only closes it, without reaching the element below.
/** @param {string} text */
export function notice(text) {
	const place = document.getElementById("notice");
	place.replaceChildren(make("p", { onclick: () => place.replaceChildren() }, text));
	clearTimeout(noticeTimer);
	noticeTimer = setTimeout(() => place.replaceChildren(), 6000);
}

// A tap where another tap has just made a decision, or the second half of a double click, was meant for
// what the decision has replaced, so it is ignored.
const REPEATED = 700; // milliseconds
const NEAR = 24; // pixels

/** @type {PointerEvent} */
let pressed = null;
/** @type {PointerEvent} */
let made = null; // the press that made the last decision
/** @type {PointerEvent} */
let opened = null; // the press that opened a dialog, until the next tap
document.addEventListener("pointerdown", (event) => (pressed = event), true);
document.addEventListener(
	"click",
	(event) => {
		const repeats = (press) =>
			(press?.pointerType === "touch" || event.detail > 1) &&
			press &&
			press !== pressed &&
			Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) < NEAR;
		const isRepeated =
			(repeats(made) && event.timeStamp - made.timeStamp < REPEATED) || (dialogBox().open && repeats(opened));
		if (opened !== pressed) opened = null;
		if (!isRepeated) return;
		event.stopPropagation();
		event.preventDefault();
	},
	true,
);

/** Makes the page ignore the next tap if it repeats this one. */
export const ignoreRepeatedTap = () => (made = pressed);

export const dialogBox = () => /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));

export function showError(error) {
	if (!error.problems) throw error;
	notice(error.problems.join("\n"));
}

// Calls a function that sends a request; if the request is rejected, shows why and returns null.
export async function attempt(work) {
	try {
		return await work();
	} catch (error) {
		showError(error);
		return null;
	}
}

/** Resolves after the browser has painted what has changed. */
export const painted = () =>
	new Promise((done) => {
		requestAnimationFrame(() => setTimeout(done));
	});

// Opens the game that a request creates.
export const openGame = (path, body) =>
	attempt(async () => {
		const { id } = await post(path, body);
		dialogBox().close();
		location.hash = id;
	});

// Starts a game and opens it; `seats` has the bot of each player, or null for a person.
export function startGame(game, seats, options, seed = null) {
	const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
	const texts = Object.entries(options).map(([name, value]) => [name, text(value)]);
	return openGame("/api/trees", { game, seats, seed, options: Object.fromEntries(texts) });
}

// Opens the editor of positions, whose code is loaded on demand.
/** @param {string} text a position file */
export const openEditor = (text) => attempt(async () => (await import("./editor.js")).showEditor(text));

export function entitle(text) {
	document.title = text === "trajan_ai" ? text : `${text} – trajan_ai`;
	document.getElementById("title").textContent = text;
}

/** @param {string} text */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const button = (text, onclick, attributes = {}) =>
	make("button", { type: "button", onclick, ...attributes }, text);
export const closeButton = (onclick) => button("✕", onclick, { class: "close", "aria-label": tr("Close") });
export const select = (attributes, choices) =>
	make(
		"select",
		attributes,
		choices.map(([value, text]) => make("option", { value }, text)),
	);
export const field = (label, input) =>
	make("div", { class: "field" }, make("label", { for: input.id }, label), input);

// Replaces the content of an element. If a part of it has the focus, the new part with the same data
// attribute `key` gets the focus.
export function replaceContent(element, key, content) {
	const focused = element.contains(document.activeElement) ? document.activeElement.dataset[key] : null;
	element.replaceChildren(...content);
	if (focused) element.querySelector(`[data-${key}="${CSS.escape(focused)}"]`)?.focus();
}

export const choices = () =>
	make("div", { class: "choices", role: "group", "aria-label": tr("Choices without a place") });

const MAX_SAME = 2; // maximum number of moves of a kind that are buttons although they have places
const MAX_PLACED = 4; // of all kinds

/**
 * Returns the moves that are buttons: those without a place and, beside them, a few others that would
 * otherwise be overlooked. Moves that decline something come last.
 * @param {Decidable} state
 */
function listChoices({ svg, legal, declining }) {
	const isFree = ([, place]) => svg && (!place || place.startsWith("choice "));
	const kind = (move) => move[0].split(" ")[0];
	const free = legal.filter(isFree);
	const few = legal.filter(
		(move) => !isFree(move) && legal.filter((other) => kind(other) === kind(move)).length <= MAX_SAME,
	);
	const placed = free.length && few.length <= MAX_PLACED ? few : [];
	const positive = free.filter(([action]) => !(action in declining));
	const negative = free.filter(([action]) => action in declining);
	return [
		...placed.map(([action]) => ({ action, kind: "placed" })),
		...positive.map(([action]) => ({ action, kind: "" })),
		...negative.map(([action]) => ({ action, kind: "plain" })),
	];
}

/**
 * Returns, by name, the groups of moves none of which is a button.
 * @param {Decidable} state
 */
export function listGroups(state) {
	const shown = new Set(listChoices(state).map(({ action }) => action));
	return Object.entries(state.groups).filter(
		([, actions]) => shown.size && !actions.some((action) => shown.has(action)),
	);
}

/**
 * Shows buttons for moves, and the buttons `more` before those that decline something.
 * @param {HTMLElement} element
 * @param {Decidable} state
 * @param {(action: Action) => void} play
 * @param {HTMLButtonElement[]} more
 */
export function showChoices(element, state, play, ...more) {
	const choices = listChoices(state);
	const buttons = choices.map(({ action, kind }) => {
		const text = capitalized(state.words[action] ?? action);
		return button(text, () => play(action), {
			class: `choice ${kind}`,
			"data-choice": action,
		});
	});
	const last = choices.filter(({ kind }) => kind === "plain").length;
	buttons.splice(buttons.length - last, 0, ...more);
	element.replaceChildren(...buttons);
	if (choices.length > 6) element.scrollTop = 0;
}

// Opens a modal dialog; Escape and the button close it. Elsewhere, a second tap confirms the first, so a
// tap at the point where a tap opened the dialog chooses nothing, however late it comes.
export function dialog(title, ...content) {
	const box = dialogBox();
	box.className = "";
	const close = button(tr("Close"), () => box.close(), { class: "quiet" });
	box.replaceChildren(
		make("div", { class: "dialog-head" }, make("h2", { id: "dialog-title" }, title), close),
		...content.filter(Boolean),
	);
	box.setAttribute("aria-labelledby", "dialog-title");
	opened = pressed;
	box.showModal();
	return box;
}

// Shows the effects of an option at the first tap; the second tap chooses the option.
function unfold(event) {
	const { currentTarget: option } = event;
	if (pressed?.pointerType !== "touch" || option.dataset.unfolded) return;
	event.stopImmediatePropagation();
	option.dataset.unfolded = "yes";
	const leads = option.querySelector(".leads") ?? option.appendChild(make("small", { class: "leads" }));
	const all = option.title.replaceAll("\n", " ") || leads.textContent;
	leads.textContent = `${all} ${tr("Tap again to choose this.")}`;
}

/**
 * Returns a list of options for a dialog, and a line that is visible while the list can be scrolled.
 * @param {HTMLElement[]} options
 */
export function listOptions(options) {
	const list = make("div", { class: "legal" }, options);
	const more = make("p", { class: "small more" }, tr("▾ More below"));
	const update = () => {
		const rest = list.scrollHeight - list.clientHeight - list.scrollTop;
		more.style.visibility = rest > 4 ? "visible" : "hidden";
	};
	list.addEventListener("scroll", update);
	const observer = new ResizeObserver(update); // the effects of options may come later
	for (const one of options) {
		observer.observe(one);
		one.addEventListener("click", unfold, true);
	}
	return [list, more];
}

/**
 * Shows the effects of a move in its button: the VP of the player, and sentences. For a move with a
 * price, it shows price, VP and effect in one line; the sentences appear under a pointer or after a tap.
 * @param {HTMLElement} option
 * @param {string} game
 * @param {Preview} preview
 */
export function describeOption(option, game, { vp, lines, price, brief }) {
	if (price.length) option.append(make("span", { class: "price" }, icons(game, price)));
	if (vp) option.append(make("strong", {}, ` ${signed(vp, 0)} ${tr("VP")}`));
	const leads = option.querySelector(".leads") ?? make("small", { class: "leads" }); // after an early tap
	const all = lines.join(" ");
	leads.prepend(option.dataset.unfolded ? `${all} ` : price.length ? brief : all);
	option.append(leads);
	if (price.length) option.title = lines.join("\n");
}

export const gameName = (name) => name.split("_").map(capitalized).join(" ");

// Returns the title in a game's file, or the name of the game and its players.
export function gameTitle({ title, game, seats, observer, names }) {
	const bots = seats?.filter(Boolean).length;
	if (!game || (title && !bots)) return title;
	if (observer !== null) return tr("{game}, followed", { game: gameName(game) });
	if (!names || !bots || bots === seats.length)
		return tr("{game} with {count} players", { game: gameName(game), count: seats.length });
	const others = names.filter((_, player) => seats[player]);
	return tr("{game} against {bots}", {
		game: gameName(game),
		bots: new Intl.ListFormat(document.documentElement.lang).format(others),
	});
}

/** Returns the name of a player who has no other name, counted from 1. @param {Player | string} player */
export const playerName = (player) => tr("Player {player}", { player: Number(player) + 1 });

// The shapes of the players' tokens, as on the board.
const SHAPES = [
	() => makeSvg("circle", { r: 9 }),
	() => makeSvg("rect", { x: -8, y: -8, width: 16, height: 16, rx: 3 }),
	() => makeSvg("path", { d: "M-8-8H8V1Q8 6 0 10Q-8 6-8 1z" }),
	() => makeSvg("path", { d: "M0-11L11 0 0 11-11 0z" }),
];

export function token(player) {
	const text = makeSvg("text", { y: 4.5, "text-anchor": "middle" }, Number(player) + 1);
	const size = { viewBox: "-11 -11 22 22", width: 20, height: 20 };
	return make(
		"span",
		{ class: `token p${player}`, "aria-hidden": "true" },
		makeSvg("svg", size, SHAPES[player](), text),
	);
}

// Shows the VP of the players and, after a game, their ranks.
export const showScores = (element, { names, scores, ranks = null }) =>
	element.replaceChildren(
		...scores.map((score, player) =>
			make(
				"li",
				{},
				token(player),
				make("span", { class: "sr" }, names[player]),
				make("strong", {}, String(score).replace("-", "−")),
				" ",
				tr("VP"),
				ranks ? make("small", {}, " ", tr("rank {rank}", { rank: ranks[player] })) : null,
			),
		),
	);

// Returns the element of a drawing that the server sent. It belongs to another document, so nothing
// of it is styled or placed before it is in the page.
export const parse = (svg) => new DOMParser().parseFromString(svg, "text/html").querySelector("svg");

// Small pictures of pieces: the symbols of a game, which are loaded once. The page contains only the
// pictures in use, since a browser checks all of them at every step.
const sprites = {};
const symbols = new Map();
const wanted = new Set();

function include(id) {
	const symbol = symbols.get(id);
	if (!symbol)
		wanted.add(id); // kept until the symbols of its game are loaded
	else if (!symbol.isConnected) {
		document.querySelector(`#sprite-${id.split("-")[0]} defs`).append(symbol);
		for (const one of symbol.querySelectorAll("use")) include(one.getAttribute("href").slice(1));
	}
}

export async function loadSprite(game) {
	sprites[game] ??= get(`/api/sprite/${game}`).then(({ svg, tips }) => {
		if (svg) {
			const sprite = parse(svg);
			for (const symbol of sprite.querySelectorAll("defs > g")) symbols.set(symbol.id, symbol);
			sprite.querySelector("defs").replaceChildren();
			sprite.id = `sprite-${game}`;
			document.body.append(sprite);
			wanted.forEach(include);
		}
		return tips;
	});
	return sprites[game];
}

const BOXES = {
	card: "-15 -19 30 38",
	tile: "-17 -17 34 34",
	board: "-56 -75 112 150",
	sail: "-20 -24 40 32",
	arch: "-16 -14 32 28",
	eagle: "-18 -18 36 36",
};

export const icons = (game, symbols = []) =>
	symbols.map((symbol) => {
		include(`${game}-${symbol}`);
		const viewBox = BOXES[symbol.split("-").at(-1)] ?? "-13 -13 26 26";
		const picture = makeSvg("svg", { viewBox }, makeSvg("use", { href: `#${game}-${symbol}` }));
		return make("span", { class: "icon", "aria-hidden": "true" }, picture);
	});

/**
 * Returns the server's drawing of a board, or its text. Every piece is labelled, whether or not there
 * are places to click.
 * @param {Drawing} drawn
 */
export function draw({ svg, text }) {
	if (!svg) return make("pre", {}, text);
	const drawing = parse(svg);
	for (const name of ["width", "height"]) drawing.removeAttribute(name);
	drawing.setAttribute("role", "group");
	for (const piece of drawing.querySelectorAll("[aria-label]:not([role])")) piece.setAttribute("role", "img");
	return drawing;
}
