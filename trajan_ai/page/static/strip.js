// The strip: the other players' last turns, one line each, until they decide again. A click on a step
// shows the step on the board. If the list is cut off, a button opens the whole list over what lies below.

import { button, make, token } from "./dom.js";
import { tr } from "./language.js";
import {
	PARENT,
	PLAYER,
	ACTION,
	TURN,
	SCORES,
	KEY,
	action,
	endsPart,
	happenings,
	isAgainstBots,
	parts,
	points,
	settlement,
	sign,
	splitEnd,
} from "./log.js";

const UNSEEN = "…"; // a choice that the user does not see

export class Strip {
	/** @type {number[]} the nodes after the other players' decisions, except secret ones */
	decisions = [];
	/** @type {number[]} the nodes to show for these decisions; the last one comes after secret choices */
	steps = [];
	count = 0; // number of nodes when the steps were collected
	isLooking = false; // whether a step is shown instead of a decision
	isStepping = false; // whether the user chose the step that is shown next

	/**
	 * @param {object} calls
	 * @param {(node: number) => void} calls.go shows a node
	 * @param {(player: Player) => void} calls.look shows the board of a player
	 */
	constructor({ go, look }) {
		this.go = go;
		this.look = look;
		this.turns = make("ol", { id: "turns" });
		this.news = make("p", { class: "sr", role: "status" });
		// These arrows point up and down, unlike those for the decisions of the game.
		const named = (name) => ({ title: name, "aria-label": name });
		this.back = button("↑", () => this.step(-1), named(tr("Previous step of other players' turns")));
		this.on = button("↓", () => this.step(1), named(tr("Next step of other players' turns")));
		this.all = button(tr("show all"), () => this.unfold(!this.isOpen()), {
			class: "all",
			"aria-controls": "turns",
			"aria-expanded": "false",
			title: tr("The whole turns of other players"),
		});
		this.element = make(
			"div",
			{ class: "strip", role: "group", "aria-label": tr("What other players did") },
			this.back,
			this.turns,
			this.on,
			this.all,
			this.news,
		);
		// a click shows a step on the board, which the open list covers on a narrow page
		this.turns.addEventListener("click", () => this.unfold(false));
		new ResizeObserver(() => this.isOpen() || this.offer()).observe(this.element);
	}

	isOpen() {
		return this.element.classList.contains("open");
	}

	// Opens the whole list over the board, as high as the choices leave room, or closes it.
	unfold(open) {
		if (open === this.isOpen()) return;
		this.element.classList.toggle("open", open);
		this.all.setAttribute("aria-expanded", String(open));
		this.all.textContent = open ? tr("Close") : tr("show all");
		this.element.style.setProperty("--top", `${this.element.getBoundingClientRect().top}px`);
		this.turns.scrollTop = 0;
		if (!open) this.reveal();
	}

	// Offers the whole list if a part of it is hidden. While it is open, the button closes it.
	offer() {
		if (this.isOpen()) return;
		this.all.hidden = true;
		this.all.hidden = this.turns.scrollHeight <= this.turns.clientHeight;
	}

	/**
	 * Shows the turns at a node; returns the player whose step is shown instead of a decision, or null.
	 * @param {TreeState} state
	 */
	show(state) {
		const { node, nodes, legal } = state;
		const isGame = isAgainstBots(state);
		this.node = node;
		if (isGame && (!this.steps.includes(node) || this.count !== nodes.length)) {
			this.count = nodes.length;
			this.unfold(false);
			this.collect(state);
			this.fill(state);
		}
		this.element.hidden = !isGame;
		this.element.parentElement.classList.toggle("bots", isGame);
		this.element.classList.toggle("empty", !this.steps.length); // what is below it keeps its place
		if (!isGame || !this.steps.length) return null;
		for (const step of this.turns.querySelectorAll("[data-step]"))
			step.setAttribute("aria-pressed", String(step.dataset.step === String(node)));
		const at = this.steps.indexOf(node);
		this.back.disabled = this.at() < 1;
		this.on.disabled = this.at() >= this.steps.length - 1;
		this.isLooking = at >= 0 && (this.isStepping || !legal.length);
		this.isStepping = false;
		if (!this.isLooking) this.unfold(false); // the board, which it covers, is needed to decide
		this.offer();
		this.reveal();
		return this.isLooking ? nodes[this.decisions[at]][PLAYER] : null;
	}

	// Returns the index of the shown step, or the number of steps during the user's turn.
	at() {
		const at = this.steps.indexOf(this.node);
		return at < 0 ? this.steps.length : at;
	}

	// Scrolls by whole lines to the shown step, or to its top if it is taller than the list. During the
	// user's decision, scrolls to the top.
	reveal() {
		this.turns.scrollTop = 0;
		if (!this.isLooking) return;
		const step = /** @type {HTMLElement} */ (this.turns.querySelector("[aria-pressed=true]"));
		const row = parseFloat(getComputedStyle(this.turns).lineHeight);
		const end = step.offsetTop + step.offsetHeight - this.turns.clientHeight;
		const top = Math.min(step.offsetTop, Math.max(step.parentElement.offsetTop, end));
		this.turns.scrollTop = row * Math.ceil(top / row);
	}

