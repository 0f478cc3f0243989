// The ranking of a position's moves and their turns, updated during the search.

import { search } from "./api.js";
import { button, make, number, percent, replaceContent, signed, sourceName, token } from "./dom.js";
import { tr } from "./language.js";

const MAX_TURNS = 3; // turns that are shown as a whole
const TOTAL = "total"; // the row that sums all sources
const MAX_REASONS = 2; // sources of VP that a reason names
const MIN_REASON = 1; // VP

const MAX_ERROR = 0.25; // the largest error with which a share of the win is shown as a number

const points = (value) => (value === null ? "–" : number(value));
const error = (value, places = 1) =>
	value ? make("small", { title: tr("how uncertain the figure is") }, ` ±${number(value, places)}`) : null;

/** @param {RankedMove} move */
const isWinKnown = ({ win, win_error }) => win !== null && win_error <= MAX_ERROR;

// Returns the share of the win with its error, or a question mark if the error is too large.
/** @param {RankedMove} move */
function win(move) {
	if (isWinKnown(move) || move.win === null) return [percent(move.win), error(100 * move.win_error, 0)];
	const title = tr("Known only to ± {error} %.", { error: number(100 * move.win_error) });
	return [make("span", { title }, "?")];
}

// Returns a turn's steps up to the first that reveals something.
/** @param {RankedMove["turn"]} turn */
const sureSteps = ({ actions, reveals }) => actions.slice(0, (reveals[0] ?? actions.length) + 1);

export class Ranking {
	/** @type {RankedMove[]} */
	moves = [];
	isExplained = false; // whether the meaning of the figures is unfolded
	/** @type {{ action: Action, places: Place[], text: string }} the move that was tapped */
	tapped = null;

	/**
	 * @param {HTMLElement} element
	 * @param {object} calls
	 * @param {(button: HTMLElement, action: Action, then?: Action[]) => void} calls.play plays the move of
	 * a button, and then the steps of its turn
	 * @param {(places: Place[]) => Attributes} calls.pointing makes an element point at places
	 * @param {(moves: RankedMove[]) => void} calls.changed
	 * @param {() => void} calls.stopped handles the end of a search
	 * @param {(player: Player) => string} calls.name
	 */
	constructor(element, { play, pointing, changed, stopped, name }) {
		this.element = element;
		this.play = play;
		this.pointing = pointing;
		this.changed = changed;
		this.stopped = stopped;
		this.name = name;
		this.clear();
	}

	get running() {
		return Boolean(this.search);
	}

	clear() {
		this.cancel();
		this.moves = [];
		this.tapped = null;
		this.element.replaceChildren(
			make(
				"p",
				{ class: "small" },
				tr("“Suggest” shows whole turns and moves, best first, and keeps improving the list."),
			),
		);
	}

	// Stops the search, and the one for the next player; the list stays as it is.
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

	// Starts a search of some seconds or, with the grade "rollout", one that plays the best moves out.
	start(game, node, { seconds, grade }) {
		this.cancel();
		this.node = [game, node];
		this.result = null;
		this.search = new AbortController();
		search(
			game,
			{ node, seconds, grade },
			(result) => {
				if (result.last) {
					this.search = null;
					this.stopped();
				}
				if (result.problems)
					this.element.replaceChildren(make("p", { class: "problem" }, result.problems.join("\n")));
				else this.show(result);
			},
			this.search.signal,
		);
	}

