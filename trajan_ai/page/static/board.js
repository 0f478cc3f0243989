// The board: the server's drawing, its panels arranged to fit the window, places to click, and
// marks of suggested moves. The arrangement never depends on the state of the game.

import { button, capitalized, closeButton, draw, make, makeSvg, notice } from "./dom.js";
import { tr } from "./language.js";

const MAX_MARKED = 3; // suggestions
const WIDE = 400; // units of a column
const GAP = 10;
const COLUMNS = 4;
const PHONE = 600; // pixels
const NARROW = 860; // pixels below which the page is one column
const MIN_SCALE = 0.79; // pixels per unit; at a smaller scale text is too small, and panels move to the tabs
const MAX_SCALE = 2;
const OWN_SIZES = [1, 1.05, 1.2, 1.4, 1.6, 1.8, 2]; // of the user's own board, relative to its column
const OWN_WEIGHT = 3; // weight of that board relative to others
const LARGER = 1.03; // the user's own board should be at least this many times as large as other boards
// Maximum size of the user's own board, relative to the smallest panel: in one column, and across two.
const MAX_LARGER = [1.3, 2];
const FILLED = 0.97; // minimum share of the width that a filled plan uses
const SPARE = 0.93; // minimum share of the height that its shortest column fills before it is stretched
const TAB = { width: 120, height: 42 }; // pixels, at most
const SWIPE = 60; // pixels, at least
const CLOSE = 52; // pixels of the bar below a raised panel, which closes it
const BAR = { narrow: 48, phone: 92 }; // pixels of one row of choices, and of two
const STATUS = "state of the game"; // its contents are shown beside the board
const BOARD = "board of player ";
const EXTRAS = ["Victory points", "Key"]; // panels that are shown only if there is room

export class Board {
	/** @type {Decidable} */
	state = null;
	/** @type {Panel[]} */
	panels = [];
	/**
	 * Returns what the moves of the shown decision would do.
	 * @type {() => Promise<Record<Action, Preview>>}
	 */
	loadPreviews = null;
	/**
	 * Shows the preview of a tapped place's move; returns whether it is shown now.
	 * @type {(element: Element) => Promise<boolean>}
	 */
	previewed = null;
	/**
	 * Returns whether a move is made when its place is chosen; only then does a tap show a preview first.
	 * @type {(action: Action) => boolean}
	 */
	commits = () => true;
	/** @type {number} pixels at the bottom of a narrow window that something else covers */
	covered = null;
	/**
	 * Handles a tap on something that cannot be chosen now; returns whether a tip is shown.
	 * @type {(element: Element, reason: string) => Promise<boolean>}
	 */
	explained = null;

