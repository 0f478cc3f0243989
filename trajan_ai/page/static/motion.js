// Motion: pieces travel to their new places, and VP count up or down. The board shows the new state
// at once, so that everything can be clicked; copies of the pieces travel above it.

import { make } from "./dom.js";

export const SPEEDS = { instant: 0, normal: 700, slow: 2000 }; // milliseconds between the decisions of bots
const MOVING = 0.6; // share of these milliseconds in which pieces travel
const FLIGHT = 0.55; // share of the travel time that each of several pieces takes
const MAX_FLIGHTS = 40; // with more, as after a jump in the log, nothing travels
const NEAR = 2; // pixels
const INPUTS = ["pointerdown", "keydown", "wheel"];
const FIGURE = /[-−]?\d+/;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns the name of the speed that the user chose. */
export const chosenSpeed = () => localStorage.getItem("speed") ?? (still.matches ? "instant" : "normal");

/** Returns for how many milliseconds pieces travel after a decision; 0 if nothing moves. */
export const travelTime = () => (still.matches ? 0 : SPEEDS[chosenSpeed()] * MOVING);

/**
 * A piece of a drawing: a symbol, or several symbols on a card.
 * @typedef {object} Piece
 * @property {SVGGraphicsElement} node
 * @property {SVGSVGElement} svg its drawing
 * @property {string} looks a text that is the same for identical pieces
 * @property {Place} place null if it has no name
 * @property {DOMRect} inner its box in the drawing
 * @property {DOMRect} box its box in the window
 */
/**
 * What a drawing shows: its pieces, the frames of the last move, and the box of one place.
 * @typedef {{ pieces: Piece[], frames: DOMRect[], at: DOMRect | null }} Seen
 */
/**
 * The path of a piece from the first drawing to the last. `first` or `last` is null if that drawing lacks
 * the piece.
 * @typedef {{ first: Piece | null, last: Piece | null, from: DOMRect, to: DOMRect }} Flight
 */

export class Motion {
	/**
	 * @param {HTMLElement} board
	 * @param {HTMLElement} scores the VP of each player
	 */
	constructor(board, scores) {
		this.board = board;
		this.scores = scores;
		/** @type {(() => void)[]} */
		this.ends = [];
		this.finish = () => this.ends.splice(0).forEach((end) => end());
		for (const input of INPUTS) addEventListener(input, this.finish, { capture: true, passive: true });
	}

	remove() {
		this.finish();
		for (const input of INPUTS) removeEventListener(input, this.finish, { capture: true });
	}

	/**
	 * Returns a function that starts the motion; call it when the board shows the new state.
	 * @param {TreeState} before
	 * @param {TreeState} after
	 * @param {number} time milliseconds
	 */
	prepare(before, after, time) {
		const isBack = after.node < before.node; // nodes are numbered in the order of their creation
		// Pieces that another view turns face up have not travelled.
		const origin = before.view === after.view ? (isBack ? before : after).origin : null;
		const old = this.look(origin);
		return () => {
			const now = this.look(origin);
			const flights = isBack ? findFlights(now, old, origin) : findFlights(old, now, origin);
			if (flights.length <= MAX_FLIGHTS) this.fly(flights, isBack, time);
			const changed = after.scores.flatMap((to, player) =>
				to === before.scores[player] ? [] : [{ player, from: before.scores[player], to }],
			);
			if (changed.length) this.count(changed, time);
		};
	}

	/**
	 * @param {Place | null} origin
	 * @returns {Seen}
	 */
	look(origin) {
		const find = (selector) =>
			[.../** @type {NodeListOf<SVGGraphicsElement>} */ (this.board.querySelectorAll(selector))].filter(
				isDrawn,
			);
		const pieces = find("[data-panel] :is(use, g[class$='on'])")
			.filter((node) => !node.parentElement.closest("g[class$='on']"))
			.map((node) => ({
				node,
				svg: node.ownerSVGElement,
				looks: describe(node),
				place: node.closest("[data-place]")?.getAttribute("data-place") ?? null,
				inner: node.getBBox(),
				box: findBox(node),
			}));
		const [place] = origin ? find(`[data-place="${CSS.escape(origin)}"]`) : [];
		return {
			pieces,
			frames: find("path[class$='ls']").map(findBox),
			at: pieces.find((piece) => piece.place === origin)?.box ?? (place ? findBox(place) : null),
		};
	}

	/**
	 * @param {Flight[]} flights
	 * @param {boolean} isBack whether the pieces travel from the last drawing to the first one
	 * @param {number} time
	 */
	fly(flights, isBack, time) {
		if (!flights.length) return;
		const sky = make("div", { class: "motion", "aria-hidden": "true" });
		const length = flights.length > 1 ? time * FLIGHT : time;
		const ends = flights.map(({ first, last, from, to }, i) => {
			const [start, end] = isBack ? [to, from] : [from, to];
			const landing = isBack ? first : last;
			const copy = draw(landing ?? first ?? last, end);
			sky.append(copy);
			if (landing) landing.node.setAttribute("opacity", "0"); // it can still be clicked
			const move = `translate(${start.x - end.x}px, ${start.y - end.y}px) scale(${start.width / end.width})`;
			const animation = copy.animate([{ transform: move }, { transform: "none" }], {
				duration: length,
				delay: flights.length > 1 ? (i * (time - length)) / (flights.length - 1) : 0,
				easing: "ease-in-out",
				fill: "both",
			});
			const land = () => {
				landing?.node.removeAttribute("opacity");
				copy.remove();
				if (!sky.childElementCount) sky.remove();
			};
			animation.onfinish = land;
			return () => (animation.cancel(), land());
		});
		document.body.append(sky);
		this.ends.push(...ends);
	}

