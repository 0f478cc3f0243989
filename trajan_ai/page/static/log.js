// The log: a row for each turn of the shown line, with the VP that the turn brought, its decisions and the
// events after each decision; and the folded lines that branch off. A click on a decision goes to its node.

import { button, make, icons, signed, token } from "./dom.js";
import { tr } from "./language.js";

// Indices of the parts of a node's entry; the part at `KEY` is the key of its text in `log`.
export const PARENT = 0;
export const PLAYER = 1;
export const ACTION = 2;
export const TURN = 3;
export const SCORES = 4;
export const KEY = 5;
const MIN_SEEN = 60; // pixels of the log that must be in the window to place the current line there

/** Returns whether people play against bots. @param {{ seats: (string | null)[] }} state */
export const isAgainstBots = ({ seats }) => seats.includes(null) && seats.some(Boolean);

/** @param {Happening} event */
export const endsPart = ([player, , , isClosing]) => isClosing && player === null;

/** Returns VP as a text, which is red if they were lost. @param {number} vp */
export const points = (vp, name = "vp") =>
	make("span", { class: vp < 0 ? `${name} loss` : name }, signed(vp, 0));

/**
 * Returns the action that leads to a node, as pictures and words.
 * @param {TreeState} state
 * @param {number} node
 */
export function action({ game, log, nodes, pieces }, node) {
	const key = nodes[node][KEY];
	return [...icons(game, pieces[key]), log[key]];
}

/**
 * Returns what happened before a node, without the events that the action already names.
 * @param {TreeState} state
 * @param {number} node
 */
export function happenings({ events, log, nodes }, node) {
	const words = log[nodes[node][KEY]];
	return (events[node] ?? []).filter((event) => event[1] || event[2] !== words);
}

/**
 * Returns events in words, with their VP; the words of an event that equal `said` are omitted.
 * @param {Happening[]} events
 * @param {(event: Happening) => Content} who returns the sign of the player whom an event concerns
 */
export const parts = (events, said = "", who = () => null) =>
	events.map((event) => {
		const [player, vp, words] = event;
		const text = words === said ? null : words;
		return make(
			"span",
			{ class: player === null ? "part apart" : "part" },
			who(event),
			text,
			vp ? [" ", points(vp)] : null,
		);
	});

/** Returns the token of a player, with the name for screen readers. @param {Player} player */
export const sign = (player, names) => [token(player), make("span", { class: "sr" }, `${names[player]}: `)];

/**
 * Divides events into those of a move and those of the end of a part of the game after the move.
 * @param {Happening[]} events
 */
export function splitEnd(events) {
	const at = events.findIndex(([, , , isClosing]) => isClosing);
	const end = at < 0 ? [] : events.slice(at);
	// Some closing events end no part of the game: the setup has one per player, and a payment of wages has
	// those of a single player. Both belong to the move.
	const owners = end.filter(([, , , isClosing]) => isClosing).map(([player]) => player);
	const hasMore = (player) => owners.indexOf(player) < owners.lastIndexOf(player);
	const isEnd = end.some(endsPart) || (new Set(owners).size > 1 && owners.every(hasMore));
	return isEnd ? [events.slice(0, at), end] : [events, []];
}

/**
 * Returns what the end of a part of the game brought, a line for each player with the VP.
 * @param {Happening[]} events
 * @param {string[]} names of the players
 */
export const settlement = (events, names) =>
	make(
		"dl",
		{ class: "settlement" },
		names.map((name, player) => {
			const own = events.filter((event) => event[0] === player);
			const vp = own.reduce((sum, event) => sum + event[1], 0);
			// There is no total if none of the player's events here brings VP.
			const total = own.some((event) => event[1]) ? points(vp) : "";
			return [make("dt", {}, token(player), " ", name, " ", total), make("dd", {}, parts(own))];
		}),
	);

export class Log {
	/** @type {TreeNode[]} */
	nodes = [];
	/** @type {WeakMap<HTMLElement, number>} by row: the VP of its player before the row */
	starts = new WeakMap();
	content = ""; // what is shown, as text

	/**
	 * @param {HTMLElement} element
	 * @param {(node: number) => void} go shows a node
	 * @param {(node: number) => void} summarize shows the card for the end of a part of the game
	 */
	constructor(element, go, summarize) {
		this.element = element;
		this.go = go;
		this.summarize = summarize;
		this.children = [];
		this.bad = new Map(); // mistakes by node
		this.visited = new Map(); // the child that was shown last, by node
		element.addEventListener("click", (event) => {
			const node = /** @type {Element} */ (event.target).closest("[data-node]")?.dataset.node;
			if (node !== undefined) this.go(Number(node));
		});
	}

