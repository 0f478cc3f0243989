// Drawings of an annotated game, for the page that is opened from disk and for the analysis page. The
// page that is opened from disk contains this file as text, so the file imports nothing. Functions that
// draw return an element, or an array of elements and text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns the translation of an English text into the page's language; `texts` contains the translations.
 * @param {string} text
 * @param {Record<string, any>} values
 * @returns {string}
 */
export const tr = (text, values = {}) =>
	(globalThis.texts?.[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes} attributes
 * @param {Content[]} children
 */
function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(/** @type {Record<string, any>} */ (attributes))) {
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (value === true) element.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
	}
	const content = /** @type {any[]} */ (children.flat(9));
	element.append(...content.filter((child) => child !== null && child !== undefined));
	return element;
}

/**
 * Returns a new element. Attributes named "on.." are event handlers. Strings are never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} attributes
 * @param {Content[]} children
 */
export const make = (tag, attributes = {}, ...children) =>
	fill(document.createElement(tag), attributes, children);

/**
 * Returns a new SVG element; see `make`.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} attributes
 * @param {Content[]} children
 */
export const makeSvg = (tag, attributes = {}, ...children) =>
	fill(document.createElementNS(SVG, tag), attributes, children);

// Returns the items with separators between them: texts, or elements that a function makes.
export const joined = (items, separator) =>
	items.flatMap((item, i) =>
		i ? [typeof separator === "function" ? separator() : separator, item] : [item],
	);

const COLOURS = 10; // for sources of VP; the page that is opened from disk defines them
const FIRST = 34; // x of the first decision on a graph, in units of the drawing
const LENGTH = 556; // width from the first decision to the end, in units of the drawing

const colour = (i) => `var(--source${i % COLOURS})`;
/** Returns the name of a source of VP. @param {string} name */
export const sourceName = (name) => tr(name.replaceAll("_", " ").replace("trajan", "Trajan"));
/** @type {Record<string, Intl.NumberFormat>} */
const formats = {};

/**
 * Returns a number as text in the page's language, with a fixed number of decimals.
 * @param {number} value
 * @param {number} digits
 * @param {"decimal" | "percent"} style
 */
export const number = (value, digits = 0, style = "decimal") =>
	(formats[style + digits] ??= new Intl.NumberFormat(globalThis.document?.documentElement.lang || "en", {
		style,
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	})).format(value);

export const percent = (value, digits = 0) => (value === null ? "–" : number(value, digits, "percent"));

export function signed(value, places = 1) {
	const digits = number(Math.abs(value), places);
	return Number(Math.abs(value).toFixed(places)) ? `${value > 0 ? "+" : "−"}${digits}` : digits;
}

const error = (value) => make("span", { class: "se" }, `± ${number(value, 1)}`);
const mean = (estimate) => [signed(estimate.mean), " ", error(estimate.error)];
const lost = (value) => Math.max(value, 0); // a negative loss is noise
const total = (values) => values.reduce((sum, value) => sum + value, 0);

/** @param {Annotation} game @param {number} player */
export const who = (game, player) => make("span", { class: `p${player}` }, tr(game.names[player]));

/** @param {Decision} decision */
export const isBad = (decision) => decision.grade !== "fine";
const graded = (decision) => make("span", { class: "bad" }, tr(decision.grade));

/** @param {Annotation} game */
const countDecisions = (game) => game.count ?? game.decisions.length;

/**
 * Returns the x coordinate of a decision on the graphs; `at` counts judged decisions.
 * @param {Annotation} game
 * @param {number} at
 */
export const spot = (game, at) => FIRST + (LENGTH * at) / countDecisions(game);

/**
 * Returns the number of the decision that is nearest to a click on a graph.
 * @param {Annotation} game
 * @param {Element} svg
 * @param {MouseEvent} event
 */
export function picked(game, svg, event) {
	const box = svg.getBoundingClientRect();
	const at = ((event.clientX - box.left) / box.width) * 600;
	return Math.round(((at - FIRST) / LENGTH) * countDecisions(game));
}

