// The board: the server's drawing, its panels arranged to fit the window, places to click, and
// marks of suggested moves. The arrangement depends on the window, the game, the number of players
// and the own seat, never on the state of the game.

import { button, draw, make, makeSvg, notice } from "./dom.js";
import { tr } from "./language.js";

const MAX_MARKED = 3; // suggestions
const WIDE = 400; // units of a column
const GAP = 10;
const COLUMNS = 4;
const PHONE = 600; // pixels
const MIN_SCALE = 0.79; // below it text is too small, and panels are left to the tabs
const MAX_SCALE = 2;
const SCALE_STEP = 0.02;
const OWN_SIZES = [1, 1.25, 1.5, 1.75, 2]; // of the own board, beside others
const TAB = { width: 120, height: 42 }; // pixels, at most
const SWIPE = 60; // pixels, at least
const CLOSE = 52; // pixels below a raised panel to close it
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
	 * Is called when a finger has opened the preview of a place.
	 * @type {(element: Element) => void}
	 */
	previewed = null;
	/**
	 * Is called when a finger has touched what cannot be chosen now; returns whether there is a tip.
	 * @type {(element: Element, reason: string) => Promise<boolean>}
	 */
	explained = null;

	/**
	 * @param {(actions: Action[], name: string) => void} chosen is called with the legal actions of a
	 * place that was clicked
	 * @param {(reason: string) => void} missed is called after a click that does nothing
	 */
	constructor(chosen, missed = notice) {
		this.chosen = chosen;
		this.missed = missed;
		this.legal = [];
		this.zoom = 1;
		this.open = null; // the name of the panel in the sheet
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
	 * @param {{ opens?: boolean }} [how] whether the panel with most choices is opened if it is not shown
	 */
	show(state, own, { opens = true } = {}) {
		const focused = this.element.contains(document.activeElement);
		this.state = state;
		this.legal = state.legal;
		if (this.hasMissed) document.getElementById("notice").replaceChildren();
		this.hasMissed = false;
		this.armed = null; // the place whose preview a finger has opened
		this.previews = null;
		this.sheet.hidden = true;
		this.sheet.replaceChildren();
		// measured now, because after the drawing it would cost a layout
		const size = [this.element.clientWidth, this.room()];
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
		this.arrange(...size);
		const others = state.player === own ? null : BOARD + state.player;
		this.raiseChosen(this.open, others, opens ? this.busiest() : null);
		if (focused) this.element.focus({ preventScroll: true });
	}

	/**
	 * Draws a state. What has not changed stays in the page, since a browser needs most of a step for
	 * styling and placing it.
	 * @param {Drawing} state
	 */
	redraw(state) {
		const fresh = draw(state);
		const groups = [.../** @type {NodeListOf<SVGGElement>} */ (fresh.querySelectorAll("[data-panel]"))];
		const isNew = fresh.className.baseVal !== this.drawing?.className.baseVal;
		if (isNew || groups.length !== this.groups.length) {
			fresh.querySelector(":scope > rect")?.remove(); // the sheet, as large as it was
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

	// Places the panels in columns; tabs open those for which there is no room.
	arrange(width = this.element.clientWidth, height = this.room()) {
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
		const room = (WIDE * best.span - GAP) / best.size; // the own board is in the middle of it
		const side = (room - (WIDE - GAP)) / 2;
		set(own.group, "transform", `translate(${GAP / 2 + side * best.size} ${GAP / 2})scale(${best.size})`);
		set(own.group.firstElementChild, "x", 0.5 - side);
		set(own.group.firstElementChild, "width", room - 1);
		best.columns.forEach((column, i) => {
			let top = GAP / 2 + (i < best.span ? own.height * best.size + GAP : 0);
			const spare = (best.height - best.tall[i]) / column.length; // every column ends at one line
			for (const panel of column.map((name) => this.panels.find((one) => one.name === name))) {
				set(panel.group, "transform", `translate(${i * WIDE + GAP / 2} ${top})`);
				set(panel.group.firstElementChild, "height", panel.height - 1 + spare);
				top += panel.height + spare + GAP;
			}
		});
		const units = WIDE * best.columns.length;
		set(this.drawing, "viewBox", `0 0 ${units} ${best.height}`);
		this.drawing.style.width = `${units * best.scale * this.zoom}px`;
		const unseen = this.panels.filter((panel) => !panel.shown);
		for (const panel of unseen) panel.tab = this.tab(panel);
		this.tabs.replaceChildren(...unseen.map((panel) => panel.tab));
		this.element.dataset.arranged = `${window.innerWidth} ${window.innerHeight}`;
	}

	// Returns the columns of the panels, the same until a size changes.
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

	// The height from the top of the board to the end of the window, when the page is not scrolled.
	// On a narrow page choices may cover the end.
	room() {
		const bar = !this.isNarrow() ? 8 : window.innerWidth < PHONE ? BAR.phone : BAR.narrow;
		return this.window.offsetHeight - this.above() - bar;
	}

	isNarrow() {
		return getComputedStyle(this.element).position === "relative";
	}

	above() {
		return this.element.parentElement.getBoundingClientRect().top + window.scrollY;
	}

	tab(panel) {
		const { label, name } = panel;
		const text = name.startsWith(BOARD)
			? this.state.names[name.slice(BOARD.length)]
			: label[0].toUpperCase() + label.slice(1);
		const tab = button(text, () => this.raise(panel.name === this.open ? null : panel), {
			class: panel.chosen ? "tab legal" : "tab",
			"aria-expanded": panel.name === this.open,
		});
		if (panel.chosen) tab.append(make("span", { class: "sr" }, ` (${tr("places to choose")})`));
		return tab;
	}

	// The name of the panel in which most moves can be chosen.
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

	// Shows a panel above the board, or nothing. It may cover the tabs, so those with places to
	// choose are below it, too.
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
		const close = button("✕", () => this.raise(null), { class: "close", "aria-label": tr("Close") });
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
		// On a narrow page the board scrolls away, and what is above it does not.
		const scrolled = this.above() - this.element.getBoundingClientRect().top;
		this.sheet.style.top = `${this.isNarrow() ? Math.max(0, scrolled) : 0}px`;
		close.focus({ preventScroll: true });
	}

	// Shows the board of a player, also where there is no room for it.
	raiseBoard(player) {
		const panel = this.panels.find((one) => one.name === BOARD + player);
		if (panel?.shown) panel.group.scrollIntoView({ block: "nearest" });
		else if (panel) this.raise(panel);
	}

	// The player whose board is raised, or null.
	raisedBoard() {
		return this.open?.startsWith(BOARD) ? Number(this.open.slice(BOARD.length)) : null;
	}

	// After a swipe to the left, shows the board of the next player, after one to the right that of the
	// player before. An enlarged board moves under the finger instead.
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
		} else if (this.pointer === "touch" && this.armed !== place && (await this.preview(element))) {
			this.armed = place;
			this.previewed?.(element);
		} else this.chosen(actions, element.getAttribute("aria-label"));
	}

	// What would happen at a place, or null.
	async preview(element) {
		const place = element.closest("[data-action], [data-choices]")?.dataset.place;
		const actions = this.legal.filter((entry) => place && entry[1] === place);
		return actions.length === 1 ? this.previewOf(actions[0][0]) : null; // with several, nothing is certain
	}

	// What an action leads to, or null. `loadPreviews` asks the server once per decision.
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
				: tr("{name} decides now.", { name: names[player] });
		const name = element?.getAttribute("aria-label");
		if (!name) return tr("Choose one of the outlined places or a button.");
		const panel = this.panels.find((one) => one.group.contains(element)).name;
		const owner = panel.startsWith(BOARD) && panel.slice(BOARD.length);
		if (owner && Number(owner) !== player) return tr("{name}: this belongs to another player.", { name });
		const kind = element.dataset.place.split(" ")[0];
		if (legal.some(([, place]) => place?.split(" ")[0] === kind))
			return tr("{name}: the rules do not allow this one now.", { name });
		return tr("{name}: this has nothing to do with the decision.", { name });
	}

	// Marks the places of the best moves; `places` has one per move, or null.
	suggest(places) {
		this.mark(places.slice(0, MAX_MARKED), "best");
	}

	// Points at the places of a turn, the steps numbered.
	point(places) {
		this.mark(places, "step");
	}

	// Returns the handlers that make an element point at places while it has focus or pointer.
	pointing(places) {
		const on = () => this.point(places);
		const off = () => this.point([]);
		return { onfocus: on, onmouseenter: on, onblur: off, onmouseleave: off };
	}

	// Arranges the panels again when the window changes its size.
	watch() {
		// The first callback is no change, so a panel that is raised by then stays.
		this.size = `${this.element.clientWidth} ${this.window.offsetHeight}`;
		this.watching = new ResizeObserver(() => {
			const size = `${this.element.clientWidth} ${this.window.offsetHeight}`;
			if (size === this.size) return;
			this.size = size;
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
	 * @param {"best" | "step"} kind
	 */
	mark(places, kind) {
		for (const mark of this.element.querySelectorAll(`.mark.${kind}`)) mark.remove();
		const taken = new Map();
		places.forEach((place, i) => {
			const target = place && this.element.querySelector(`svg [data-place="${CSS.escape(place)}"]`);
			if (!target || target.closest("[hidden]")) return;
			// The first part of a place lies in it; the others may be in several rows.
			const first = /** @type {SVGGraphicsElement} */ (target.firstElementChild ?? target);
			const box = first.getBBox();
			const shift = taken.get(place) ?? 0;
			const add = (part, tag, attributes, text) => {
				const common = { class: `mark ${kind} ${part}`, "aria-hidden": "true" };
				target.parentNode.append(makeSvg(tag, { ...common, ...attributes }, text));
			};
			const { x: left, y: top, width, height } = box;
			// what can be chosen has a frame already
			if (!shift && kind === "step")
				add("frame", "rect", { x: left - 2, y: top - 2, width: width + 4, height: height + 4, rx: 5 });
			if (kind === "best" || places.length > 1) {
				// At the lower corners, since names and values are above.
				const across = kind === "best" ? left + width - 4 - 20 * shift : left + 4 + 20 * shift;
				const down = top + height - 3;
				add("badge", "circle", { cx: across, cy: down, r: 10 });
				add("rank", "text", { x: across, y: down + 5 }, i + 1);
			}
			taken.set(place, shift + 1);
		});
	}
}

// Sets an attribute if it changes: else a browser would place everything below again.
const set = (element, name, value) =>
	element.getAttribute(name) === value || element.setAttribute(name, value);

// Makes an element like a new one, and keeps all parts that are equal.
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

const byImportance = (one, other) => one.extra - other.extra || other.height - one.height;

// Returns the columns that show the most panels, and among those the largest. On a phone panels are
// as wide as the window. Where there are three columns, the own board may be as wide as two.
function fit(panels, width, height) {
	let best = null;
	const [own, ...others] = panels;
	const orders = [panels, [own, ...others.toSorted(byImportance)]];
	for (let count = 1; count <= COLUMNS; count++) {
		const most = Math.min(width / (WIDE * count), MAX_SCALE);
		if (count > 1 && most < MIN_SCALE) break;
		for (let scale = most; scale >= Math.min(most, width < PHONE ? most : MIN_SCALE); scale -= SCALE_STEP)
			for (const size of count < 3 ? [1] : OWN_SIZES)
				for (const order of orders) {
					const plan = { ...pack(order, count, size, height / scale), scale };
					plan.area *= scale * scale;
					if (!best || plan.value > best.value || (plan.value === best.value && plan.area > best.area))
						best = plan;
				}
	}
	return best;
}

// Puts each panel into the shortest column, if there is room. The first one always has its place; if
// it is enlarged, it lies across two columns.
function pack(panels, count, size, height) {
	const columns = [...Array(count).keys()].map(() => []);
	const tall = columns.map(() => GAP / 2);
	const [own, ...others] = panels;
	const span = size > 1 ? 2 : 1;
	tall.fill(GAP / 2 + own.height * size + GAP, 0, span);
	const placed = new Set([own.name]);
	let area = own.height * size * size;
	let value = 1; // panels that are no extras
	for (const panel of others) {
		const i = tall.indexOf(Math.min(...tall));
		if (tall[i] + panel.height > height) continue;
		columns[i].push(panel.name);
		tall[i] += panel.height + GAP;
		placed.add(panel.name);
		if (!panel.extra) value++;
		area += panel.height;
	}
	const bottom = Math.max(...tall);
	if (bottom > height + GAP) value = 0;
	return { columns, placed, value, area, size, span, tall, height: bottom };
}
