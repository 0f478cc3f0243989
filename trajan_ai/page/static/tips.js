// Tips about the pieces and places of the board: under a resting pointer, at the focus, and on a
// long press. A tip never covers a place to choose, as far as there is room.

import { make, loadSprite } from "./dom.js";
import { tr } from "./language.js";

const REST = 600; // milliseconds
const GAP = 8; // pixels
const PIECES = "[data-tip], [data-place]";
const PLACES = "[data-action], [data-choices], [data-place^='tray ']";

const targetOf = (event) => /** @type {Element} */ (event.target);

export class Tips {
	/** @param {import("./board.js").Board} board */
	constructor(board) {
		this.board = board;
		this.box = make("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
		document.body.append(this.box);
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
		document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
		board.previewed = (target) => this.show(target, { hint: tr("Tap again to choose this.") });
	}

	async load(game) {
		const tips = Object.entries(await loadSprite(game));
		this.tips = Object.fromEntries(tips.flatMap(([keys, tip]) => keys.split(", ").map((key) => [key, tip])));
	}

	pieceAt(target) {
		return target.closest?.(PIECES) ?? target.closest?.("[data-panel]");
	}

	// The texts of a tip: those of the key, else of the place or the panel.
	find(piece) {
		if (!piece || !this.tips) return [];
		const { tip, place } = piece.dataset;
		if (tip) return [this.tips[tip]].filter(Boolean);
		if (!place) return [this.tips[piece.dataset.panel]].filter(Boolean);
		const [kind, ...rest] = place.split(" ");
		const name = rest.at(-1) ?? "";
		const keys = [place, name, name.replace(/\d+$/, ""), name.split("-")[0], kind];
		return [...new Set(keys.map((key) => this.tips[key]).filter(Boolean))].slice(0, 2);
	}

	// The label of a piece, what would happen there, what it is, and what its place is for.
	// With `preview` it shows only what would happen. `hint` is its last line.
	async show(target, { preview: alone = false, hint = "" } = {}) {
		const piece = this.pieceAt(target);
		this.pointed = piece;
		if (!piece || !this.tips) return;
		const preview = await this.board.preview(piece);
		if (this.pointed !== piece || !piece.isConnected || (alone && !preview)) return;
		this.hide();
		const texts = [...(preview?.lines ?? []), ...(alone ? [] : this.find(piece))];
		if (!texts.length) return;
		this.box.replaceChildren(
			make("strong", {}, piece.getAttribute("aria-label")),
			...[...texts, hint].filter(Boolean).map((text) => make("p", {}, text)),
		);
		this.box.hidden = false;
		if (preview) this.board.point(preview.places);
		this.put(piece);
		this.piece = piece;
		this.previewed = preview !== null;
		piece.setAttribute("aria-describedby", "tip");
	}

	// Puts the box beside its piece or its panel, where it covers the least of what matters.
	put(piece) {
		const { offsetWidth: width, offsetHeight: height } = this.box;
		const panel = (piece.closest("[data-panel]") ?? piece).getBoundingClientRect();
		const at = piece.getBoundingClientRect();
		const places = [
			at,
			...[...this.board.element.querySelectorAll(PLACES)].map((one) => one.getBoundingClientRect()),
		];
		const corners = [
			[at.left, at.bottom + GAP],
			[at.left, at.top - height - GAP],
			[panel.right + GAP, at.top],
			[panel.left - width - GAP, at.top],
			[at.left, panel.bottom + GAP],
			[at.left, panel.top - height - GAP],
		].map(([left, top]) => ({
			left: Math.max(4, Math.min(left, window.innerWidth - width - 4)),
			top: Math.max(4, Math.min(top, window.innerHeight - height - 4)),
		}));
		const covered = ({ left, top }) =>
			places.reduce(
				(sum, one) =>
					sum +
					Math.max(0, Math.min(left + width, one.right) - Math.max(left, one.left)) *
						Math.max(0, Math.min(top + height, one.bottom) - Math.max(top, one.top)),
				0,
			);
		const best = corners.reduce((one, other) => (covered(other) < covered(one) ? other : one));
		this.box.style.left = `${best.left}px`;
		this.box.style.top = `${best.top}px`;
	}

	hide() {
		clearTimeout(this.timer);
		if (this.piece && this.previewed) this.board.point([]);
		this.pointed = null;
		this.box.hidden = true;
		this.piece?.removeAttribute("aria-describedby");
		this.piece = null;
	}
}