	// Collects the other players' decisions before the user's turn. Secret choices are omitted; if there are
	// only secret choices, the decisions before them are shown again. If a decision of the user ended a part
	// of the game and no other player has decided since, only that decision is shown.
	/** @param {TreeState} state */
	collect(state) {
		const { node, nodes, seats } = state;
		const isOther = (at) => seats[nodes[at][PLAYER]];
		const isSecret = (at) => nodes[at][ACTION] === UNSEEN && !happenings(state, at).length;
		const isEnd = (at) => splitEnd(happenings(state, at))[1].length > 0;
		let last = node;
		while (last && !isOther(last) && !isEnd(last)) last = nodes[last][PARENT];
		this.decisions = [];
		if (last && !isOther(last)) this.decisions = [last];
		else if (last) {
			for (let at = last; at && (isOther(at) || !this.decisions.length); at = nodes[at][PARENT])
				if (isOther(at) && !isSecret(at)) this.decisions.unshift(at);
			if (!this.decisions.length) this.decisions = [last];
		}
		this.steps = this.decisions.length ? [...this.decisions.slice(0, -1), last] : [];
	}

	/** @param {TreeState} state */
	fill(state) {
		const { log, names, nodes } = state;
		let line = null;
		let of = null;
		// A choice may interrupt the end of a part of the game. `begun` contains the events of this end that
		// came with the user's decision.
		const begun = this.begun(state);
		const ends = [];
		let before = 0;
		const common = this.common(state);
		this.turns.replaceChildren(...(common.length ? [make("li", {}, parts(common))] : []));
		for (const [i, node] of this.decisions.entries()) {
			const [, player, , turn] = nodes[node];
			if (of !== `${turn} ${player}`) {
				of = `${turn} ${player}`;
				const name = names[player];
				const label = tr("{name}: show the board", { name });
				const vp = this.gain(state, i);
				const content = [
					token(player),
					make("span", { class: "name" }, name),
					...(vp ? [points(vp)] : []),
					make("span", { class: "look" }, tr("board")),
				];
				const who = button(content, () => this.look(player), {
					class: "move",
					"aria-label": label,
					title: label,
				});
				line = make("li", {}, who);
				this.turns.append(line);
			}
			const step = this.steps[i];
			const [events, end] = splitEnd(happenings(state, node));
			const said = log[nodes[node][KEY]];
			let hasOther = false; // if so, the player of the step is named, too
			const owner = (/** @type {Happening} */ [one]) => {
				hasOther ||= one !== null && one !== player;
				return one !== null && hasOther ? sign(one, names) : null;
			};
			line.append(
				make(
					"button",
					{ type: "button", class: "move", "data-step": step, onclick: () => this.goTo(step) },
					action(state, node),
					events.length && events[0][0] !== null && events[0][2] !== said ? ": " : null,
					parts(events, said, owner),
				),
			);
			if (!ends.length) before = this.steps[i - 1] ?? nodes[node][PARENT];
			ends.push(...end);
			if (ends.length && (ends.some(endsPart) || node === this.decisions.at(-1))) {
				if (begun.length) before = nodes[nodes[this.decisions[0]][PARENT]][PARENT];
				line.append(this.ending([...begun.splice(0), ...ends.splice(0)], before, state));
			}
		}
		const last = this.decisions.at(-1);
		const mover = last && nodes[last][PLAYER];
		this.news.textContent = last
			? [
					`${names[mover]}: ${log[nodes[last][KEY]]}`,
					...happenings(state, last).map(([one, , words]) =>
						one === null || one === mover ? words : `${names[one]}: ${words}`,
					),
				].join(", ")
			: "";
	}

	// Returns the closing events of the user's decision before the listed decisions, unless one of these
	// events ends a part of the game.
	/** @param {TreeState} state @returns {Happening[]} */
	begun(state) {
		const { nodes, seats } = state;
		const own = this.decisions.length ? nodes[this.decisions[0]][PARENT] : 0;
		if (!own || seats[nodes[own][PLAYER]]) return [];
		const closing = happenings(state, own).filter(([, , , isClosing]) => isClosing);
		return closing.some(endsPart) ? [] : closing;
	}

	// Returns what the user's turn before the listed turns brought for all players, such as a new demand.
	/** @param {TreeState} state @returns {Happening[]} */
	common(state) {
		const { nodes, seats } = state;
		const events = [];
		if (!this.decisions.length) return events;
		const last = nodes[this.decisions[0]][PARENT];
		const turn = nodes[last][TURN];
		for (let at = last; at && nodes[at][TURN] === turn && !seats[nodes[at][PLAYER]]; at = nodes[at][PARENT])
			events.unshift(...splitEnd(happenings(state, at))[0].filter(([player]) => player === null));
		return events;
	}

	// Shows what the end of a part of the game brought, by player. The board already shows the result, so
	// the heading leads to the previous step.
	/** @param {Happening[]} events @param {number} before @param {TreeState} state */
	ending(events, before, { ending, names }) {
		const [, , words] = events.find(endsPart) ?? [null, 0, ending];
		const hint = make("small", {}, tr("Show the board before it"));
		const heading = button([words, " ", hint], () => this.goTo(before), { class: "move" });
		return make(
			"div",
			{ class: "end" },
			heading,
			settlement(events, names),
			parts(events.filter((event) => event[0] === null && !endsPart(event))),
		);
	}

	// Returns the VP that a player gained in the turn of decision `i`.
	/** @param {TreeState} state */
	gain({ nodes }, i) {
		const [before, player, , turn] = nodes[this.decisions[i]];
		const isSame = (at) => nodes[at][PLAYER] === player && nodes[at][TURN] === turn;
		const last = this.decisions.findLastIndex(isSame);
		return nodes[this.steps[last]][SCORES][player] - nodes[before][SCORES][player];
	}

	// Returns the places where the turn of the current step has changed the board so far.
	/** @param {TreeState} state */
	places({ moves }) {
		return moves[this.decisions[this.steps.indexOf(this.node)]] ?? [];
	}

	step(by) {
		this.goTo(this.steps[this.at() + by]);
	}

	goTo(node) {
		this.isStepping = true;
		this.go(node);
	}
}