	/**
	 * @param {(actions: Action[], name: string) => void} chosen receives the legal actions of a clicked place
	 * @param {(reason: string) => void} missed receives the reason why a click does nothing
	 */
	constructor(chosen, missed = notice) {
		this.chosen = chosen;
		this.missed = missed;
		this.legal = [];
		this.zoom = 1;
		this.open = null; // the name of the panel in the sheet
		this.made = []; // the places of the turn that is marked
		this.led = []; // the places to click next, marked while nothing else is pointed at
		this.table = make("div", { class: "table" });
		this.tabs = make("div", { class: "tabs", role: "group", "aria-label": tr("More panels") });
		this.sheet = make("div", { class: "raised", hidden: true, role: "group" });
		this.window = make("div", { class: "window", "aria-hidden": true }); // as high as the window
		this.element = make(
			"div",
			{ class: "board", tabindex: "-1", "aria-label": tr("Board"), role: "region" },
			this.table,
			this.tabs,
			this.sheet,
			this.window,
		);
		this.element.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType));
		this.element.addEventListener("click", (event) => this.press(event.target));
		this.element.addEventListener("touchstart", ({ touches }) => (this.touched = touches), { passive: true });
		this.element.addEventListener("touchend", (event) => this.swipe(event));
		this.element.addEventListener("keydown", (event) => {
			if (event.key === "Escape" && this.open) this.raise(null);
			if (
				(event.key === "Enter" || event.key === " ") &&
				/** @type {Element} */ (event.target).closest("svg [tabindex]")
			) {
				event.preventDefault();
				this.pointer = "keyboard";
				this.press(event.target);
			}
		});
	}

	/**
	 * @param {Decidable} state
	 * @param {Player} own the player whose board comes first
	 * @param {object} [how]
	 * @param {boolean} [how.opens] whether the panel with the most choices is opened if it is not shown
	 * @param {Place[]} [how.made] the places of the turn, to mark instead of the last move alone
	 */
	show(state, own, { opens = true, made = [] } = {}) {
		const focused = this.element.contains(document.activeElement);
		this.state = state;
		this.made = made;
		this.legal = state.legal;
		if (this.hasMissed) document.getElementById("notice").replaceChildren();
		this.hasMissed = false;
		this.armed = null; // the place whose preview a tap has opened
		this.led = [];
		this.previews = null;
		this.sheet.hidden = true;
		this.sheet.replaceChildren();
		// Saves a layout by measuring before the drawing changes. A wide page keeps the result.
		this.measured = (!this.isNarrow() && this.measured) || this.measure();
		this.redraw(state);
		this.panels = this.groups.map((group) => ({
			group,
			label: group.getAttribute("aria-label"),
			name: group.dataset.panel,
			height: Number(group.dataset.height),
			chosen: group.querySelector("[data-action], [data-choices]") !== null,
			extra: EXTRAS.includes(group.dataset.panel),
			shown: false,
			tab: null,
		}));
		const boards = (panel) => panel.name.startsWith(BOARD);
		const rank = (panel) => (panel.name === BOARD + own ? 0 : panel.extra ? 3 : boards(panel) ? 2 : 1);
		const seats = this.panels.filter(boards).length;
		const seat = (panel) => (Number(panel.name.slice(BOARD.length)) - own + seats) % seats;
		this.panels.find((panel) => panel.name === STATUS)?.group.setAttribute("hidden", "");
		this.panels = this.panels
			.filter((panel) => panel.name !== STATUS)
			.sort((one, other) => rank(one) - rank(other) || (boards(one) ? seat(one) - seat(other) : 0));
		this.arrange(this.measured);
		const others = state.player === own ? null : BOARD + state.player;
		this.markMade();
		this.raiseChosen(this.open, others, opens ? this.busiest() : null);
		if (focused) this.element.focus({ preventScroll: true });
	}

	/**
	 * Draws a state. Unchanged parts stay in the page, because styling and placing them again would take
	 * up most of the time of a step.
	 * @param {Drawing} state
	 */
	redraw(state) {
		const fresh = draw(state);
		const groups = [.../** @type {NodeListOf<SVGGElement>} */ (fresh.querySelectorAll("[data-panel]"))];
		const isNew = fresh.className.baseVal !== this.drawing?.className.baseVal;
		if (isNew || groups.length !== this.groups.length) {
			fresh.querySelector(":scope > rect")?.remove(); // the background, of the old size
			this.table.replaceChildren(fresh);
			this.drawing = state.svg ? fresh : null;
			this.groups = groups;
			return;
		}
		this.drawing.querySelector("title").replaceWith(fresh.querySelector("title"));
		for (const symbol of fresh.querySelectorAll("defs > g"))
			if (!this.drawing.querySelector(`#${symbol.id}`)) this.drawing.querySelector("defs").append(symbol);
		for (const mark of this.drawing.querySelectorAll(".mark")) mark.remove();
		this.groups.forEach((group, i) => {
			for (const name of ["hidden", "transform"]) {
				groups[i].removeAttribute(name); // `arrange` sets it
				if (group.hasAttribute(name)) groups[i].setAttribute(name, group.getAttribute(name));
			}
			update(group, groups[i]);
			if (group.parentNode !== this.drawing) this.drawing.append(group); // it was in the raised panel
		});
	}

	// Places the panels in columns; tabs open the panels for which there is no room.
	arrange({ width, height, size } = this.measure()) {
		if (!this.panels?.length) {
			this.tabs.replaceChildren();
			return;
		}
		const best = this.plan(width, height);
		for (const panel of this.panels) {
			panel.shown = best.placed.has(panel.name);
			panel.group.toggleAttribute("hidden", !panel.shown);
		}
		const [own] = this.panels;
		const [first] = best.scales;
		const room = ((WIDE * best.span - GAP) * first) / best.size; // the user's board is in its middle
		const side = (room - (WIDE - GAP)) / 2;
		const edge = (GAP / 2) * first + side * best.size;
		set(own.group, "transform", `translate(${edge} ${GAP / 2})scale(${best.size})`);
		set(own.group.firstElementChild, "x", 0.5 - side);
		set(own.group.firstElementChild, "width", room - 1);
		let left = 0;
		best.columns.forEach((column, i) => {
			const scale = best.scales[i];
			let top = i < best.span ? (own.height * best.size) / scale + GAP : 0;
			// all columns end at the same height
			const spare = ((best.height - GAP) / scale - best.tall[i]) / column.length;
			for (const panel of column.map((name) => this.panels.find((one) => one.name === name))) {
				const at = `translate(${left + (GAP / 2) * scale} ${GAP / 2 + top * scale})`;
				set(panel.group, "transform", scale === 1 ? at : `${at}scale(${scale})`);
				set(panel.group.firstElementChild, "height", panel.height - 1 + spare);
				top += panel.height + spare + GAP;
			}
			left += WIDE * scale;
		});
		set(this.drawing, "viewBox", `0 0 ${left} ${best.height}`);
		this.drawing.style.width = `${left * this.zoom}px`;
		const unseen = this.panels.filter((panel) => !panel.shown);
		for (const panel of unseen) panel.tab = this.tab(panel);
		this.tabs.replaceChildren(...unseen.map((panel) => panel.tab));
		this.element.dataset.arranged = `${window.innerWidth} ${window.innerHeight}`;
		this.size = size;
	}

	// Returns the room in pixels, and a text that changes when the room does.
	measure() {
		const { clientWidth: width } = this.element;
		return { width, height: this.room(), size: `${width} ${this.window.offsetHeight}` };
	}

	// Returns the columns of the panels, computed again only if a size has changed.
	plan(width, height) {
		const key = JSON.stringify([width, height, this.panels.map(({ name, height }) => [name, height])]);
		if (key === this.planned?.key) return this.planned.plan;
		let plan = fit(this.panels, width, height);
		const hidden = this.panels.length - plan.placed.size;
		const rows = Math.ceil(hidden / Math.max(1, Math.floor(width / TAB.width)));
		if (hidden) plan = fit(this.panels, width, height - rows * TAB.height);
		this.planned = { key, plan };
		return plan;
	}

	// Returns the height from the board's top to the window's bottom when the page is not scrolled. On a
	// narrow page, choices may cover the bottom.
	room() {
		const choices = window.innerWidth < PHONE ? BAR.phone : BAR.narrow;
		const bar = this.isNarrow() ? (this.covered ?? choices) : 8;
		return this.window.offsetHeight - this.above() - bar;
	}

	isNarrow() {
		return window.innerWidth < NARROW;
	}

	above() {
		return this.element.parentElement.getBoundingClientRect().top + window.scrollY;
	}

	tab(panel) {
		const { label, name } = panel;
		const text = name.startsWith(BOARD) ? this.state.names[name.slice(BOARD.length)] : capitalized(label);
		const tab = button(text, () => this.raise(panel.name === this.open ? null : panel), {
			class: panel.chosen ? "tab legal" : "tab",
			"aria-expanded": panel.name === this.open,
		});
		if (panel.chosen) tab.append(make("span", { class: "sr" }, ` (${tr("places to choose")})`));
		return tab;
	}

	// Returns the name of the panel with the most moves.
	busiest() {
		const count = ({ group }) =>
			[.../** @type {NodeListOf<SVGElement>} */ (group.querySelectorAll("[data-action], [data-choices]"))]
				.map(({ dataset }) => (dataset.action ? 1 : Number(dataset.choices)))
				.reduce((sum, one) => sum + one, 0);
		const ranked = this.panels.toSorted(
			(one, other) => count(other) - count(one) || Number(other.shown) - Number(one.shown),
		);
		return ranked[0]?.name;
	}

	// Raises the first of the named panels that has places to choose and is not on the board.
	raiseChosen(...names) {
		for (const name of names) {
			const panel = this.panels.find((one) => one.name === name);
			if (panel?.chosen && !panel.shown) return this.raise(panel);
		}
		this.open = null;
	}

	// Shows a panel above the board; null closes it. The panel may cover the tabs, so tabs with places to
	// choose are repeated below the panel.
	raise(panel) {
		const before = this.panels.find((one) => one.name === this.open);
		if (before && !this.sheet.hidden) {
			before.group.setAttribute("hidden", "");
			this.drawing.append(before.group);
			before.tab?.setAttribute("aria-expanded", "false");
		}
		this.open = panel?.name ?? null;
		this.sheet.hidden = !panel;
		if (!panel) {
			before?.tab?.focus({ preventScroll: true });
			return;
		}
		const svg = makeSvg("svg");
		for (const name of ["class", "font-family", "font-size", "fill", "role"])
			svg.setAttribute(name, this.drawing.getAttribute(name));
		svg.setAttribute("viewBox", `0 0 ${WIDE} ${panel.height + GAP}`);
		svg.append(panel.group);
		panel.group.removeAttribute("hidden");
		panel.group.setAttribute("transform", `translate(${GAP / 2} ${GAP / 2})`);
		set(panel.group.firstElementChild, "height", panel.height - 1);
		panel.tab?.setAttribute("aria-expanded", "true");
		const close = closeButton(() => this.raise(null));
		this.sheet.setAttribute("aria-label", panel.label);
		const others = this.panels.filter((one) => one.chosen && !one.shown && one !== panel);
		this.sheet.replaceChildren(
			svg,
			make(
				"div",
				{ class: "tabs" },
				close,
				others.map((one) => this.tab(one)),
			),
		);
		const widest = (WIDE * (this.room() - CLOSE)) / panel.height;
		this.sheet.style.width = `${Math.min(this.element.clientWidth, widest)}px`;
		// On a narrow page, the board scrolls away, but the parts above it do not.
		const scrolled = this.above() - this.element.getBoundingClientRect().top;
		this.sheet.style.top = `${this.isNarrow() ? Math.max(0, scrolled) : 0}px`;
		close.focus({ preventScroll: true });
		this.markMade();
	}

	// Brings a place into view. A raised panel without the place is closed, because it may cover the place.
	/** @param {Place | null} place */
	bring(place) {
		const find = ({ group }) => group.querySelector(selectorOf(place ?? ""));
		const panels = this.panels.filter(find);
		const panel = panels.find(({ shown }) => shown) ?? panels[0];
		if (!panel) return;
		this.raise(panel.shown ? null : panel);
		find(panel).scrollIntoView({ block: "nearest" });
	}

	// Shows the board of a player, even if there is no room for it in the columns.
	raiseBoard(player) {
		const panel = this.panels.find((one) => one.name === BOARD + player);
		if (panel?.shown) panel.group.scrollIntoView({ block: "nearest" });
		else if (panel) this.raise(panel);
	}

	// Returns the player whose board is raised, or null.
	raisedBoard() {
		return this.open?.startsWith(BOARD) ? Number(this.open.slice(BOARD.length)) : null;
	}

	// Shows the next player's board after a swipe to the left, and the previous player's after a swipe to
	// the right. An enlarged board moves under the finger instead.
	/** @param {TouchEvent} event */
	swipe({ touches, changedTouches }) {
		const to = changedTouches[0];
		const boards = this.panels.filter((panel) => panel.name.startsWith(BOARD));
		const [from, second] = this.touched ?? [];
		this.touched = null;
		if (!from || second || touches.length || this.zoom > 1 || boards.every((panel) => panel.shown)) return;
		const across = to.clientX - from.clientX;
		if (Math.abs(across) < SWIPE || Math.abs(across) < 2 * Math.abs(to.clientY - from.clientY)) return;
		const at = Math.max(
			0,
			boards.findIndex((panel) => panel.name === this.open),
		);
		const next = boards.at((at - Math.sign(across)) % boards.length);
		this.raise(next.shown ? null : next);
	}

	async press(target) {
		if (!target.closest?.(".board svg")) return;
		const element = target.closest("[data-place]");
		const place = element?.getAttribute("data-place");
		const actions = this.legal.filter((entry) => place && entry[1] === place).map((entry) => entry[0]);
		if (!actions.length) {
			this.hasMissed = true;
			const reason = this.reason(element);
			if (this.pointer !== "touch" || !(await this.explained?.(target, reason))) this.missed(reason);
		} else if (this.asksFirst(actions, place)) {
			if (await this.previewed(element)) this.armed = place;
		} else this.chosen(actions, element.getAttribute("aria-label"));
	}

	// Returns whether only a second tap makes a choice, because the first tap shows the result.
	asksFirst(actions, place) {
		return (
			this.pointer === "touch" &&
			this.previewed &&
			this.armed !== place &&
			actions.length === 1 && // among several, the user chooses in a list
			this.commits(actions[0])
		);
	}

	async preview(element) {
		const place = element.closest("[data-action], [data-choices]")?.dataset.place;
		const actions = this.legal.filter((entry) => place && entry[1] === place);
		return actions.length === 1 ? this.previewOf(actions[0][0]) : null; // with several, nothing is certain
	}

	// Returns the preview of an action, or null. `loadPreviews` asks the server once per decision.
	async previewOf(action) {
		if (!this.loadPreviews) return null;
		this.previews ??= this.loadPreviews();
		return (await this.previews)[action] ?? null;
	}

	// Returns why a click does nothing.
	reason(element) {
		const { player, names, legal } = this.state;
		if (player === null) return tr("The game is over.");
		if (!legal.length)
			return names[player] === tr("You")
				? tr("Nothing can be chosen on the board now.")
				: tr("Now deciding: {name}.", { name: names[player] });
		const name = element?.getAttribute("aria-label").split(". ")[0]; // what follows are explanations
		if (element?.querySelector('[data-part="next"]'))
			return tr("{name}: what you choose goes here. Choose it first, at the top of the board.", { name });
		if (!name) return tr("Choose one of the outlined places or a button.");
		const panel = this.panels.find((one) => one.group.contains(element)).name;
		const owner = panel.startsWith(BOARD) && panel.slice(BOARD.length);
		if (owner && Number(owner) !== player) return tr("{name}: this belongs to another player.", { name });
		const kind = element.dataset.place.split(" ")[0];
		if (legal.some(([, place]) => place?.split(" ")[0] === kind))
			return tr("{name}: the rules do not allow this one now.", { name });
		return tr("{name}: this cannot be chosen now.", { name });
	}

	// Marks the places of the best moves; `places` has one per move, or null.
	suggest(places) {
		this.mark(places.slice(0, MAX_MARKED), "best");
	}

	// Marks the visible places where a turn was made.
	markMade() {
		if (this.made.length) this.mark(this.made, "last");
	}

	// Points at the places to click next, now and whenever the page stops pointing at others.
	lead(places) {
		this.led = places;
		this.point(places);
	}

	// Points at the places of a turn, and numbers its steps.
	point(places) {
		this.mark(places, "step");
	}

	// Returns handlers that make an element point at places while it has the focus or the pointer.
	pointing(places) {
		const on = () => this.point(places);
		const off = () => this.point(this.led);
		return { onfocus: on, onmouseenter: on, onblur: off, onmouseleave: off };
	}

	// Arranges the panels again when the window's size changes, or when a scroll bar appears.
	watch() {
		// Because the size is stored, the first callback finds no change, so a panel raised by then stays.
		this.size ??= this.measure().size;
		this.watching = new ResizeObserver(() => {
			const { size } = this.measure();
			if (size === this.size) return;
			this.size = size;
			this.measured = null;
			clearTimeout(this.timer);
			this.timer = setTimeout(() => {
				const open = this.open;
				if (open) this.raise(null);
				this.arrange();
				if (open) this.raiseChosen(open);
			}, 100);
		});
		for (const element of [this.element, this.window]) this.watching.observe(element);
	}

	/**
	 * @param {(Place | null)[]} places
	 * @param {"best" | "step" | "last"} kind suggestions, places to click, or what has changed
	 */
	mark(places, kind) {
		for (const mark of this.element.querySelectorAll(`.mark.${kind}`)) mark.remove();
		const taken = new Map();
		places.forEach((place, i) => {
			// a place can be in two panels, such as a player's VP
			const pieces = this.element.querySelectorAll(`svg ${selectorOf(place ?? "")}`);
			const target = [...pieces].find((piece) => !piece.closest("[hidden]"));
			if (!target) return;
			// Marks the first part of a place, because the other parts may be in several rows.
			const shape = kind === "last" ? target : (target.firstElementChild ?? target);
			const first = /** @type {SVGGraphicsElement} */ (shape);
			const box = first.getBBox();
			const shift = taken.get(place) ?? 0;
			const add = (part, tag, attributes, text) => {
				const common = { class: `mark ${kind} ${part}`, "aria-hidden": "true" };
				target.parentNode.append(makeSvg(tag, { ...common, ...attributes }, text));
			};
			const { x: left, y: top, width, height } = box;
			// A suggestion has no frame, because every place that can be chosen has an outline.
			if (!shift && kind === "step" && width)
				add("frame", "rect", { x: left + 1, y: top + 1, width: width - 2, height: height - 2, rx: 5 });
			if (kind === "last") add("corners", "path", { d: corners(left - 2, top - 2, width + 4, height + 4) });
			else if (kind === "best" || places.length > 1) {
				// Badges are at the lower corners, since names and values are above.
				const across = kind === "best" ? left + width - 4 - 20 * shift : left + 4 + 20 * shift;
				const down = top + height - 3;
				add("badge", "circle", { cx: across, cy: down, r: 10 });
				add("rank", "text", { x: across, y: down + 5 }, i + 1);
			}
			taken.set(place, shift + 1);
		});
	}
}

