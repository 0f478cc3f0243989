// The log: a line per turn with the VP that it brought, and its branches. A click goes to the node.

import { make, icons, signed, token } from "./dom.js";
import { tr } from "./language.js";

const SCORES = 4; // index of the scores in a node's entry

export class Log {
	/** @type {TreeNode[]} */
	nodes = [];
	/** @type {WeakMap<HTMLElement, number>} by row: the VP of its player before it */
	starts = new WeakMap();

	/** @param {HTMLElement} element @param {(node: number) => void} go shows a node */
	constructor(element, go) {
		this.element = element;
		this.go = go;
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
		const { nodes, node } = state;
		this.state = state;
		if (JSON.stringify(nodes) !== JSON.stringify(this.nodes)) {
			this.nodes = nodes;
			this.children = nodes.map(() => []);
			nodes.forEach(([parent], i) => i && this.children[parent].push(i));
			const rows = [];
			this.rows(0, rows);
			this.element.replaceChildren(
				make("button", { type: "button", class: "move", "data-node": 0 }, tr("Beginning")),
				make("ol", { class: "log" }, rows),
			);
		}
		for (let child = node; child; child = nodes[child][0]) this.visited.set(nodes[child][0], child);
		this.mark(node);
		this.mistakes(this.bad);
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
		const button = this.element.querySelector(`[data-node="${node}"]`);
		button.setAttribute("aria-current", "step");
		const box = this.element.getBoundingClientRect();
		const place = button.getBoundingClientRect();
		if (place.top < box.top || place.bottom > box.bottom)
			this.element.scrollTop += place.top - box.top - box.height / 2;
	}

	// Adds the rows of the line after a node: one per turn, each followed by its branches.
	rows(node, rows) {
		let row = null;
		let of = null;
		while (this.children[node].length) {
			const [first, ...others] = this.children[node];
			const [, player, , turn] = this.nodes[first];
			if (of !== `${turn} ${player}`) {
				row = this.row(first);
				rows.push(row);
				of = `${turn} ${player}`;
			} else row.lastChild.before(this.button(first));
			this.gain(row, first);
			for (const other of others) {
				rows.push(make("li", { class: "branch" }, this.branch(other)));
				of = null;
			}
			node = first;
		}
	}

	// Returns the line that begins with a node.
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
		return this.gain(row, node);
	}

	// Shows the VP of a line that ends at a node.
	gain(row, node) {
		const vp = this.nodes[node][SCORES][this.nodes[node][1]] - this.starts.get(row);
		row.lastChild.textContent = vp ? signed(vp, 0) : "";
		return row;
	}

	button(node) {
		const { game, log, pieces } = this.state;
		const [, , action, , , key] = this.nodes[node];
		return make(
			"button",
			{ type: "button", class: "move", "data-node": node, title: action },
			icons(game, pieces[key]),
			log[key],
		);
	}

	branch(node) {
		const rows = [this.row(node)];
		this.rows(node, rows);
		return make("ol", { class: "log", "aria-label": tr("a branch") }, rows);
	}

	parent(node) {
		return node ? this.nodes[node][0] : null;
	}

	next(node) {
		return this.visited.get(node) ?? this.children[node][0] ?? null;
	}

	last(node) {
		for (let next = this.next(node); next !== null; next = this.next(node)) node = next;
		return node;
	}

	sibling(node, step) {
		const all = node ? this.children[this.nodes[node][0]] : [];
		return all[all.indexOf(node) + step] ?? null;
	}
}
