// The ranking of a position's moves and their turns, updated during the search.

import { search } from "./api.js";
import { button, h, number, percent, signed, token } from "./dom.js";
import { t } from "./language.js";

const MAX_TURNS = 3; // that are shown as a whole

const points = (value) => (value === null ? "–" : number(value));
const error = (value) => (value === null ? null : h("small", {}, ` ±${number(value, 1)}`));

export class Ranking {
	// `play(action, then)` plays a move, and the steps `then` of its turn. `pointing(places)` makes
	// an element point at places. `changed` is called with the moves, `stopped` after a search.
	// `name(player)` returns the name of a player.
	constructor(element, { play, pointing, changed, stopped, name }) {
		Object.assign(this, { element, play, pointing, changed, stopped, name });
		this.clear();
	}

	get running() {
		return Boolean(this.search);
	}

	clear() {
		this.cancel();
		this.moves = [];
		this.element.replaceChildren(
			h(
				"p",
				{ class: "small" },
				t("Press S, or the button: whole turns and moves, best first, better from moment to moment."),
			),
		);
	}

	// Stops the search and the one for the next player. What is shown stays as it is.
	cancel() {
		this.threats?.abort();
		if (!this.search) return;
		this.search.abort();
		this.search = null;
		this.stopped();
	}

	// Stops the search, and shows its last result as the final one.
	stop() {
		const { search, result } = this;
		this.cancel();
		if (search && result) this.show({ ...result, last: true });
	}

	start(game, node, seconds) {
		this.cancel();
		this.node = [game, node];
		this.result = null;
		this.search = new AbortController();
		search(
			game,
			{ node, seconds },
			(result) => {
				if (result.last) {
					this.search = null;
					this.stopped();
				}
				if (result.problems)
					this.element.replaceChildren(h("p", { class: "problem" }, result.problems.join("\n")));
				else this.show(result);
			},
			this.search.signal,
		);
	}

	show(result) {
		this.result = result;
		const focused = this.element.contains(document.activeElement)
			? document.activeElement.dataset.action
			: null;
		this.moves = result.moves;
		const verified = result.grade === "verified";
		this.element.replaceChildren(
			h(
				"table",
				{ class: "ranking" },
				h(
					"thead",
					{},
					h(
						"tr",
						{},
						h("th", { scope: "col" }, "#"),
						h("th", { scope: "col" }, t("Move")),
						h(
							"th",
							{ scope: "col", title: t("expected share of the win, with its standard error") },
							t("Win"),
						),
						h("th", { scope: "col", title: t("expected final VP") }, t("VP")),
						h("th", { scope: "col", title: t("expected lead over the best opponent in VP") }, t("Lead")),
					),
				),
				h(
					"tbody",
					{},
					result.moves.flatMap((move, i) => this.rows(move, i, verified)),
				),
			),
			h(
				"p",
				{ class: "small", id: "work" },
				t("{grade}: {searches} searches, {iterations} iterations in {seconds} s", {
					grade: verified ? t("Verified") : t("First overview (not yet precise)"),
					searches: result.searches,
					iterations: number(result.iterations),
					seconds: number(result.seconds, 1),
				}) +
					(result.calibrated ? "" : t("; not calibrated for this game")) +
					(result.of > result.moves.length
						? t("; {count} more moves", { count: result.of - result.moves.length })
						: ""),
			),
		);
		this.element.append(
			h(
				"p",
				{ class: "small" },
				t("The lead over the best opponent decides the order, not your VP."),
				" ",
				verified ? t("Grey moves are rough estimates.") : t("Moves that were tried rarely come last."),
			),
		);
		if (result.last && result.why) this.element.append(this.why(result.why));
		if (result.last) this.element.append(this.nextTurns());
		if (focused) this.element.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
		this.changed(this.moves);
	}