/** Returns the selector of a place, or of a part of one that cannot be clicked. @param {Place} place */
export const selectorOf = (place) =>
	`:is([data-place="${CSS.escape(place)}"], [data-part="${CSS.escape(place)}"])`;

// Returns a path that draws the four corners of a rectangle, the mark of the last move.
function corners(left, top, width, height) {
	const [right, bottom] = [left + width, top + height];
	const size = Math.min(9, width / 3, height / 3);
	return [
		[left, top, size, size],
		[right, top, -size, size],
		[left, bottom, size, -size],
		[right, bottom, -size, -size],
	]
		.map(([across, down, dx, dy]) => `M${across} ${down + dy}V${down}h${dx}`)
		.join("");
}

// Sets an attribute only if its value changes, because even the same value would make a browser lay out
// the element again.
const set = (element, name, value) =>
	element.getAttribute(name) === value || element.setAttribute(name, value);

// Makes an element identical to a new one; keeps all parts that agree.
function update(element, fresh) {
	for (const name of element.getAttributeNames())
		if (!fresh.hasAttribute(name)) element.removeAttribute(name);
	for (const { name, value } of fresh.attributes) set(element, name, value);
	const before = [...element.childNodes],
		after = [...fresh.childNodes];
	let end = null;
	while (before.length && after.length && before.at(-1).isEqualNode(after.at(-1))) {
		end = before.pop();
		after.pop();
	}
	after.forEach((node, i) => {
		const old = before[i];
		if (!old) element.insertBefore(node, end);
		else if (old.isEqualNode(node)) return;
		else if (old.nodeName === "g" && node.nodeName === "g") update(old, node);
		else old.replaceWith(node);
	});
	for (const node of before.slice(after.length)) node.remove();
}

