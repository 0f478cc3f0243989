// A position in an address: what one player knows of it, compressed, in the part that a browser keeps for
// itself. Nothing is stored before somebody opens it.

import { localized, post, read } from "./api.js";
import { attempt, button, dialog, draw, entitle, field, gameName, make, notice, openGame } from "./dom.js";
import { showEditor } from "./editor.js";
import { tr } from "./language.js";

export const POSITION = "position"; // begins the address of a position
const SCALE = 2; // pixels of a picture per unit of the drawing

/** @param {string} text */
async function pack(text) {
	const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
	const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
	const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
	return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Returns the text in an address, or the address where it contains none: then the message is that this
 * is no position or no record.
 * @param {string} data
 */
export async function unpack(data) {
	try {
		const letters = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		return await new Response(stream).text();
	} catch {
		return data;
	}
}

/**
 * Shows a position of an address.
 * @param {HTMLElement} main
 * @param {string} text
 */
export async function showPosition(main, text) {
	entitle(tr("A position"));
	const result = await attempt(() => post("/api/check", { text }));
	if (!result) return;
	const { game, player, problems } = result;
	const board = make("div", { class: "board preview" });
	if (!problems.length) board.append(draw(result));
	const title = game ? gameName(game) : tr("A position");
	main.className = "start shared";
	main.replaceChildren(
		make(
			"section",
			{ class: "card" },
			make("h2", {}, title),
			problems.length
				? make("p", { class: "problem" }, tr("This address contains no position."))
				: make(
						"p",
						{},
						player === null ? tr("The game is over.") : tr("Player {player} decides.", { player }),
					),
			make(
				"div",
				{ class: "buttons" },
				button(tr("Analyse it"), () => openGame("/api/load", { text, title }), {
					class: "main",
					disabled: problems.length > 0,
				}),
				problems.length ? "" : button(tr("Edit the position"), () => showEditor(text)),
			),
			board,
		),
	);
}

// Offers the address of a position, whose file is at `path`, and a picture of it.
/** @param {string} path @param {string} picture */
export async function share(path, picture) {
	const text = await read(path);
	const address = make("input", {
		id: "address",
		readonly: true,
		value: `${location.href.split("#")[0]}#${POSITION}/${await pack(text)}`,
		onfocus: () => address.select(),
	});
	const copy = async () => {
		address.select();
		await navigator.clipboard.writeText(address.value);
		notice(tr("The address is copied."));
	};
	dialog(
		tr("Share the position"),
		make(
			"p",
			{ class: "small" },
			tr("The address contains what the player knows whose view is shown, and nothing else."),
			" ",
			tr("The part from # on opens the position at every address of this page."),
		),
		field(tr("Address"), address),
		make(
			"div",
			{ class: "buttons" },
			button(tr("Copy"), copy, { class: "main" }),
			button(tr("Save as a picture"), () => attempt(() => savePicture(picture))),
		),
	);
}

async function savePicture(path) {
	const svg = await read(localized(path));
	const image = new Image();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
	await image.decode();
	const canvas = make("canvas", { width: image.width * SCALE, height: image.height * SCALE });
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	const blob = await new Promise((done) => canvas.toBlob(done));
	const href = URL.createObjectURL(blob);
	make("a", { href, download: "trajan-ai.png" }).click();
	setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