	// The expected VP by source: after the first move, and the differences after the others.
	why({ actions, sources }) {
		const more = (value) => h("td", {}, signed(value));
		return h(
			"details",
			{ class: "sources" },
			h("summary", {}, t("Why? Expected VP by source")),
			h(
				"table",
				{},
				h(
					"thead",
					{},
					h(
						"tr",
						{},
						h("td", {}),
						actions.map((action, i) =>
							h(
								"th",
								{ scope: "col", title: action },
								`#${i + 1}`,
								i ? h("span", { class: "sr" }, " ", t("against #1")) : null,
							),
						),
					),
				),
				h(
					"tbody",
					{},
					sources.map(({ name, first, others }) =>
						h(
							"tr",
							{},
							h("th", { scope: "row" }, t(name.replaceAll("_", " "))),
							h("td", {}, number(first, 1)),
							others.map(more),
						),
					),
				),
			),
			h(
				"p",
				{ class: "small" },
				t(
					"Expected VP after the first move, and how many more or fewer after the others; the rows add up to the VP above.",
				),
			),
		);
	}

	// On demand: the best turns of the next player after the best turn.
	nextTurns() {
		const list = h("div", { role: "status" });
		const ask = () => {
			const [game, node] = this.node;
			const after = this.moves[0].turn.actions;
			this.threats?.abort();
			this.threats = new AbortController();
			search(
				game,
				{ node, seconds: 2, after },
				({ problems, player, moves }) =>
					list.replaceChildren(
						...(problems
							? [h("p", { class: "small" }, t("The turn goes on, or nobody decides after it."))]
							: [
									h(
										"p",
										{},
										token(player),
										" ",
										t("{name}, after your best turn:", { name: this.name(player) }),
									),
									h(
										"ol",
										{},
										moves
											.slice(0, MAX_TURNS)
											.map((move) =>
												h(
													"li",
													{},
													move.turn.words,
													h("small", {}, " ", t("{share} of the visits", { share: percent(move.share) })),
												),
											),
									),
								]),
					),
				this.threats.signal,
			);
		};
		return h(
			"details",
			{ class: "threats", ontoggle: (event) => event.target.open && ask() },
			h("summary", {}, t("What comes next? The opponent's best turns")),
			list,
		);
	}

	// A row of figures, and one with the whole turn in words.
	rows(move, i, verified) {
		const { actions, reveals, words, complete, undecided } = move.turn;
		// The steps up to the first that reveals something.
		const sure = actions.slice(0, (reveals[0] ?? actions.length) + 1);
		const { onfocus, onblur, ...pointer } = this.pointing(move.places);
		const played = button(move.words, () => this.play(move.action), {
			class: "move",
			"data-action": move.action,
			title: move.action,
			onfocus,
			onblur,
		});
		const row = (...cells) =>
			h(
				"tr",
				{ class: i === 0 ? "best" : verified && move.grade === "quick" ? "few" : "", ...pointer },
				...cells,
			);
		const turn =
			words +
			(reveals.length ? t(" (depending on what is revealed)") : "") +
			(undecided ? `; ${t("then several continuations are about equal")}` : complete ? "" : " ..");
		return [
			row(
				h("td", { class: "number" }, i + 1),
				h(
					"td",
					{},
					played,
					i < MAX_TURNS && sure.length > 1
						? button(t("▶ turn"), () => this.play(sure[0], sure.slice(1)), {
								class: "quiet whole",
								title: sure.join(" > "),
								"aria-label": t("Play the turn: {words}", { words }),
							})
						: null,
					h("span", {
						class: "share",
						style: `--share:${(100 * move.share).toFixed(1)}%`,
						title: t("{share} of the visits", { share: percent(move.share) }),
					}),
				),
				h(
					"td",
					{},
					percent(move.win),
					move.win_error ? h("small", {}, ` ±${number(100 * move.win_error)}`) : null,
				),
				h("td", {}, points(move.score), error(move.score_error)),
				h("td", {}, move.margin === null ? "–" : signed(move.margin), error(move.margin_error)),
			),
			...(i < MAX_TURNS && (undecided || words !== move.words)
				? [row(h("td", {}), h("td", { class: "line", colspan: 4 }, turn))]
				: []),
		];
	}
}
