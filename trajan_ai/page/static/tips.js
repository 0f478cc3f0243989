// Tips about the pieces and places of the board, shown for a resting pointer, the focus, a tap or a long
// press.

import { make, loadSprite } from "./dom.js";
import { tr } from "./language.js";

const REST = 600; // milliseconds
const GAP = 8; // pixels
const FAR = 5; // square pixels that a tip may cover to be half a pixel nearer
const PIECES = "[data-tip], [data-place]";
const HEADING = "[data-panel] > text:first-of-type"; // of a panel
const PLACES = "[data-action], [data-choices], [data-place^='tray ']";
const INSTRUCTION = ".who, .task, .choices";

const targetOf = (event) => /** @type {Element} */ (event.target);

/**
 * Returns the tips about a piece: what lies there, and its kind of place. `piece` has the key
 * of its tip, a place such as "tile 0 extra-forum" or, for the heading of a panel, the panel.
 * @param {Record<string, string>} tips
 * @param {{ tip?: string, place?: string, panel?: string }} piece
 */
export function findTips(tips, { tip, place, panel = "" }) {
	if (tip) return [tips[tip]].filter(Boolean);
	if (!place) return [tips[panel] ?? tips[panel.split(" ")[0]]].filter(Boolean);
	const [kind, ...rest] = place.split(" ");
	const name = rest.at(-1) ?? "";
	const thing = [place, `${kind} ${name}`, name, name.replace(/\d+$/, ""), name.split("-")[0]].find(
		(key) => key in tips,
	);
	return [...new Set([tips[thing], tips[kind]].filter(Boolean))];
}

