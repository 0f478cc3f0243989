// The list of keys.

import { dialog, make } from "./dom.js";
import { tr } from "./language.js";

const KEYS = [
	["← →", "one decision back or forward"],
	["Home End", "to the beginning or the end of the line"],
	["↑ ↓", "to the previous or next branch"],
	["S", "search for the best move; again: stop"],
	["1 … 9", "play that move of the ranking"],
	["N", "the next step of the suggested turn"],
	["P", "replay to the end of the line; again: pause"],
	["M", "the next mistake of an analysed game"],
	["N A", "another exercise, or its answer"],
	["+ −", "a larger or smaller board"],
	["U", "undo to your last decision"],
	["R", "the rules on one screen"],
	["I", "explain the pieces of the board; the arrow keys lead to the next one"],
	["L", "the list of legal moves"],
	["E", "edit the position"],
	["Tab, Enter", "through the board's places, buttons and moves"],
];

// Opens the list of keys.
export function showKeys() {
	const rows = KEYS.map(([keys, text]) =>
		make("tr", {}, make("th", { scope: "row" }, tr(keys)), make("td", {}, tr(text))),
	);
	dialog(
		tr("Keys"),
		make("table", { class: "keys" }, make("tbody", {}, rows)),
		make(
			"p",
			{},
			tr(
				"Choose a place on the board to decide. If it stands for several decisions, you are asked which one.",
			),
		),
	);
}