// Returns the plan of columns that shows the most panels or, of several such plans, the best. On a phone,
// panels are as wide as the window. With three or more columns, the user's own board may be as wide as two.
function fit(panels, width, height) {
	let best = null;
	for (let count = 1; count <= COLUMNS; count++) {
		if (count > 1 && width / (WIDE * count) < MIN_SCALE) break;
		for (const size of count < 3 ? [1] : OWN_SIZES) {
			const evaluate = (columns) => measure(panels, columns, size, width, height);
			// the user's own board stays in the first column
			const apart = ({ name }, i) => (name.startsWith(BOARD) ? 1 + (i % (count - 1)) : i % count);
			for (const place of [apart, (panel, i) => apart(panel, i + 1), () => -1]) {
				const start = panels.map((panel, i) => (i && count > 1 ? place(panel, i) : 0));
				const plan = improve(start, count, evaluate);
				if (isBetter(plan, best)) best = plan;
			}
		}
	}
	if (best.value >= 0) return best;
	return measure(panels.slice(0, 1), [0], 1, width, Infinity); // a low window: only the user's board
}

const isBetter = (one, other) =>
	!other || one.value > other.value || (one.value === other.value && one.area > other.area);

// Moves and exchanges panels between columns as long as that improves the plan. Column -1 stands for
// the tabs.
function improve(columns, count, evaluate) {
	let best = evaluate(columns);
	const attempt = (changed) => {
		const before = [...columns];
		Object.assign(columns, changed);
		const plan = evaluate(columns);
		if (isBetter(plan, best)) best = plan;
		else Object.assign(columns, before);
		return best === plan;
	};
	const others = [...columns.keys()].slice(1);
	const step = () =>
		others.some((i) =>
			[...Array(count + 1).keys()].some((at) => at - 1 !== columns[i] && attempt({ [i]: at - 1 })),
		) ||
		others.some((one) =>
			others.some(
				(other) =>
					other < one &&
					columns[one] !== columns[other] &&
					attempt({ [one]: columns[other], [other]: columns[one] }),
			),
		);
	while (step());
	return best;
}

