// A card with controls for everything that can be changed at a place in the drawing of a position. The
// server lists the choices and writes the chosen value into the text.

import { post } from "./api.js";
import { attempt, button, make, playerName, replaceContent, select } from "./dom.js";
import { tr } from "./language.js";

const MAX_OPEN = 3; // a place with at most this many keys shows all of them unfolded

export class Palette {
	// `text()` returns the position file, `changed(text)` replaces it, `goTo(line)` shows a line.
	constructor({ text, changed, goTo }) {
		this.text = text;
		this.changed = changed;
		this.goTo = goTo;
		this.place = null;
		this.requests = 0; // number of the last request; answers to earlier ones are ignored
		this.open = new Set();
		this.element = make("section", {
			class: "palette card",
			hidden: true,
			"aria-label": tr("Change what is there"),
		});
		this.element.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			event.preventDefault(); // otherwise Escape would close the editor
			event.stopPropagation();
			this.close();
		});
	}

	async show(place) {
		this.from = document.activeElement;
		this.place = place;
		this.open.clear();
		await this.refresh();
		if (this.place !== place) return;
		this.element.parentElement.scrollIntoView({ block: "nearest" });
		// Focuses the clicked item or else the first, but never a text field, which opens a phone's keyboard.
		const word = CSS.escape(place.split(" ").at(-1));
		const first =
			this.element.querySelector(`[data-key$=" ${word} −"], [data-key$=" ${word}"]:not([type="number"])`) ??
			this.element.querySelector(".items :is(button, input, select), summary");
		first?.focus();
	}

	close() {
		this.place = null;
		this.element.hidden = true;
		const back = document.querySelector(".preview [tabindex='0']");
		(this.from?.isConnected ? this.from : back)?.focus();
	}

	async refresh() {
		const { place } = this;
		if (place === null) return;
		const number = ++this.requests;
		let sections;
		try {
			({ sections } = await post("/api/palette", { text: this.text(), place }));
		} catch {
			sections = []; // the checker shows the problems of the text
		}
		if (number !== this.requests || place !== this.place) return;
		this.element.hidden = false;
		replaceContent(this.element, "key", [
			make(
				"div",
				{ class: "dialog-head" },
				make("h3", {}, name(place)),
				button(tr("Done"), () => this.close(), { class: "quiet" }),
			),
			sections.length
				? make(
						"div",
						{ class: "controls" },
						sections.map((section) => this.section(section, sections.length)),
					)
				: make("p", { class: "small" }, tr("Nothing can be changed here in the drawing; change the text.")),
		]);
	}

	/** @param {Section} section @param {number} many number of sections */
	section(section, many) {
		const { at, label, line } = section;
		const items = section.items.map((item) => this.item(section, item));
		const where = line
			? button(tr("line {line}", { line }), () => this.goTo(line), {
					class: "move small",
					"data-key": `${at} line`,
					"aria-label": tr("{label}: line {line} of the text", { label, line }),
				})
			: null;
		if (many <= MAX_OPEN || section.items.length === 1)
			return make(
				"fieldset",
				{},
				make("legend", {}, `${label} `, where),
				make("div", { class: "items" }, items),
			);
		const box = make(
			"details",
			{ open: this.open.has(at) },
			make("summary", { "data-key": `${at} open` }, label),
			make("div", { class: "items", role: "group", "aria-label": label }, where, items),
		);
		box.addEventListener("toggle", () => (box.open ? this.open.add(at) : this.open.delete(at)));
		return box;
	}

	/** @param {Section} section @param {SectionItem} item */
	item(section, item) {
		const words = item.item ? `${section.label}, ${item.name}` : section.label;
		const key = `${section.at} ${item.item ?? ""}`;
		const set = (value) => this.set(section.at, item.item, value);
		const shown = item.item ? make("span", { "aria-hidden": "true" }, item.name) : null;
		if (section.kind === "member")
			return make(
				"label",
				{ class: "check" },
				make("input", {
					type: "checkbox",
					"data-key": key,
					"aria-label": words,
					checked: item.value > 0,
					onchange: (event) => set(event.target.checked ? 1 : 0),
				}),
				shown,
			);
		if (section.kind === "choice")
			return make("div", { class: "item wide" }, shown, choice(section, item, key, words, set));
		return make(
			"div",
			{ class: `item${item.value ? " some" : ""}` },
			shown,
			this.number(item, key, words, set),
		);
	}

	number(item, key, words, set) {
		const value = Number.isInteger(item.value) ? item.value : 0;
		const step = (by, sign, what) => {
			const fits = value + by >= item.least && value + by <= item.most;
			return button(sign, () => fits && set(value + by), {
				"data-key": `${key} ${sign}`,
				"aria-label": `${what}: ${words}`,
				"aria-disabled": fits ? null : "true",
			});
		};
		return make(
			"span",
			{ class: "count" },
			step(-1, "−", tr("one fewer")),
			make("input", {
				type: "number",
				inputmode: "numeric",
				"data-key": key,
				"aria-label": words,
				value,
				min: item.least,
				max: item.most,
				onchange: (event) => Number.isInteger(event.target.valueAsNumber) && set(event.target.valueAsNumber),
			}),
			step(1, "+", tr("one more")),
		);
	}

	async set(at, item, value) {
		await attempt(async () => {
			const { text } = await post("/api/edit", { text: this.text(), at, item, value });
			await this.changed(text);
		});
		await this.refresh();
	}
}