/** @param {Content[]} head @param {Content[][]} rows */
function table(head, rows) {
	const cells = (tag, row) =>
		make(
			"tr",
			{},
			row.map((cell) => make(tag, {}, cell)),
		);
	return make(
		"table",
		{},
		make("thead", {}, cells("th", head)),
		make(
			"tbody",
			{},
			rows.map((row) => cells("td", row)),
		),
	);
}

/**
 * Returns what was decided, what was best, what the choice cost, and the luck that followed.
 * @param {Annotation} game
 * @param {Decision} decision
 */
export function story(game, decision) {
	const { player, words, action, best, better, expected, loss, luck } = decision;
	const parts = [
		make("b", {}, who(game, player), `: ${words}`),
		" ",
		make("small", {}, action),
		make("br"),
		tr("Best: win {win} ± {win_error}, margin {margin} ± {margin_error} VP.", {
			win: percent(expected.win, 1),
			win_error: percent(expected.win_error, 1),
			margin: signed(expected.margin),
			margin_error: number(expected.margin_error, 1),
		}),
		make("br"),
	];
	if (action === best) parts.push(tr("The best move."));
	else {
		if (isBad(decision)) parts.push(graded(decision), ", ");
		parts.push(
			tr("cost {win} ± {win_error} percentage points of winning chance, {margin} ± {margin_error} VP.", {
				win: number(100 * lost(loss.win), 1),
				win_error: number(100 * loss.win_error, 1),
				margin: number(lost(loss.margin), 1),
				margin_error: number(loss.margin_error, 1),
			}),
			make("br"),
			`${tr("Better:")} ${decision.better_words} `,
			make("small", {}, better.join(" > ")),
		);
	}
	if (luck) {
		const players = luck.map((one, other) => [who(game, other), " ", ...mean(one)]);
		const lucks = joined(players, ", ").flat();
		parts.push(make("br"), tr("Luck in what came next:"), " ", ...lucks, ` ${tr("VP")}.`);
	}
	return parts;
}

/**
 * Returns the graph of the expected margin by decision: with two players, only that of the first player,
 * otherwise a line for each player.
 * @param {Annotation} game
 */
export function graph(game) {
	const two = game.names.length === 2;
	const end = countDecisions(game);
	const final = (player) =>
		game.scores[player] - Math.max(...game.scores.filter((_, other) => other !== player));
	const margin = ({ player, expected }) => (two && player === 1 ? -1 : 1) * expected.margin;
	const lines = game.names.slice(0, two ? 1 : undefined).map((_, player) => {
		const own = game.decisions.filter((decision) => two || decision.player === player);
		const line = own.map((decision) => [decision.at, margin(decision)]);
		return line.length ? [...line, [end, final(player)]] : line;
	});
	const most = Math.max(5, ...lines.flat().map(([, value]) => Math.abs(value)));
	const height = (value) => 100 - (88 * value) / most;
	const points = (line) =>
		line.map(([at, value]) => `${spot(game, at).toFixed(1)},${height(value).toFixed(1)}`).join(" ");
	const dot = (decision) =>
		makeSvg(
			"circle",
			{
				cx: spot(game, decision.at),
				cy: height(margin(decision)),
				r: decision.grade === "blunder" ? 5 : 3.5,
				fill: `var(--p${decision.player})`,
				stroke: "var(--bg)",
			},
			makeSvg("title", {}, `${tr(game.names[decision.player])}, ${tr(decision.grade)}: ${decision.words}`),
		);
	return [
		axis(100),
		...[most, -most].map((value) => label(height(value) + 4, signed(value, 0))),
		cursor(6, 194),
		...lines.map((line, player) =>
			makeSvg("polyline", {
				fill: "none",
				stroke: `var(--p${player})`,
				"stroke-width": 2,
				points: points(line),
			}),
		),
		...game.decisions.filter(isBad).map(dot),
	];
}