	/** @param {TreeState} state */
	show(state) {
		const { nodes, node, events } = state;
		this.state = state;
		this.nodes = nodes;
		this.children = nodes.map(() => []);
		nodes.forEach(([parent], i) => i && this.children[parent].push(i));
		for (let child = node; child; child = nodes[child][PARENT]) this.visited.set(nodes[child][PARENT], child);
		const forks = this.children.map((all, i) => (all.length > 1 ? this.next(i) : 0));
		const content = JSON.stringify([nodes, events, forks]);
		if (content !== this.content) {
			this.content = content;
			const rows = [];
			this.rows(0, rows);
			this.renew(rows);
		}
		this.mark(node);
		this.mistakes(this.bad);
	}

	// Shows rows; keeps unchanged ones, because styling takes time.
	renew(rows) {
		if (!this.element.firstChild)
			this.element.append(
				make("button", { type: "button", class: "move", "data-node": 0 }, tr("Beginning")),
				make("ol", { class: "log" }),
			);
		const list = this.element.lastElementChild;
		const before = [...list.children];
		rows.forEach((row, i) => {
			if (!before[i]) list.append(row);
			else if (!before[i].isEqualNode(row)) before[i].replaceWith(row);
		});
		for (const row of before.slice(rows.length)) row.remove();
	}

	// Marks mistakes and shows the better turns.
	mistakes(bad) {
		this.bad = bad;
		for (const [node, { grade, better_words: better }] of bad) {
			const button = this.element.querySelector(`[data-node="${node}"]`);
			button?.classList.add("bad", grade);
			button?.setAttribute("title", tr("{grade}; better: {better}", { grade: tr(grade), better }));
		}
	}

	mark(node) {
		this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
		this.element.querySelector(`[data-node="${node}"]`).setAttribute("aria-current", "step");
	}

	// Scrolls to the current decision once everything above the log has its final height.
	reveal() {
		const { element } = this;
		const button = element.querySelector("[aria-current]");
		const box = element.getBoundingClientRect();
		// The end of the log may lie below the window.
		const above = window.innerHeight - box.top;
		const height = above < MIN_SEEN ? box.height : Math.min(box.height, above);
		const place = button.getBoundingClientRect();
		const brought = button.nextElementSibling; // the events of the decision, below it
		const { bottom } = brought?.matches(".events") ? brought.getBoundingClientRect() : place;
		if (place.top >= box.top && bottom <= box.top + height) return;
		// Scrolls the decision to the middle, with a whole line at the top. Adds room below the last line if
		// that is needed.
		element.style.paddingBottom = "";
		const end = element.scrollHeight - element.clientHeight;
		const top = (one) => one.getBoundingClientRect().top - box.top + element.scrollTop;
		const middle = Math.max(height / 2, bottom - place.top);
		const wanted = Math.min(top(button), top(button) - height + middle, end + box.height - height);
		const first = [...element.querySelectorAll("[data-node]")].find(
			(one) => one.checkVisibility() && top(one) >= wanted,
		);
		element.style.paddingBottom = `${Math.max(2, 2 + top(first) - end)}px`;
		element.scrollTop = top(first);
	}

	// Adds the rows of the line after a node: one per turn, each followed by its branches. At each node, the
	// line follows the child that was shown last; other children begin folded branches.
	rows(node, rows) {
		let row = null;
		let of = null;
		while (this.children[node].length) {
			const first = this.next(node);
			const others = this.children[node].filter((child) => child !== first);
			const [, player, , turn] = this.nodes[first];
			if (of !== `${turn} ${player}`) {
				row = this.row(first);
				rows.push(row);
				of = `${turn} ${player}`;
			} else row.lastChild.before(this.button(first));
			this.extend(row, first);
			for (const other of others) {
				rows.push(make("li", { class: "branch" }, this.branch(other)));
				of = null;
			}
			node = first;
		}
	}

	// Returns a row of a turn, which begins with the decision that led to a node.
	row(node) {
		const [parent, player, , turn] = this.nodes[node];
		const row = make(
			"li",
			{},
			make("span", { class: "turn" }, turn),
			token(player),
			make("span", { class: "sr" }, `${this.state.names[player]}: `),
			this.button(node),
			make("span", { class: "gain" }),
		);
		this.starts.set(row, this.nodes[parent][SCORES][player]);
		return row;
	}