	/** @param {RankingResult} result */
	show(result) {
		this.result = result;
		this.moves = result.moves;
		const examined = result.grade !== "quick";
		const hasSteps = result.moves.slice(0, MAX_TURNS).some(({ turn }) => sureSteps(turn).length > 1);
		replaceContent(this.element, "action", [
			make(
				"p",
				{ class: "small searching" },
				result.last ? tr("The search is over.") : tr("Still searching … “Stop” ends it."),
			),
			make(
				"table",
				{ class: "ranking" },
				make(
					"thead",
					{},
					make(
						"tr",
						{},
						make("th", { scope: "col" }, "#"),
						make("th", { scope: "col" }, tr("Move")),
						make("th", { scope: "col", title: tr("expected share of the win") }, tr("Win")),
						make("th", { scope: "col", title: tr("expected final VP") }, tr("VP")),
						make(
							"th",
							{ scope: "col", title: tr("expected lead over the best opponent in VP") },
							tr("Margin"),
						),
					),
				),
				result.moves.map((move, i) =>
					make("tbody", {}, this.rows(move, i, examined, hasSteps && i < MAX_TURNS)),
				),
			),
			make(
				"p",
				{ class: "small", id: "work" },
				this.work(result) +
					(result.calibrated || result.redeals ? "" : tr("; not calibrated for this game")) +
					(result.of > result.moves.length
						? tr("; {count} more moves", { count: result.of - result.moves.length })
						: ""),
			),
		]);
		this.element.append(
			make(
				"p",
				{ class: "small" },
				result.redeals
					? ""
					: tr("The bot's own choice usually comes first; the margin, not the VP, orders the other moves."),
				" ",
				tr(
					"All figures assume that everybody continues to play as well as the engine, so the VP can be " +
						"much higher than what an easy bot scores.",
				),
				" ",
				examined ? tr("Grey moves are rough estimates.") : tr("Rarely tried moves come last."),
			),
		);
		this.element.append(this.legend());
		if (result.last && result.why) {
			const best = this.element.querySelector(".best .what");
			if (result.moves[1].gain < 0) best.append(...this.reason(result.why));
			this.element.append(this.why(result.why));
		}
		if (result.last) this.element.append(this.nextTurns());
		this.changed(this.moves);
	}

	// Shows `text` below a move; pointing at its row then marks `places`.
	describe(action, places, text) {
		this.tapped = { action, places, text };
		this.show(this.result);
		this.element.querySelector(".leads")?.scrollIntoView({ block: "nearest" });
	}