	/**
	 * Counts the players' VP up or down, in the list and on the board.
	 * @param {{ player: Player, from: number, to: number }[]} changed
	 * @param {number} time
	 */
	count(changed, time) {
		const shown = changed.flatMap(({ player, from, to }) =>
			[
				this.scores.children[player].querySelector("strong"),
				...this.board.querySelectorAll(`[data-panel^="board"] [data-place="score ${player}"] text`),
			].map((element) => ({ element, from, to, text: element.textContent })),
		);
		const write = (share) => {
			for (const { element, from, to, text } of shown) {
				const value = String(Math.round(from + (to - from) * share)).replace("-", "−");
				const now = share < 1 ? text.replace(FIGURE, value) : text;
				if (element.textContent !== now) element.textContent = now;
			}
		};
		const start = performance.now();
		const step = (now) => {
			const share = Math.min(1, Math.max(0, now - start) / time);
			write(share);
			if (share < 1) frame = requestAnimationFrame(step);
		};
		write(0);
		let frame = requestAnimationFrame(step);
		this.ends.push(() => (cancelAnimationFrame(frame), write(1)));
	}
}

const isDrawn = (node) => !node.closest("[hidden]");

// Returns a text that is the same for identical pieces, wherever they lie.
const describe = (node) =>
	node.getAttribute("href") ??
	[...node.querySelectorAll("use, text")].map((part) => part.getAttribute("href") ?? part.textContent).join();

// Returns the box of an element in the window, without the width of its lines.
function findBox(node) {
	const { x, y, width, height } = node.getBBox();
	const { a, e, f } = node.getScreenCTM();
	return new DOMRect(a * x + e, a * y + f, a * width, a * height);
}

const isNear = (one, other) => Math.abs(one.x - other.x) < NEAR && Math.abs(one.y - other.y) < NEAR;

const lies = ({ x, y, width, height }, box) =>
	x + width / 2 > box.x && x + width / 2 < box.right && y + height / 2 > box.y && y + height / 2 < box.bottom;

// Returns a box as large as `size`, in the middle of `box`.
const centre = (size, box) =>
	new DOMRect(
		box.x + (box.width - size.width) / 2,
		box.y + (box.height - size.height) / 2,
		size.width,
		size.height,
	);

/**
 * Returns which pieces travel between two drawings. A piece travels to an identical piece that was not
 * there before. A piece that the other drawing lacks, such as a card that was face down, travels from
 * the origin of the move to the place that is framed as its result.
 * @param {Seen} before
 * @param {Seen} after
 * @param {Place | null} origin
 * @returns {Flight[]}
 */
function findFlights(before, after, origin) {
	const gone = [...before.pieces];
	let come = after.pieces;
	// Removes pairs of identical pieces from `gone` and `come`.
	const match = (isSame, found = null) => {
		come = come.filter((other) => {
			const i = gone.findIndex((one) => one.looks === other.looks && isSame(one, other));
			const [one] = i < 0 ? [] : gone.splice(i, 1);
			if (one) found?.(one, other);
			return !one;
		});
	};
	/** @type {Flight[]} */
	const flights = [];
	match((one, other) => isNear(one.box, other.box));
	match((one, other) => one.place !== null && one.place === other.place);
	match(
		() => true,
		(first, last) => flights.push({ first, last, from: first.box, to: last.box }),
	);
	const { at } = before;
	const [frame] = after.frames;
	const isOrigin = ({ place }) => place === origin;
	const isResult = ({ box }) => after.frames.some((one) => lies(box, one));
	if (at && frame) {
		const isFramed = lies(at, frame); // the frame is the origin itself, so new pieces may be anywhere
		const arrived = come.filter((piece) => !isOrigin(piece) && (isFramed || isResult(piece)));
		if (!isFramed || arrived.length === 1)
			for (const last of arrived)
				flights.push({ first: null, last, from: centre(last.box, at), to: last.box });
		const left = isFramed ? [] : gone.filter(isOrigin);
		if (!isFramed && !flights.length && !left.length)
			left.push(...before.pieces.filter(isOrigin).slice(0, 1)); // one of several
		for (const first of left) {
			const equal = after.pieces.find((piece) => piece.looks === first.looks && isResult(piece));
			flights.push({ first, last: null, from: first.box, to: equal?.box ?? centre(first.box, frame) });
		}
	}
	// Pieces travel one after the other, in the order of their places after the origin.
	const start = after.pieces.findIndex(isOrigin);
	const index = ({ last }) => {
		const i = after.pieces.indexOf(last);
		return i < start ? i + after.pieces.length : i;
	};
	return flights.sort((one, other) => index(one) - index(other));
}

// Returns a copy of a piece, placed at a box in the window.
function draw({ node, svg, inner }, box) {
	const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(false));
	const piece = /** @type {SVGElement} */ (node.cloneNode(true));
	piece.removeAttribute("transform"); // the box contains its scale
	copy.append(piece);
	copy.setAttribute("viewBox", `${inner.x} ${inner.y} ${inner.width} ${inner.height}`);
	copy.style.cssText = `left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px`;
	return copy;
}
