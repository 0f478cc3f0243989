// The rules of a game on one screen, composed of the tips about its board.

import { get } from "./api.js";
import { attempt, button, dialog, gameName, icons, loadSprite, make } from "./dom.js";
import { tr } from "./language.js";

/**
 * Shows the rules of a game, by default of the game shown last or, if it has none, of the first game.
 * @param {string} [game]
 */
export async function showRules(game) {
	/** @type {Record<string, RulesSection[]>} */
	const overviews = await attempt(() => get("/api/overviews"));
	if (!overviews) return;
	const names = Object.keys(overviews);
	const place = make("div", { class: "rules", tabindex: "0", role: "region", "aria-label": tr("Rules") });
	const games = make("div", { class: "buttons" });
	const show = async (name) => {
		if (name in overviews) await attempt(() => loadSprite(name));
		games.replaceChildren(
			...names.map((one) =>
				button(gameName(one), () => show(one), { class: "quiet", "aria-pressed": String(one === name) }),
			),
		);
		place.replaceChildren(
			...(overviews[name]?.map((section) => draw(name, section)) ?? [
				make("p", {}, tr("The page has no rules of {game}.", { game: gameName(name) })),
			]),
		);
		place.scrollTop = 0;
	};
	const last = localStorage.getItem("game"); // it may be a game without rules
	await show(game ?? (last in overviews ? last : names[0]));
	const box = dialog(tr("Rules"), place);
	box.querySelector("h2").after(games);
	place.focus({ preventScroll: true });
	box.scrollTop = 0; // a phone shows the title first
}

/** @param {string} game @param {RulesSection} section */
const draw = (game, { title, rows }) =>
	make(
		"section",
		{},
		make("h3", {}, title),
		make(
			"dl",
			{},
			rows.flatMap(({ name, text, symbols }) => [
				make("dt", {}, icons(game, symbols), name),
				make("dd", {}, text),
			]),
		),
	);