	// Returns an explanation of the figures, also for people without a mouse.
	legend() {
		const entries = [
			[tr("Win"), tr("expected share of the win")],
			[tr("VP"), tr("expected final VP")],
			[tr("Margin"), tr("expected lead over the best opponent in VP")],
			["±", tr("the standard error: in about two of three cases the true value is no farther away")],
			[
				tr("Roll out"),
				tr("plays the best moves to the end many times, dealing the hidden cards again each time"),
			],
			[tr("iterations"), tr("games simulated by the search; the more, the more certain the figures")],
			[tr("Verified"), tr("the best moves were examined again, one by one")],
		];
		return make(
			"details",
			{
				class: "legend",
				open: this.isExplained,
				ontoggle: (event) => (this.isExplained = event.target.open),
			},
			make("summary", {}, tr("What do the figures mean?")),
			make(
				"dl",
				{ class: "settlement" },
				entries.map(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]),
			),
		);
	}

	/** @param {RankingResult} result */
	work(result) {
		const seconds = number(result.seconds, 1);
		if (result.redeals)
			return tr("Rolled out: played to the end on {redeals} redeals in {seconds} s", {
				redeals: number(result.redeals),
				seconds,
			});
		return tr("{grade}: {iterations} iterations in {seconds} s", {
			grade: result.grade === "verified" ? tr("Verified") : tr("First overview (not yet precise)"),
			iterations: number(result.iterations),
			seconds,
		});
	}

	/**
	 * Returns a line with the sources from which the best move brings more VP than the second one, if any.
	 * @param {ComparedSources} compared
	 */
	reason({ sources }) {
		const gains = sources
			.map(({ name, others }) => ({ name, vp: -others[0] }))
			.filter(({ name, vp }) => name !== TOTAL && vp >= MIN_REASON)
			.sort((one, other) => other.vp - one.vp)
			.slice(0, MAX_REASONS)
			.map(({ name, vp }) => `${sourceName(name)} (${signed(vp)} ${tr("VP")})`);
		if (!gains.length) return [];
		const text = tr("Why rather than #2? Mainly due to {sources}.", { sources: gains.join(", ") });
		return [make("p", { class: "line reason" }, text)];
	}

	/**
	 * Returns the expected VP by source: after the first move, and the differences after other moves.
	 * @param {ComparedSources} compared
	 */
	why({ actions, sources }) {
		const more = (value) => make("td", {}, signed(value));
		return make(
			"details",
			{ class: "sources" },
			make("summary", {}, tr("Why? Expected VP by source")),
			make(
				"table",
				{},
				make(
					"thead",
					{},
					make(
						"tr",
						{},
						make("td", {}),
						actions.map((action, i) =>
							make(
								"th",
								{ scope: "col", title: action },
								`#${i + 1}`,
								i ? make("span", { class: "sr" }, " ", tr("against #1")) : null,
							),
						),
					),
				),
				make(
					"tbody",
					{},
					sources.map(({ name, first, others }) =>
						make(
							"tr",
							{},
							make("th", { scope: "row" }, sourceName(name)),
							make("td", {}, number(first, 1)),
							others.map(more),
						),
					),
				),
			),
			make(
				"p",
				{ class: "small" },
				tr(
					"Expected VP after the first move, and the difference after each other move; " +
						"the rows add up to the VP above.",
				),
			),
		);
	}

	// Shows, on demand, the next player's best replies to the best turn.
	nextTurns() {
		const list = make("div", { role: "status" });
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
							? [make("p", { class: "small" }, tr("The turn is not over yet, or no decision follows it."))]
							: [
									make(
										"p",
										{},
										token(player),
										" ",
										tr("{name}, after your best turn:", { name: this.name(player) }),
									),
									make(
										"ol",
										{},
										moves
											.slice(0, MAX_TURNS)
											.map((move) =>
												make(
													"li",
													{},
													move.turn.words,
													make("small", {}, " ", tr("{share} of the visits", { share: percent(move.share) })),
												),
											),
									),
								]),
					),
				this.threats.signal,
			);
		};
		return make(
			"details",
			{ class: "threats", ontoggle: (event) => event.target.open && ask() },
			make("summary", {}, tr("What comes next? The opponent's best turns")),
			list,
		);
	}

	/**
	 * Returns a row with the turn in words, and a row of figures.
	 * @param {RankedMove} move
	 * @param {number} i
	 * @param {boolean} examined whether the best moves were examined one by one
	 * @param {boolean} hasButton whether a button plays the turn
	 */
	rows(move, i, examined, hasButton) {
		const { reveals, words, complete, undecided } = move.turn;
		const sure = sureSteps(move.turn);
		const tapped = this.tapped?.action === move.action ? this.tapped : null;
		const { onfocus, onblur, ...pointer } = this.pointing(tapped?.places ?? move.places);
		const played = button(move.words, () => this.play(played, move.action), {
			class: "move",
			"data-action": move.action,
			title: move.action,
			onfocus,
			onblur,
		});
		const isWhole = complete || !!reveals.length; // else later steps are open
		const label = isWhole ? tr("▶ turn") : tr("▶ {count} steps", { count: sure.length });
		const whole = button(label, () => this.play(whole, sure[0], sure.slice(1)), {
			class: "quiet whole",
			title: sure.join(" > "),
			"aria-label": isWhole ? tr("Play the turn: {words}", { words }) : null,
		});
		const row = (...cells) =>
			make(
				"tr",
				{ class: i === 0 ? "best" : examined && move.grade === "quick" ? "rough" : "", ...pointer },
				...cells,
			);
		const turn =
			words +
			(reveals.length ? tr(" (depending on what is revealed)") : "") +
			(undecided ? `; ${tr("then several continuations are about equal")}` : complete ? "" : " ..");
		return [
			row(
				make("td", { class: "number", rowspan: 2 }, i + 1),
				make(
					"td",
					{ colspan: 4, class: "what" },
					played,
					hasButton && (isWhole || sure.length > 1) ? whole : null,
					i < MAX_TURNS && (undecided || words !== move.words) ? make("p", { class: "line" }, turn) : null,
					tapped && make("p", { class: "line leads" }, tapped.text),
				),
			),
			row(
				make(
					"td",
					{},
					isWinKnown(move)
						? make("span", { class: "share", style: `--share:${(100 * move.win).toFixed(1)}%` })
						: null,
				),
				make("td", { title: tr("expected share of the win") }, ...win(move)),
				make("td", { title: tr("expected final VP") }, points(move.score), error(move.score_error)),
				make(
					"td",
					{ title: tr("expected lead over the best opponent in VP") },
					move.margin === null ? "–" : signed(move.margin),
					error(move.margin_error),
				),
			),
		];
	}
}