// Returns the better of two plans with the same panels in each column: in one, all columns end at the same
// height; in the other, they are equally wide.
function measure(panels, columns, size, width, height) {
	const [own] = panels;
	const span = size > 1 ? 2 : 1;
	const boards = [...panels.keys()].slice(1).filter((i) => panels[i].name.startsWith(BOARD));
	// boards are equally high, so they can be in the order of seats
	const seated = boards
		.map((i) => columns[i])
		.sort((one, other) => Number(one < 0) - Number(other < 0) || one - other);
	boards.forEach((i) => (columns[i] = seated.shift()));
	const count = Math.max(span - 1, ...columns) + 1;
	const tall = Array(count).fill(-GAP);
	tall.fill(own.height * size, 0, span);
	columns.forEach((at, i) => {
		if (i && at >= 0) tall[at] += panels[i].height + GAP;
	});
	const most = Math.max(...tall.slice(0, span));
	const even = tall.map((end, i) => (i < span ? most : end)); // those of the user's board are equally wide
	const room = height - GAP;
	const bottom = Math.min(room, width / (WIDE * even.reduce((sum, end) => sum + 1 / end, 0)));
	const scale = Math.min(width / (WIDE * count), MAX_SCALE, room / Math.max(...tall));
	const least = width < PHONE ? width / WIDE : MIN_SCALE;
	const shown = columns.flatMap((at, i) => (i && at >= 0 ? [i] : []));
	const weigh = (extra) => shown.filter((i) => panels[i].extra === extra).length;
	let best = null;
	for (const scales of [even.map((end) => bottom / end), tall.map(() => scale)]) {
		const large = size * scales[0];
		const smallest = Math.min(...scales);
		const rivals = boards.map((i) => (columns[i] < 0 ? 0 : scales[columns[i]]));
		const lead = (large / Math.max(...rivals) - 1) / (LARGER - 1);
		const fits =
			smallest >= least &&
			large <= MAX_SCALE &&
			large <= MAX_LARGER[span - 1] * smallest &&
			Math.max(...scales) <= large;
		const ends = tall.map((end, i) => end * scales[i]);
		const isFilled =
			WIDE * scales.reduce((sum, one) => sum + one, 0) > FILLED * width && Math.min(...ends) > SPARE * room;
		const area = shown.reduce((sum, i) => sum + panels[i].height * scales[columns[i]] ** 2, 0);
		const plan = {
			columns: tall.map((_, at) => shown.filter((i) => columns[i] === at).map((i) => panels[i].name)),
			placed: new Set([own, ...shown.map((i) => panels[i])].map(({ name }) => name)),
			tall,
			span,
			scales,
			size: large,
			height: Math.max(...ends) + GAP,
			// large panels do not make up for small text elsewhere
			area: (area + OWN_WEIGHT * own.height * large ** 2) * Math.sqrt(smallest),
			// a plan that fits is better than any that does not; of those that do not, the one with the
			// largest minimum scale is best
			value: fits
				? weigh(false) + weigh(true) / 10 + Math.max(0, Math.min(lead, 1)) / 2 + (isFilled ? 0.25 : 0)
				: smallest - 9,
		};
		if (isBetter(plan, best)) best = plan;
	}
	return best;
}