const axis = (height) =>
	makeSvg("line", { x1: FIRST, x2: 590, y1: height, y2: height, stroke: "currentColor", opacity: 0.5 });
const label = (height, text) =>
	makeSvg("text", { x: 2, y: height, "font-size": 11, fill: "currentColor" }, text);
const cursor = (top, bottom) =>
	makeSvg("line", { class: "cursor", y1: top, y2: bottom, stroke: "currentColor" });

/**
 * Returns every player's VP by source, before each decision and at the end.
 * @param {Annotation} game
 * @returns {Collected}
 */
export function collected(game) {
	/** @type {Record<string, number>} */
	const sums = {};
	for (const [, , name, vp] of game.brought) sums[name] = (sums[name] || 0) + Math.abs(vp);
	const names = Object.keys(sums).sort((one, other) => sums[other] - sums[one]);
	const plies = [...game.decisions.map(({ ply }) => ply), Infinity];
	const steps = game.names.map((_, player) => {
		const events = game.brought.filter((one) => one[1] === player);
		const now = Object.fromEntries(names.map((name) => [name, 0]));
		let next = 0;
		return plies.map((ply) => {
			for (; next < events.length && events[next][0] < ply; next++) now[events[next][2]] += events[next][3];
			return { ...now };
		});
	});
	return { names, steps };
}

/**
 * Returns the table of every player's VP by source before a decision.
 * @param {Annotation} game
 * @param {Collected} series
 * @param {number} at
 */
export function sources(game, { names, steps }, at) {
	const now = steps.map((one) => one[at]);
	/** @type {Content[][]} */
	const rows = names.map((name, i) => [
		[make("span", { class: "key", style: `background:${colour(i)}` }), sourceName(name)],
		...now.map((one) => one[name]),
	]);
	const bold = (text) => make("b", {}, text);
	rows.push([bold(tr("total")), ...now.map((one) => bold(total(Object.values(one))))]);
	return table(["", ...game.names.map((_, player) => who(game, player))], rows);
}

/**
 * Returns a stacked area chart per player, all on one scale; lost VP are below the axis.
 * @param {Annotation} game
 * @param {Collected} series
 */
export function chart(game, { names, steps }) {
	const last = game.decisions.length;
	const part = (one, name, sign) => Math.max(0, sign * one[name]);
	const sum = (one, sign, those = names) => total(those.map((name) => part(one, name, sign)));
	const extreme = (sign) => Math.max(...steps.flat().map((one) => sum(one, sign)));
	const most = Math.max(5, extreme(1));
	const least = extreme(-1);
	const height = (value) => 4 + (112 * (most - value)) / (most + least);
	const area = (line, i, sign) => {
		const upper = [];
		const lower = [];
		line.forEach((one, at) => {
			const below = sum(one, sign, names.slice(0, i));
			const above = below + part(one, names[i], sign);
			for (const left of at ? [spot(game, at - 0.5), spot(game, at)] : [spot(game, at)]) {
				upper.push(`${left.toFixed(1)},${height(sign * above).toFixed(1)}`);
				lower.push(`${left.toFixed(1)},${height(sign * below).toFixed(1)}`);
			}
		});
		const points = upper.concat(lower.reverse()).join(" ");
		return makeSvg(
			"polygon",
			{ points, fill: colour(i), stroke: "var(--bg)", "stroke-width": 0.6 },
			makeSvg("title", {}, `${sourceName(names[i])} ${line[last][names[i]]}`),
		);
	};
	return steps.map((line, player) =>
		make(
			"figure",
			{},
			make("figcaption", {}, who(game, player), `, ${game.scores[player]} ${tr("VP")}`),
			makeSvg(
				"svg",
				{
					viewBox: "0 0 600 120",
					role: "img",
					"aria-label": tr("VP of {name} by source and move", { name: tr(game.names[player]) }),
				},
				names.map((name, i) => [
					area(line, i, 1),
					line.some((one) => one[name] < 0) ? area(line, i, -1) : null,
				]),
				axis(height(0)),
				label(14, Math.round(most)),
				cursor(2, 118),
			),
		),
	);
}

