// What a move of a followed game revealed: one question after the other, answered with pictures.

import { button, dialog, make, replaceContent } from "./dom.js";
import { tr } from "./language.js";
import { pictures } from "./table.js";

/**
 * Asks what a move revealed, then plays the move. If the answers are contradictory, asks again.
 * @param {{ game: string, words: Record<Action, string> }} state
 * @param {any[]} asks the questions
 * @param {Record<string, any>} request the move, with the answers that are already known
 * @param {(request: Record<string, any>) => void} play
 * @param {Record<string, string[]>} typed the answers that turned out to be contradictory
 * @param {Record<string, number>} wrong by key, the index of the first impossible answer
 */
export function askReveals({ game, words }, asks, request, play, typed = {}, wrong = null) {
	const { shown: known = {}, unknown: assumed = [] } = request;
	const questions = asks.map((ask) => ({
		...ask,
		missing: ask.count === null ? null : ask.count - (known[ask.key]?.length ?? 0),
		names: Object.fromEntries(ask.names.map((name, i) => [name, ask.labels[i] ?? name])),
		copies: Object.fromEntries(ask.names.map((name, i) => [name, ask.left[i]])),
	}));
	const answers = Object.fromEntries(
		questions.map(({ key, missing }) => [key, typed[key] ?? Array(missing ?? 0).fill(null)]),
	);
	const unknown = new Set(assumed);
	const marks = { ...wrong };
	const place = make("div", { class: "real questions" });
	let step = Math.max(
		0,
		questions.findIndex(({ key }) => key in marks),
	);
	const finish = () => {
		const shown = { ...known };
		for (const [key, names] of Object.entries(answers))
			if (!unknown.has(key)) shown[key] = [...(known[key] ?? []), ...names];
		box.close();
		play({
			...request,
			shown,
			unknown: [...unknown],
			again: (error) => askReveals({ game, words }, asks, request, play, answers, error.wrong ?? {}),
		});
	};
	// Returns the number of copies of a piece that neither this move nor an answer has shown.
	const left = (one, name) => {
		const gone = questions
			.filter(({ key, supply }) => key === one.key || (supply && supply === one.supply))
			.flatMap(({ key }) => [...(known[key] ?? []), ...answers[key]]);
		return one.copies[name] - gone.filter((other) => other === name).length;
	};
	const show = () => {
		const one = questions[step];
		const { key, missing } = one;
		const row = answers[key];
		const free = row.indexOf(null);
		const put = (i, name) => {
			if (name === null && missing === null) row.splice(i, 1);
			else row[i] = name;
			unknown.delete(key);
			delete marks[key];
			show();
		};
		const go = () => (step === questions.length - 1 ? finish() : (step++, show()));
		const skip = () => {
			answers[key] = row.map(() => null).slice(0, missing ?? 0);
			unknown.add(key);
			delete marks[key];
			go();
		};
		replaceContent(place, "key", [
			make("h3", {}, `${step + 1}/${questions.length}: ${one.text}`),
			...pictures(game, one, {
				places: row.map((_, i) => i + 1),
				answers: row,
				at: missing === null ? row.length : free < 0 ? 0 : free,
				wrong: key in marks ? Math.min(marks[key], row.length - 1) : -1,
				left: one.left.length ? (name) => left(one, name) : null,
				place: (i) => put(i, null),
				name: (name) => put(missing === null ? row.length : free, name),
			}),
			unknown.has(key)
				? make("p", { class: "small" }, tr("Not known: the page assumes one possible answer."))
				: "",
			make(
				"div",
				{ class: "buttons" },
				button(tr("Back"), () => (step--, show()), { disabled: step === 0, "data-key": "back" }),
				button(tr("I do not know"), skip, { "data-key": "unknown" }),
				button(step === questions.length - 1 ? tr("Confirm") : tr("Next"), go, {
					class: "main",
					"data-key": "on",
					disabled: row.includes(null) && !unknown.has(key),
				}),
			),
		]);
	};
	show();
	const box = dialog(
		tr("What did “{action}” show?", { action: words[request.action] ?? request.action }),
		wrong
			? make(
					"p",
					{ class: "problem", role: "alert" },
					tr("These answers contradict what you knew before. Those marked with ✗ are impossible."),
				)
			: null,
		place,
	);
}
