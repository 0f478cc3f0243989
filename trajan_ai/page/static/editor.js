// The position editor: a text, its problems, and a drawing whose clicks change the text.

import { post } from "./api.js";
import { attempt, button, dialog, draw, gameName, make, openGame, playerName } from "./dom.js";
import { tr } from "./language.js";
import { Palette, walkable } from "./palette.js";

const PAUSE = 250; // milliseconds after the last key before the text is checked

export function showEditor(text) {
	const area = make("textarea", {
		id: "position",
		spellcheck: "false",
		autocapitalize: "off",
		"aria-describedby": "verdict",
		wrap: "off",
	});
	const numbers = make("pre", { class: "numbers", "aria-hidden": "true" });
	const verdict = make("div", { id: "verdict", role: "status", "aria-live": "polite" });
	const preview = make("div", { class: "board preview" });
	const stale = make(
		"p",
		{ class: "small", hidden: true },
		tr("The drawing shows the last valid text, without your latest changes."),
	);
	const undo = button(tr("Undo"), takeBack, { disabled: true });
	const parts = make("div", { class: "buttons", role: "group", "aria-label": tr("Change all of") });
	const past = []; // the text before each change, the latest last
	let now = text;
	const open = button(tr("Analyse it"), () => openGame("/api/load", { text: area.value }), {
		class: "main",
		disabled: true,
	});
	let timer = null;
	let requests = 0;
	let wrong = new Set();

	function count() {
		const lines = area.value.split("\n").length;
		numbers.replaceChildren(
			...[...Array(lines).keys()].flatMap((i) => [
				make("span", { class: wrong.has(i + 1) ? "wrong" : "" }, i + 1),
				"\n",
			]),
		);
		numbers.scrollTop = area.scrollTop;
	}

	function goTo(line) {
		const before =
			area.value
				.split("\n")
				.slice(0, line - 1)
				.join("\n").length + (line > 1 ? 1 : 0);
		const end = area.value.indexOf("\n", before);
		area.focus();
		area.setSelectionRange(before, end < 0 ? area.value.length : end);
		area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
	}

	// Replaces the text; this can be undone.
	function change(text) {
		if (text === now) return;
		past.push(now);
		now = text;
		undo.disabled = false;
	}

	async function set(text) {
		area.value = text;
		count();
		await check();
	}

	async function takeBack() {
		clearTimeout(timer);
		timer = null;
		if (area.value !== now) change(area.value);
		if (!past.length) return;
		now = past.pop();
		undo.disabled = !past.length;
		await set(now);
		await palette.refresh();
	}

	const palette = new Palette({
		text: () => area.value,
		changed: async (text) => {
			change(area.value);
			change(text);
			await set(text);
		},
		goTo,
	});

	async function check() {
		const number = ++requests;
		const result = await attempt(() => post("/api/check", { text: area.value }));
		if (!result || number !== requests) return; // an answer to an earlier request
		const { problems } = result;
		wrong = new Set(problems.map(({ line }) => line));
		count();
		open.disabled = problems.length > 0;
		stale.hidden = !problems.length || !preview.firstChild;
		preview.classList.toggle("stale", problems.length > 0);
		if (problems.length) {
			verdict.replaceChildren(
				make(
					"p",
					{ class: "problem" },
					problems.length === 1 ? tr("One problem:") : tr("{count} problems:", { count: problems.length }),
				),
				make(
					"ul",
					{},
					problems.map(({ line, text: what }) =>
						make(
							"li",
							{},
							line
								? make(
										"button",
										{ type: "button", class: "move", onclick: () => goTo(line) },
										tr("Line {line}", { line }),
									)
								: null,
							make("span", { lang: "en" }, ` ${what}`),
						),
					),
				),
			);
		} else {
			const who =
				result.player === null
					? tr("The position is valid. The game is over.")
					: tr("The position is valid. {name} decides; legal moves: {legal}.", {
							name: playerName(result.player),
							legal: result.legal,
						});
			verdict.replaceChildren(make("p", { class: "right" }, who));
			preview.replaceChildren(draw(result));
			walkable(preview);
			parts.replaceChildren(
				button(tr("Table"), () => palette.show("table")),
				...result.names.map((_, player) =>
					button(playerName(player), () => palette.show(`player ${player}`)),
				),
			);
		}
	}

	const template = (game) =>
		attempt(async () => {
			const { text: opening } = await post("/api/template", { game });
			if (now.trim()) change(opening);
			else now = opening; // nothing to undo
			await set(opening);
		});

	preview.addEventListener("click", (event) => {
		const place = /** @type {Element} */ (event.target).closest("[data-place]");
		if (place) palette.show(place.getAttribute("data-place"));
	});

	area.value = text;
	area.addEventListener("input", () => {
		count();
		open.disabled = true;
		clearTimeout(timer);
		timer = setTimeout(async () => {
			timer = null;
			change(area.value);
			await check();
			await palette.refresh();
		}, PAUSE);
	});
	area.addEventListener("scroll", () => (numbers.scrollTop = area.scrollTop));
	const games = ["trajan", "forum_trajanum"]; // an installed game may have no position files
	const templates = games.map((game) =>
		button(tr("Opening of {game}", { game: gameName(game) }), () => template(game)),
	);
	const box = dialog(
		tr("Position"),
		make(
			"p",
			{ class: "small" },
			tr("Change the text, or choose a thing in the drawing. Errors are shown at once."),
		),
		make(
			"div",
			{ class: "editor" },
			make(
				"div",
				{ class: "text" },
				make("label", { for: "position" }, tr("What one player knows")),
				make("div", { class: "numbered" }, numbers, area),
				make("div", { class: "buttons" }, open, undo, ...(text.trim() ? [] : templates)),
			),
			make(
				"div",
				{ class: "checked", tabindex: "0", role: "region", "aria-label": tr("Result of the check") },
				make("div", { class: "pinned" }, verdict, palette.element),
				parts,
				stale,
				preview,
			),
		),
	);
	box.onkeydown = (event) => {
		if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
		event.preventDefault();
		takeBack();
	};
	box.addEventListener("close", () => (box.onkeydown = null), { once: true });
	count();
	area.setSelectionRange(0, 0);
	if (text.trim()) {
		area.focus();
		check();
	} else {
		const last = localStorage.getItem("game"); // the user's game
		template(games.includes(last) ? last : games[0]);
	}
}