	// Adds to a row what happened after its last decision, and shows the row's VP up to that point.
	extend(row, node) {
		const player = this.nodes[node][PLAYER];
		const list = make("ul", { class: "events" });
		const { ending, events, log } = this.state;
		const isOver = (at) => events[at]?.some(endsPart);
		// While a part of the game is still ending, a button here opens the card about it.
		if (splitEnd(events[node] ?? [])[1].length && !this.lineFrom(node).some(isOver))
			list.append(
				make(
					"li",
					{},
					button(ending, () => this.summarize(node), { class: "move" }),
				),
			);
		for (const event of happenings(this.state, node)) {
			const [mover, vp, words] = event;
			const last = list.querySelector("li:last-child");
			if (mover === player && words === log[this.nodes[node][KEY]])
				row.querySelector(`[data-node="${node}"]`).append(" ", points(vp));
			// A line about an event that concerns no player has no `data-player`.
			else if (last?.getAttribute("data-player") === String(event[0])) last.append(...parts([event]));
			else list.append(this.line(event, node, event[0] !== player || list.querySelector(".token") !== null));
		}
		if (list.hasChildNodes()) row.lastChild.before(list);
		const vp = this.nodes[node][SCORES][player] - this.starts.get(row);
		row.lastChild.replaceWith(vp ? points(vp, "gain") : make("span", { class: "gain" }));
	}

	// Returns a row's line about an event, with the player whom it concerns if `isNamed`.
	line(event, node, isNamed) {
		return make(
			"li",
			{ "data-player": event[0] },
			event[0] === null || !isNamed ? null : sign(event[0], this.state.names),
			endsPart(event) ? button(event[2], () => this.summarize(node), { class: "move" }) : parts([event]),
		);
	}

	// Returns the last node after `from`, up to `to`, where the end of a part of the game brought something,
	// or null.
	lastEnd(from, to) {
		for (let node = to; node && node !== from; node = this.nodes[node][PARENT])
			if (splitEnd(this.state.events[node] ?? [])[1].length) return node;
		return null;
	}

	// Returns what happened at the end of a part of the game; `node` is the last node of that part.
	atEnd(node) {
		const { events } = this.state;
		const closing = [];
		for (let at = node; at; at = this.nodes[at][PARENT]) {
			const here = (events[at] ?? []).filter(([, , , isClosing]) => isClosing);
			if (at !== node && here.some(endsPart)) break;
			// The end may span several turns that pay wages. Other decisions in the last turn do not stop the loop.
			if (!here.length && this.nodes[at][TURN] !== this.nodes[node][TURN]) break;
			closing.unshift(...here);
		}
		return closing;
	}

	// Returns a card about the end of a part of the game.
	card(node) {
		const closing = this.atEnd(node);
		const ends = closing.filter(endsPart).map(([, , words]) => words);
		const heading = ends.join(", ") || this.state.ending;
		return [make("h2", {}, heading), settlement(closing, this.state.names)];
	}

	button(node) {
		const notation = this.nodes[node][ACTION];
		return make(
			"button",
			{ type: "button", class: "move", "data-node": node, title: notation },
			action(this.state, node),
		);
	}

	branch(node) {
		const rows = [this.row(node)];
		this.extend(rows[0], node);
		this.rows(node, rows);
		const words = { words: this.state.log[this.nodes[node][KEY]] };
		const isSeen = this.lineFrom(node).some((at) => this.state.revealing.includes(at));
		return make(
			"details",
			{},
			make(
				"summary",
				{},
				isAgainstBots(this.state) ? tr("Taken back: {words}", words) : tr("Instead: {words}", words),
				isSeen ? make("small", { class: "seen" }, ` (${tr("after something was revealed")})`) : null,
			),
			make("ol", { class: "log" }, rows),
		);
	}

	parent(node) {
		return node ? this.nodes[node][PARENT] : null;
	}

	next(node) {
		return this.visited.get(node) ?? this.children[node][0] ?? null;
	}

	last(node) {
		return this.lineFrom(node).at(-1);
	}

	// Returns a node and those that follow it on the line that was shown last.
	lineFrom(node) {
		const line = [];
		for (let at = node; at !== null; at = this.next(at)) line.push(at);
		return line;
	}

	sibling(node, step) {
		const all = node ? this.children[this.nodes[node][PARENT]] : [];
		return all[all.indexOf(node) + step] ?? null;
	}
}