/**
 * Returns the table of luck and skill; each player's parts add up to the final margin.
 * @param {Annotation} game
 */
export function accounts(game) {
	/** @type {Record<string, string>} */
	const parts = {
		start: tr("start"),
		luck: tr("+ luck"),
		own_errors: tr("− own errors"),
		others_errors: tr("+ others' errors"),
		rest: tr("+ rest"),
	};
	if (game.accounts.length === 1) {
		// the other players were not judged
		delete parts.others_errors;
		parts.rest = tr("+ rest, with others' errors");
	}
	const part = (account, name) =>
		name === "own_errors"
			? [number(account[name].mean, 1), " ", error(account[name].error)]
			: mean(account[name]);
	return table(
		[tr("VP of margin"), ...Object.values(parts), tr("= final")],
		game.accounts.map((account) => [
			who(game, account.player),
			...Object.keys(parts).map((name) => part(account, name)),
			signed(account.final, 0),
		]),
	);
}

/**
 * Describes the level whose mistakes cost as much per decision as the player's.
 * @param {Strength} strength
 */
export function matched({ vp, lowest, highest, missing }) {
	if (missing)
		return tr("too early to estimate a level: about {count} more decisions are needed", { count: missing });
	const level = number(Math.min(Math.max(vp.mean, lowest), highest));
	if (vp.mean > highest) return tr("better than level {level}", { level });
	return vp.mean < lowest
		? tr("weaker than level {level}", { level })
		: tr("like level {level} ± {error}", { level, error: number(vp.error) });
}

/** @param {Annotation} game */
export function strengths(game) {
	return game.strengths.map((one) => {
		const cost = tr("mistakes cost {vp} VP per decision, in {decisions}.", {
			vp: `${number(one.lost.mean, 2)} ± ${number(one.lost.error, 2)}`,
			decisions: one.decisions,
		});
		return make("p", {}, who(game, one.player), `: ${matched(one)}; ${cost}`);
	});
}

/** @param {Annotation} game */
export function mistakes(game) {
	const all = game.biggest_mistakes.flatMap((plies, player) =>
		plies.map((ply) => {
			const decision = game.decisions.find((one) => one.ply === ply);
			const { before, loss, words } = decision;
			const cost = `(${percent(lost(loss.win), 1)}, ${number(lost(loss.margin), 1)} ${tr("VP")})`;
			return make(
				"p",
				{ class: "jump", tabindex: 0, role: "button", "data-ply": decision.at },
				who(game, player),
				`, ${tr("turn {turn}", decision)}`,
				before === undefined ? null : [" ", make("small", {}, `#${before}`)],
				", ",
				graded(decision),
				` ${cost}: ${words}. ${tr("Better:")} ${decision.better_words}.`,
			);
		}),
	);
	return all.length ? all : tr("None.");
}

/** @param {Annotation} game */
export function losses(game) {
	const players = game.accounts.map(({ player }) => player); // whose decisions were judged
	const cell = (loss) =>
		loss
			? [
					`${number(lost(loss.margin.mean), 1)} `,
					make("span", { class: "se" }, tr("in {count}", { count: loss.decisions })),
				]
			: "";
	const tables = ["by_quarter", "by_kind"].map((by) => {
		const keys = [...new Set(game[by].flatMap(Object.keys))].sort();
		return table(
			[by === "by_quarter" ? tr(game.part) : tr("kind"), ...players.map((player) => who(game, player))],
			keys.map((key) => [
				key
					.split(" ")
					.map((word) => tr(word.replaceAll("_", " ")))
					.join(" "),
				...players.map((player) => cell(game[by][player][key])),
			]),
		);
	});
	return joined(tables, () => make("br"));
}
