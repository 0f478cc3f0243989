// A position in an address: what one player knows of it, compressed, in the part of the address that a
// browser does not send. Nothing is stored before somebody opens the position.

import { post, read } from "./api.js";
import { Board } from "./board.js";
import {
	attempt,
	button,
	dialog,
	entitle,
	field,
	gameName,
	make,
	notice,
	openEditor,
	openGame,
	playerName,
} from "./dom.js";
import { tr } from "./language.js";

const SCALE = 2; // pixels of a picture per unit of the drawing

/** @param {string} text */
async function pack(text) {
	const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
	const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
	const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
	return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Returns the text in an address, or the address itself if it contains none; the error message then
 * states that this is no position or record.
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

// A position from an address: its board, and what can be done with it.
export class SharedPosition {
	/** @param {HTMLElement} main */
	constructor(main) {
		this.main = main;
		this.board = new Board(() => null);
	}

	/** @param {string} packed the position file, as the address contains it */
	async start(packed) {
		const text = await unpack(packed);
		entitle(tr("A position"));
		const result = await attempt(() => post("/api/check", { text }));
		if (!result) return;
		const { game, observer, player, problems } = result;
		const title = game ? gameName(game) : tr("A position");
		const isWrong = problems.length > 0;
		const edit = button(tr("Edit the position"), () => openEditor(text), { disabled: isWrong });
		const open = button(tr("Analyse it"), () => openGame("/api/load", { text, title }), {
			class: "main",
			disabled: isWrong,
		});
		const who = isWrong
			? make("p", { class: "problem" }, tr("This address contains no position."))
			: make(
					"p",
					{ class: "who" },
					player === null ? tr("The game is over.") : tr("{name} decides.", { name: playerName(player) }),
				);
		this.main.className = "tree shared";
		this.main.replaceChildren(
			make(
				"section",
				{ class: "card now" },
				make("h2", {}, title),
				who,
				make("div", { class: "buttons" }, open, edit),
			),
			make("section", { class: "pane" }, this.board.element),
		);
		if (isWrong) return;
		this.board.show({ ...result, legal: [] }, observer);
		this.board.watch();
	}

	leave() {
		this.board.watching?.disconnect();
	}

	key() {}
}

// Offers the address of a position, whose file is at `path`, and a picture of it.
/** @param {string} path @param {string} picture */
export async function share(path, picture) {
	const text = await read(path);
	const address = make("input", {
		id: "address",
		readonly: true,
		value: `${location.href.split("#")[0]}#position/${await pack(text)}`,
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
			tr("The address contains only what is known to the player whose view is shown."),
			" ",
			tr("The part from # on also works after the address of another copy of this page."),
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
	const svg = await read(path);
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