export class Tips {
	/** @param {import("./board.js").Board} board */
	constructor(board) {
		this.board = board;
		this.box = make("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
		const { element } = board;
		const point = (event) => `${Math.floor(event.clientX)} ${Math.floor(event.clientY)}`;
		element.addEventListener("click", (event) => (this.clicked = point(event)));
		element.addEventListener("pointerover", (event) => {
			if (this.clicked === point(event)) return; // the board has changed below a resting pointer
			if (this.piece && this.piece === targetOf(event).closest(PIECES) && !this.box.hidden) return;
			clearTimeout(this.timer);
			this.hide();
			if (event.pointerType !== "mouse") return;
			this.timer = setTimeout(() => this.show(targetOf(event)), REST);
			this.show(targetOf(event), { preview: true });
		});
		element.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
		element.addEventListener(
			"focusin",
			(event) => targetOf(event).matches(":focus-visible") && this.show(targetOf(event)),
		);
		element.addEventListener("focusout", () => this.hide());
		element.addEventListener("contextmenu", (event) => {
			if (event.pointerType !== "touch" || !this.find(this.pieceAt(targetOf(event))).length) return;
			event.preventDefault();
			this.show(targetOf(event));
		});
		element.addEventListener("keydown", (event) => this.walk(event));
		document.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			this.visited = null;
			this.hide();
		});
		document.addEventListener("pointerdown", (event) => element.contains(targetOf(event)) || this.hide());
		this.again = tr("Tap again to choose this.");
		board.previewed = (target) => this.show(target, { hint: this.again });
		board.explained = (target, hint) => this.show(target, { hint });
	}

	// Returns all visible pieces with a tip.
	pieces() {
		const all = [.../** @type {NodeListOf<SVGElement>} */ (this.board.element.querySelectorAll(PIECES))];
		return all.filter((one) => one.checkVisibility() && this.find(one).length);
	}

	// Moves the focus to a piece, whose tip appears there. The Tab key skips pieces that cannot be
	// chosen, since there are more than a hundred.
	visit(piece) {
		if (!piece) return;
		if (!piece.hasAttribute("tabindex")) piece.setAttribute("tabindex", "-1");
		piece.focus({ focusVisible: true });
		this.visited = piece;
		this.show(piece);
	}

	// On the visited piece, an arrow key leads to the nearest piece in its direction. Elsewhere, it leads to
	// another decision.
	walk(event) {
		const from = targetOf(event).closest(PIECES);
		const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
			event.key
		];
		if (!from || from !== this.visited || !direction || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		event.stopPropagation();
		const middle = (one) => {
			const { x, y, width, height } = one.getBoundingClientRect();
			return [x + width / 2, y + height / 2];
		};
		const start = middle(from);
		// Pieces to the side count as farther away.
		const far = (one) => {
			const [dx, dy] = middle(one).map((value, i) => value - start[i]);
			const ahead = dx * direction[0] + dy * direction[1];
			return ahead > 1 ? ahead + 3 * Math.abs(dx * direction[1] + dy * direction[0]) : Infinity;
		};
		const next = this.pieces()
			.map((one) => ({ one, distance: far(one) }))
			.reduce((best, other) => (other.distance < best.distance ? other : best), {
				one: null,
				distance: Infinity,
			});
		this.visit(next.one);
	}

	async load(game) {
		this.tips = await loadSprite(game);
	}

	// Returns the piece at a target, or the panel whose heading it is.
	pieceAt(target) {
		return target.closest?.(PIECES) ?? target.closest?.(HEADING)?.closest("[data-panel]");
	}

	find(piece) {
		return piece && this.tips ? findTips(this.tips, piece.dataset) : [];
	}

	// Shows a tip: the label of a piece, what would happen there, what it is, and what its place is for.
	// With `preview`, the tip contains only what would happen. `hint` is the last line. Returns whether the
	// tip is shown.
	async show(target, { preview: alone = false, hint = "" } = {}) {
		const piece = this.pieceAt(target);
		this.pointed = piece;
		if (!piece || !this.tips) return false;
		const preview = await this.board.preview(piece);
		if (this.pointed !== piece || !piece.isConnected || (alone && !preview)) return false;
		const texts = [...new Set([...(preview?.lines ?? []), ...(alone ? [] : this.find(piece))])];
		const isKnown = texts.length > 0 || hint === this.again;
		if (isKnown) this.open(piece, piece.getAttribute("aria-label"), [...texts, hint], preview);
		else this.hide();
		return isKnown;
	}

	// Records what kind of device presses the buttons in an element; see `isFirstTap`.
	watch(element) {
		element.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType));
		element.addEventListener("keydown", () => (this.pointer = "keyboard"));
	}

	// Returns whether this is the first tap on the button of an action in this decision, which only shows
	// the action's effects, beside the button or with `show`. A search may replace the button meanwhile.
	async isFirstTap(choice, action = choice.dataset.choice, show = null) {
		const { className: kind } = choice;
		const { armed } = this;
		const { state } = this.board;
		const isArmed = armed?.action === action && armed.kind === kind && armed.state === state;
		if (this.pointer !== "touch" || isArmed) return false;
		this.armed = { action, kind, state };
		const preview = await this.board.previewOf(action);
		const lines = [...(preview?.lines ?? []), this.again];
		if (this.board.state !== state) return true;
		if (show) show(lines, preview?.places ?? []);
		else if (choice.isConnected) this.open(choice, choice.innerText, lines, preview);
		return true;
	}

	open(piece, title, texts, preview) {
		this.hide();
		this.box.replaceChildren(
			make("strong", {}, title),
			...texts.filter(Boolean).map((text) => make("p", {}, text)),
		);
		this.box.hidden = false;
		if (preview) this.board.point(preview.places);
		this.put(piece);
		this.piece = piece;
		this.previewed = preview !== null;
		piece.setAttribute("aria-describedby", "tip");
	}

	// Puts the box beside its piece or its panel, where it covers the least of what matters: above all the
	// piece, then what the user can choose or should read, then other pieces.
	put(piece) {
		const { offsetWidth: width, offsetHeight: height } = this.box;
		const panel = piece.closest("[data-panel]") ?? piece;
		const at = piece.getBoundingClientRect();
		const matter = [
			[1000, [piece]],
			[20, this.board.element.querySelectorAll(PLACES)],
			[20, document.querySelectorAll(INSTRUCTION)],
			[1, panel.querySelectorAll(PIECES)],
		].flatMap(([weight, all]) => [...all].map((one) => [weight, one.getBoundingClientRect()]));
		const within = (value, size, room) => Math.max(4, Math.min(value, room - size - 4));
		const sides = [at, panel.getBoundingClientRect()]
			.flatMap(({ left, top, right, bottom }) => [
				[at.left, bottom + GAP],
				[at.left, top - height - GAP],
				[right + GAP, at.top],
				[left - width - GAP, at.top],
			])
			.map(([left, top]) => ({
				left: within(left, width, innerWidth),
				top: within(top, height, innerHeight),
			}));
		const cost = ({ left, top }) =>
			matter.reduce(
				(sum, [weight, one]) =>
					sum +
					weight *
						Math.max(0, Math.min(left + width, one.right) - Math.max(left, one.left)) *
						Math.max(0, Math.min(top + height, one.bottom) - Math.max(top, one.top)),
				FAR *
					(Math.abs(2 * left + width - at.left - at.right) + Math.abs(2 * top + height - at.top - at.bottom)),
			);
		const { left, top } = sides.reduce((one, other) => (cost(other) < cost(one) ? other : one));
		this.box.style.left = `${left}px`;
		this.box.style.top = `${top}px`;
	}

	hide() {
		clearTimeout(this.timer);
		if (this.piece && this.previewed) this.board.point(this.board.led);
		this.pointed = null;
		this.box.hidden = true;
		this.piece?.removeAttribute("aria-describedby");
		this.piece = null;
	}
}