function choice({ choices, names, nothing }, { value }, key, words, set) {
	const known = value === null || choices.includes(value) ? [] : [value]; // in another spelling
	const none = nothing || value === null ? [["", tr("nothing")]] : [];
	const box = select({ "data-key": key, "aria-label": words, onchange: () => set(box.value || null) }, [
		...none,
		...[...known, ...choices].map((one) => [one, names[one] ?? one]),
	]);
	box.value = value ?? "";
	return box;
}

function name(place) {
	const piece = document.querySelector(`.preview [data-place="${CSS.escape(place)}"]`);
	if (piece) return piece.getAttribute("aria-label");
	return place === "table" ? tr("Table") : playerName(place.split(" ")[1]);
}

// Makes the places of a drawing reachable by the Tab key and the arrow keys.
export function walkable(element) {
	const drawing = element.querySelector("svg");
	if (!drawing) return;
	for (const piece of drawing.querySelectorAll("[aria-label]:not([data-place])"))
		piece.setAttribute("role", piece.querySelector("[data-place]") ? "group" : "img");
	const places = [...drawing.querySelectorAll("[data-place]")];
	const left = places.findIndex((place) => place.getAttribute("data-place") === element.dataset.left);
	places.forEach((place, i) => {
		place.setAttribute("role", "button");
		const { panel } = /** @type {HTMLElement} */ (place.closest("[data-panel]")).dataset;
		const [, player] = panel.match(/^board of player (\d)$/) ?? [];
		const label = place.getAttribute("aria-label");
		place.setAttribute("aria-label", player ? `${playerName(player)}: ${label}` : label);
		place.setAttribute("tabindex", i === Math.max(left, 0) ? "0" : "-1");
	});
	const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
	element.onkeydown = (event) => {
		const at = places.indexOf(event.target);
		if (at < 0) return;
		if (event.key === "Enter" || event.key === " ")
			event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
		else if (event.key in steps) move(places, at, at + steps[event.key]);
		else return;
		event.preventDefault();
	};
	drawing.addEventListener(
		"focusin",
		(event) => (element.dataset.left = event.target.getAttribute("data-place") ?? ""),
	);
}

function move(places, from, to) {
	if (!places[to]) return;
	places[from].setAttribute("tabindex", "-1");
	places[to].setAttribute("tabindex", "0");
	places[to].focus();
}
