// One game: board, ranking, log, and what can be done at a decision.

import { Ahead } from "./ahead.js";
import { matched } from "./annotation.js";
import { get, post, read } from "./api.js";
import { Board } from "./board.js";
import {
	attempt,
	button,
	capitalized,
	choices,
	closeButton,
	describeOption,
	dialog,
	entitle,
	field,
	gameTitle,
	make,
	icons,
	ignoreRepeatedTap,
	listGroups,
	listOptions,
	notice,
	openEditor,
	painted,
	select,
	showError,
	showChoices,
	showScores,
	signed,
	sourceName,
	startGame,
	token,
} from "./dom.js";
import { tr } from "./language.js";
import { Log, PARENT, PLAYER, isAgainstBots } from "./log.js";
import { Motion, SPEEDS, chosenSpeed, travelTime } from "./motion.js";
import { Ranking } from "./ranking.js";
import { Strip } from "./strip.js";
import { Tips } from "./tips.js";

const SECONDS = [3, 10, 30, 120];
const PAUSE = 900; // milliseconds between the decisions of a replay
const ZOOM = 1.25;
const MAX_UNFILTERED = 12; // legal moves without a filter
const MAX_GIVEN_UP = 4; // moves that a question names
const LONG = 90; // letters; the text of a longer instruction is smaller

export class TreeView {
	/** @type {TreeState} */
	state = null;

	/** @param {string} id @param {HTMLElement} main */
	constructor(id, main) {
		this.id = id;
		this.main = main;
		this.view = null; // the chosen view; null: that of the player to move
		this.isClosed = false;
		this.busy = false;
		this.isLookingBack = false; // whether the shown decision was made before
		this.isAnew = false; // whether the user makes that decision again
		this.waiting = null; // the node to show after the answer
		/** @type {number | null} how far the page was scrolled when the ranking was raised */
		this.scrolledFrom = null;
		this.decided = null; // the decision to make after the answer
		this.plan = []; // the remaining steps of a suggested turn
		this.playing = null; // the timer of a replay
		this.ahead = new Ahead(
			(node, here) => this.post("at", { node, here }),
			(state) => this.compare(state),
		);
		this.fold = () => (this.ending.hidden = true);
		/** @type {Set<number>} the nodes with a reveal that the user has agreed to take back */
		this.conceded = new Set();
	}

	async start(node) {
		this.build();
		document.addEventListener("click", this.fold, true); // before the click opens another card
		await this.ask("at", { node });
		if (!this.isClosed) this.board.watch();
	}

	leave() {
		this.isClosed = true;
		this.ahead.kept.clear();
		this.replaying(false);
		this.motion.remove();
		this.board.watching?.disconnect();
		document.removeEventListener("click", this.fold, true);
		this.ranking.cancel();
		this.review?.stop();
	}

	// Shows the effects of a choice on its button.
	/** @param {HTMLElement} choice */
	async explain(choice) {
		const preview = await this.board.previewOf(choice.dataset.choice);
		if (!preview || !choice.isConnected) return;
		choice.title = preview.lines.join("\n");
		if (preview.vp) choice.append(make("small", {}, ` ${signed(preview.vp, 0)} ${tr("VP")}`));
	}

	// Shows the effects of a move on its button in the list of a place's moves.
	async describe(button, action) {
		const preview = await this.board.previewOf(action);
		if (preview) describeOption(button, this.state.game, preview);
	}

	build() {
		this.board = new Board(
			(actions, name) => this.choose(actions, name),
			(reason) => this.repeat(reason),
		);
		this.tips = new Tips(this.board);
		this.board.loadPreviews = async () => {
			const { node, gathered } = this.state;
			await painted(); // so that the request does not delay the board
			const query = new URLSearchParams({ node: String(node), gathered: gathered.join("\n") });
			return (await attempt(() => get(`/api/trees/${this.id}/previews?${query}`))) ?? {};
		};
		this.choices = choices();
		this.tips.watch(this.choices);
		this.who = make("p", { class: "who", role: "status", "aria-live": "polite" });
		this.scores = make("ul", { class: "scores", "aria-label": tr("Victory points") });
		this.motion = new Motion(this.board.element, this.scores);
		this.sources = make("details", { class: "card sources sheet" });
		this.next = button("", () => this.playSuggested(this.next, this.plan[0]), {
			title: tr("The next step of the suggested turn (N)"),
			class: "next",
		});
		this.replay = button("▶▶", () => this.replaying(), {
			title: tr("Replay to the end of the line (P)"),
			"aria-label": tr("Replay"),
		});
		this.undo = button(tr("Undo"), () => this.takeBack(), { title: tr("Back to your last decision (U)") });
		this.back = button("◀", () => this.step(-1), {
			title: tr("Go back one decision (←)"),
			"aria-label": tr("Go back one decision"),
		});
		this.on = button("▶", () => this.step(1), {
			title: tr("Go forward one decision (→)"),
			"aria-label": tr("Go forward one decision"),
		});
		this.suggest = button(tr("Suggest"), () => this.think(), {
			title: tr("Search for the best move (S)"),
			class: "main",
		});
		this.rollOut = button(tr("Roll out"), () => this.startSearch("rollout"), {
			title: tr(
				"Play the game to its end many times after each of the best moves, and compare the results. " +
					"It takes a minute or more.",
			),
			class: "quiet",
		});
		this.end = button(tr("Back to the current decision"), () => this.go(this.log.last(this.state.node)));
		this.seconds = select(
			{ id: "seconds", "aria-label": tr("Seconds per search") },
			SECONDS.map((value) => [value, `${value} s`]),
		);
		this.seconds.value = "10";
		this.always = make("input", { type: "checkbox", id: "always", onchange: () => this.think(true) });
		this.viewer = make("select", { id: "view", onchange: () => this.look(this.viewer.value) });
		const ranked = make("div", { "aria-label": tr("Ranking of the moves"), role: "region" });
		this.ranking = new Ranking(ranked, {
			play: (button, action, then) => this.playSuggested(button, action, then),
			pointing: (places) => this.board.pointing(places),
			changed: (moves) => this.board.suggest(moves.map((move) => move.places[0])),
			stopped: () => (this.suggest.textContent = tr("Suggest")),
			name: (player) => this.name(player),
		});
		this.tips.watch(ranked);
		this.ranks = make(
			"section",
			{ class: "card ranks" },
			make(
				"div",
				{ class: "head" },
				make("h2", {}, tr("Best moves")),
				make(
					"span",
					{ class: "head-tools" },
					this.rollOut,
					this.seconds,
					make(
						"label",
						{ for: "always", class: "check", title: tr("Search by itself at every decision") },
						this.always,
						tr("always suggest"),
					),
				),
			),
			closeButton(() => this.lower()),
			ranked,
		);
		this.filter = make("input", {
			id: "filter",
			placeholder: tr("such as build"),
			oninput: () => this.list(),
		});
		this.moves = make("div", { class: "legal" });
		this.tips.watch(this.moves);
		this.legal = make(
			"details",
			{ class: "card legal-moves" },
			make("summary", {}, tr("Legal moves")),
			field(tr("Only those with"), this.filter),
			this.moves,
		);
		const log = make("div", {
			class: "scroll",
			tabindex: "0",
			"aria-label": tr("Decisions so far"),
			role: "region",
		});
		this.log = new Log(
			log,
			(node) => this.go(node),
			(node) => this.summarize(node),
		);
		this.strip = new Strip({
			go: (node) => this.go(node),
			look: (player) => this.board.raiseBoard(player),
		});
		this.ending = make("section", { class: "card ending", role: "status", hidden: true });
		const review = make("section", { class: "card analysis", hidden: true });
		/** @type {import("./review.js").Review} */
		this.review = null;
		this.loadReview = async () => {
			const { Review } = await import("./review.js");
			this.review ??= new Review(review, {
				go: (node) => this.go(node),
				changed: (bad) => (this.log.mistakes(bad), this.showLevel()),
				reveal: () => this.judgeAll(),
			});
			return this.review;
		};
		this.level = make("p", { class: "level", role: "status" });
		this.result = make("section", { class: "card result", hidden: true });
		this.notation = make("input", {
			type: "checkbox",
			id: "notation",
			onchange: () => this.showNotation(this.notation.checked),
		});
		this.speed = select({ id: "speed", onchange: () => localStorage.setItem("speed", this.speed.value) }, [
			["instant", tr("instant")],
			["normal", tr("normal")],
			["slow", tr("slow")],
		]);
		this.speed.value = chosenSpeed();
		this.tools = make("div", { class: "buttons" });
		this.main.className = "tree";
		this.main.replaceChildren(
			make(
				"section",
				{ class: "card now game" },
				this.who,
				this.choices,
				this.scores,
				make("div", { class: "buttons" }, this.suggest, this.undo, this.back, this.on, this.replay),
				this.strip.element,
			),
			this.result,
			this.ending,
			make("section", { class: "pane" }, this.board.element),
			this.ranks,
			review,
			this.legal,
			make("section", { class: "card logs" }, make("h2", {}, tr("Log")), log),
			this.sources,
			make(
				"section",
				{ class: "card tools" },
				field(tr("View"), this.viewer),
				field(tr("Speed"), this.speed),
				this.tools,
				make("label", { for: "notation", class: "check" }, this.notation, tr("Show the notation of moves")),
			),
			this.tips.box,
		);
		this.showNotation(localStorage.getItem("notation") === "yes");
	}

	showNotation(on) {
		this.notation.checked = on;
		this.main.classList.toggle("notation", on);
		localStorage.setItem("notation", on ? "yes" : "no");
	}

	// Sends a request about the current node, and shows the answer. Of the nodes and decisions requested
	// meanwhile, only the last ones are kept. A decision is made only at its own node, and never twice.
	/** @param {string} what @param {Record<string, any>} request */
	async ask(what, request = {}) {
		if (this.busy) {
			if (what === "at") this.waiting = request;
			else this.decided = { what, request };
			return;
		}
		this.busy = true;
		this.ranking.stop();
		try {
			const { again, anew = false, ...body } = request;
			if (what !== "at") this.ahead.kept.clear();
			const ahead = body.node === this.state?.node ? null : this.ahead.kept.get(body.node);
			const state = await (ahead ?? this.post(what, body));
			if (this.isClosed) return;
			this.isLookingBack = what === "at" && state.nodes.some(([parent]) => parent === state.node);
			this.isAnew = anew;
			this.show(state);
			if (what === "at") this.ahead.surround(state, this.beside());
		} catch (error) {
			this.decided = null;
			if (!this.state)
				this.main.replaceChildren(
					make(
						"div",
						{ class: "card" },
						make("p", { class: "problem" }, error.message),
						make("a", { href: "#" }, tr("All games")),
					),
				);
			else if (error.asks) this.askReveals(error.asks, request);
			else if (request.again)
				request.again(error); // the answers contradict the position, so the questions are asked again
			else showError(error);
		} finally {
			this.busy = false;
		}
		const { waiting } = this;
		this.waiting = null;
		if (this.isClosed) return;
		if (waiting) {
			await this.ask("at", waiting);
			return;
		}
		const { decided } = this;
		this.decided = null;
		if (decided && this.isShown(decided.request)) await this.ask(decided.what, decided.request);
		else await this.afterwards();
	}

	post(what, body) {
		return post(`/api/trees/${this.id}/${what}`, { view: this.view, ...body });
	}

	// Returns the nodes one step away.
	beside() {
		const { node } = this.state;
		return [this.log.next(node), this.log.parent(node)].filter((one) => one !== null);
	}

	// Shows the node again if another tab has changed the game.
	/** @param {TreeState} ahead */
	compare({ nodes, opened }) {
		if (nodes.length === this.state.nodes.length && opened === this.state.opened) return;
		this.ahead.kept.clear();
		if (!this.busy) this.ask("at", { node: this.state.node });
	}

	/**
	 * Returns whether a request concerns the shown node and elements of a set.
	 * @param {{ node?: number, gathered?: Action[] }} request
	 */
	isShown({ node, gathered = [] }) {
		return node === this.state?.node && String(gathered) === String(this.state.gathered);
	}

	// Bots decide at the end of a line and after a decision, even after one that was undone before, but
	// not at an earlier node that the user is viewing.
	async afterwards() {
		const { state } = this;
		if (!state) return;
		if (state.bot && !this.isLookingBack) {
			const pause = SPEEDS[this.speed.value];
			if (state.node && pause) await new Promise((done) => setTimeout(done, pause));
			if (!this.isClosed && this.state === state) await this.advance();
		} else if (this.always.checked) this.think(true);
	}

	advance() {
		return this.ask("advance", { node: this.state.node });
	}

	go(node, anew = false) {
		this.plan = [];
		return this.ask("at", { node, anew });
	}

	look(view) {
		this.view = view === "" ? null : view === "open" ? view : Number(view);
		this.ahead.kept.clear();
		return this.go(this.state.node);
	}

	// Plays a move. With `exact`, the move is played at once instead of being added to the gathered set, and
	// the actions `then` follow.
	play(action, { exact = false, then = [] } = {}) {
		const { node, gathered, legal } = this.state;
		this.fold();
		const ranked = this.ranking.moves.find((move) => move.action === action);
		this.plan =
			this.plan[0] === action
				? this.plan.slice(1)
				: then.length || !ranked
					? []
					: ranked.turn.actions.slice(1);
		ignoreRepeatedTap();
		if (legal.some(([one]) => one === action))
			return this.ask("play", { node, action, gathered, exact, then });
		notice(tr("You cannot play this move here."));
		return null;
	}

	// Plays a suggested move at once (`exact`). On a touch screen, the first tap shows a preview: in the
	// ranking, if the move is there, and on the board.
	async playSuggested(button, action, then = []) {
		const ranked = this.ranking.moves.find((move) => move.action === action);
		const show = (lines, changed) => {
			const places = changed.length ? changed : ranked.places.slice(0, 1 + then.length);
			this.board.bring(places.find(Boolean));
			this.board.lead(places);
			this.ranking.describe(action, places, lines.join(" "));
		};
		if (!(await this.tips.isFirstTap(button, action, button === this.next ? null : show)))
			await this.play(action, { exact: true, then });
	}

	// Plays the move of a button. The first tap shows the move's effects, unless a dialog asks anyway.
	async press(action) {
		const choice = this.choices.querySelector(`[data-choice="${CSS.escape(action)}"]`);
		if (this.state.declining[action] || !(await this.tips.isFirstTap(choice))) await this.decline(action);
	}

	// Plays a move, after a confirmation if the move gives something up.
	async decline(action) {
		const { declining, legal, words } = this.state;
		const others = legal.map(([one]) => one).filter((one) => !(one in declining));
		if (!declining[action] || !others.length) return this.play(action);
		const things = await Promise.all(
			others.slice(0, MAX_GIVEN_UP).map(async (one) => {
				const vp = (await this.board.previewOf(one))?.vp;
				return `${words[one] ?? one}${vp ? ` (${signed(vp, 0)} ${tr("VP")})` : ""}`;
			}),
		);
		const choice = capitalized(words[action] ?? action);
		const box = dialog(
			`${choice}?`,
			make("p", {}, tr("You give up what you could do here:")),
			make(
				"ul",
				{},
				[...things, ...(others.length > things.length ? ["…"] : [])].map((thing) => make("li", {}, thing)),
			),
			make(
				"div",
				{ class: "buttons" },
				button(tr("Back"), () => box.close(), { class: "main" }),
				button(choice, () => (box.close(), this.play(action)), { class: "quiet" }),
			),
		);
		return null;
	}

	/** @param {TreeState} state */
	show(state) {
		const moved =
			!this.state || this.state.node !== state.node || this.state.nodes.length !== state.nodes.length;
		const hasGoneOn = this.state && state.nodes.length > this.state.nodes.length;
		const from = hasGoneOn ? this.state.node : state.node;
		this.motion.finish();
		if (moved) this.lower(); // before the places of the pieces are measured
		const time = travelTime();
		const move = this.state && moved && time ? this.motion.prepare(this.state, state, time) : null;
		this.state = state;
		this.tips.load(state.game);
		this.tips.hide();
		this.names = state.names;
		localStorage.setItem("game", state.game); // its puzzle of the day is offered
		entitle(gameTitle(state));
		this.log.show(state);
		const end = this.log.lastEnd(from, state.node);
		if (end !== null) this.summarize(end);
		this.showNow(state); // comes before the board, which fills the rest of the window
		const isNew = !this.log.children[state.node].length;
		const watched = this.board.raisedBoard();
		const mover = this.strip.show(state); // first, because the board takes the room that is left
		this.board.show(state, this.ownSeat(state), { opens: isNew, made: this.strip.places(state) });
		if (mover !== null && !this.board.open && (watched !== null || this.isLookingBack))
			this.board.raiseBoard(mover);
		this.choices
			.querySelectorAll("[data-choice]")
			.forEach((one) => this.explain(/** @type {HTMLElement} */ (one)));
		if (moved) this.ranking.clear();
		else this.board.suggest(this.ranking.moves.map((move) => move.places[0]));
		this.board.lead(state.legal.filter(([action]) => action === this.plan[0]).map(([, place]) => place));
		move?.();
		this.review?.at(state.node);
		this.showViews(state);
		this.showTools(state);
		this.filter.value = "";
		this.list();
		this.log.reveal();
		// This comes last, because it makes the browser style the page.
		history.replaceState(null, "", `#${this.id}/${state.node}`);
	}

	// Returns the player whose board is always first.
	ownSeat({ observer, locked, seats, view }) {
		return (
			observer ??
			(locked ? view : typeof this.view === "number" ? this.view : Math.max(0, seats.indexOf(null)))
		);
	}

	// After a click that does nothing, repeats what is to be decided.
	repeat(reason) {
		notice(`${reason}\n${this.sentence()}`);
	}

	name(player) {
		return this.names[player];
	}

	// Returns whether the decision was made before, in the user's game.
	isPast() {
		const { bot, player } = this.state;
		return this.isLookingBack && !this.isAnew && (bot || this.name(player) === tr("You"));
	}

	// Returns a sentence about the decision and the player who makes it or, after the game, about the winners.
	sentence() {
		const { player, ranks, bot, gathered, instruction, so_far: things } = this.state;
		if (player === null) {
			const won = ranks.flatMap((rank, one) => (rank === 1 ? [this.name(one)] : []));
			if (won.length > 1) return tr("The game is over. Winners: {players}.", { players: won.join(", ") });
			return won[0] === tr("You")
				? tr("The game is over. You won.")
				: tr("The game is over. {player} won.", { player: won[0] });
		}
		const name = this.name(player);
		if (bot && this.isPast()) return tr("Looking back: {name} decides here.", { name });
		if (bot) return tr("{name} is thinking …", { name });
		if (this.isPast()) return tr("Looking back: {instruction}", { instruction });
		const text =
			name === tr("You")
				? tr("Your turn: {instruction}", { instruction })
				: tr("{name}: {instruction}", { name, instruction });
		// Numbers in brackets would not include what has been gathered, so they are omitted.
		const counted = gathered.length ? text.replace(/ \([^)]*\)(?=\.)/, "") : text;
		return things ? `${counted} ${tr("So far: {things}.", { things })}` : text;
	}

	/** @param {TreeState} state */
	showNow(state) {
		const sentence = this.sentence();
		this.who.classList.toggle("long", sentence.length > LONG);
		this.who.parentElement.classList.toggle("many", state.scores.length > 2);
		this.who.replaceChildren(
			...(state.player === null ? [] : [token(state.player)]),
			make("span", {}, sentence),
		);
		const next = state.legal.find(([action]) => action === this.plan[0]);
		this.next.textContent = tr("As suggested: {action}", {
			action: state.words[this.plan[0]] ?? this.plan[0] ?? "",
		});
		showChoices(
			this.choices,
			state,
			(action) => this.press(action),
			...listGroups(state).map(([name, actions]) =>
				button(capitalized(name), () => this.choose(actions, name), { class: "choice placed" }),
			),
			...(next ? [this.next] : []),
			...(this.isPast() ? [this.end] : []),
		);
		showScores(this.scores, state);
		this.showSources(state);
		this.showResult(state);
		const mine = state.legal.length > 0;
		this.suggest.disabled = this.rollOut.disabled = !mine;
		this.undo.disabled = !state.gathered.length && this.lastOwn() === null;
		this.back.disabled = state.node === 0;
		this.on.disabled = this.replay.disabled = this.log.next(state.node) === null;
	}

	// Shows all players' VP by source. After the game, the result shows them.
	showSources({ sources, player }) {
		this.sources.hidden = player === null || !Object.keys(sources).length;
		this.sources.replaceChildren(make("summary", {}, tr("VP by source")), this.scoreSheet());
	}

	scoreSheet() {
		const { sources, scores } = this.state;
		const tokens = scores.map((_, one) => make("th", { scope: "col" }, token(one), " ", this.name(one)));
		const row = (name, vp) =>
			make(
				"tr",
				{},
				make("th", { scope: "row" }, name),
				vp.map((one) => make("td", {}, one)),
			);
		return make(
			"table",
			{ class: "sources" },
			make("thead", {}, make("tr", {}, make("td", {}), tokens)),
			make(
				"tbody",
				{},
				Object.entries(sources).map(([name, vp]) => row(sourceName(name), vp)),
			),
			make("tfoot", {}, row(tr("total"), scores)),
		);
	}

	// Shows who won, the VP by source, and what can be done next. A game against bots is analysed at once.
	/** @param {TreeState} state */
	showResult(state) {
		const isOver = state.player === null;
		const appears = isOver && this.result.hidden;
		this.result.hidden = !isOver;
		this.main.classList.toggle("over", isOver);
		if (!appears) return;
		// on a narrow page, the result covers the board only when it appears for the first time
		this.result.classList.toggle("up", !this.hasResult);
		this.hasResult = true;
		const { game, seats, options, has_record: canAnalyse } = state;
		const isPlayed = isAgainstBots(state);
		const again = (others) => startGame(game, others, options);
		const buttons = make(
			"div",
			{ class: "buttons" },
			canAnalyse ? button(tr("Analyse"), () => this.analyse(), { class: "main" }) : null,
			isPlayed ? button(tr("Play again"), () => again(seats)) : null,
		);
		const close = closeButton(() => this.result.classList.remove("up"));
		this.result.replaceChildren(make("h2", {}, tr("Result")), close, this.level, buttons, this.scoreSheet());
		this.level.textContent = "";
		if (isPlayed && canAnalyse) this.analyse(false);
		if (isPlayed) this.offerRematch(buttons, again);
	}

	// Adds a button for the same game against bots of the next level, if there is one.
	async offerRematch(buttons, again) {
		const { game, seats } = this.state;
		const answer = await attempt(() => get("/api/start"));
		const levels = Object.keys(answer?.games.find((one) => one.name === game)?.levels[seats.length] ?? {});
		const up = (bot) => (bot ? (levels[levels.indexOf(bot) + 1] ?? bot) : null);
		if (seats.some((bot) => bot && levels.includes(bot) && up(bot) !== bot))
			buttons.append(button(tr("Rematch one level up"), () => again(seats.map(up))));
	}

	// Shows the user's level in the game, once the analysis has verified the mistakes.
	showLevel() {
		const { done, game, progress } = this.review;
		const own = this.names.indexOf(tr("You"));
		const one = game?.strengths?.find(({ player }) => player === own);
		this.level.textContent = !done
			? tr("Analysing: {progress}.", { progress })
			: !one
				? ""
				: tr("Your play: {level}.", { level: matched(one) });
	}

	// Shows what happened at the end of a part of the game, until the next click or move.
	summarize(node) {
		this.ending.replaceChildren(closeButton(this.fold), ...this.log.card(node));
		this.ending.hidden = false;
	}

	showViews({ views, view, locked }) {
		const label = (one) =>
			one === "open" ? tr("nobody: all cards open") : locked ? tr("You") : this.name(one);
		const options = views.map((one) => make("option", { value: one }, label(one)));
		if (views.length > 1) options.unshift(make("option", { value: "" }, tr("the player to decide")));
		this.viewer.replaceChildren(...options);
		this.viewer.value = this.view ?? (views.length > 1 ? "" : view);
		this.viewer.disabled = views.length === 1;
	}

	/** @param {TreeState} state */
	showTools(state) {
		const link = (text, path) => make("a", { class: "button", href: path, download: true }, text);
		this.tools.replaceChildren(
			...[
				button("A+", () => this.zoom(ZOOM), { title: tr("Larger (+)"), "aria-label": tr("Larger board") }),
				button("A−", () => this.zoom(1 / ZOOM), {
					title: tr("Smaller (-)"),
					"aria-label": tr("Smaller board"),
				}),
				button(tr("Edit the position"), () => this.edit(), { title: tr("As a position file (E)") }),
				link(tr("Save the position"), this.positionFile()),
				state.svg
					? button(tr("Share the position"), () => this.share(), {
							title: tr("As an address, or as a picture"),
						})
					: null,
				state.has_record
					? button(tr("Analyse this game"), () => this.analyse(), {
							title: tr("Every decision judged, in the background"),
						})
					: null,
				state.has_record
					? link(tr("Save the record"), `/api/trees/${this.id}/record?node=${this.log.last(state.node)}`)
					: null,
				state.locked ? button(tr("Open all cards"), () => this.openAll()) : null,
			].filter(Boolean),
		);
	}

	list() {
		const { legal, words } = this.state;
		const word = this.filter.value.trim().toLowerCase();
		this.filter.parentElement.hidden = legal.length <= MAX_UNFILTERED;
		this.legal.querySelector("summary").textContent = tr("Legal moves ({count})", { count: legal.length });
		this.moves.replaceChildren(
			...legal
				.filter(([action]) => `${action} ${words[action] ?? ""}`.toLowerCase().includes(word))
				.map((entry) =>
					this.option(
						entry,
						async (choice, action) => (await this.tips.isFirstTap(choice, action)) || this.play(action),
					),
				),
		);
	}

	option([action, place], chosen) {
		const { game, pieces, words } = this.state;
		const ranked = this.ranking.moves.findIndex((move) => move.action === action);
		return make(
			"button",
			{
				type: "button",
				class: "move entry",
				onclick: (event) => chosen(event.currentTarget, action),
				...this.board.pointing([place]),
			},
			icons(game, pieces[action]),
			words[action] ? capitalized(words[action]) : action,
			" ",
			words[action] ? make("code", {}, action) : null,
			ranked >= 0 ? make("small", {}, ` #${ranked + 1}`) : null,
		);
	}

	// In a followed game, asks what a move revealed, then plays the move.
	async askReveals(asks, request) {
		const { askReveals } = await import("./reveals.js"); // on demand, because few games ask
		askReveals(this.state, asks, request, (answered) => this.ask("play", answered));
	}

	// Plays the only action of a place, or asks for a choice.
	choose(actions, name) {
		if (actions.length === 1) return this.play(actions[0]);
		const box = dialog(
			this.state.question,
			make("p", { class: "small place" }, name),
			...listOptions(
				actions.map((action) => {
					const button = this.option([action, null], () => (box.close(), this.play(action)));
					this.describe(button, action);
					return button;
				}),
			),
		);
		box.classList.add("aside");
		return null;
	}

	// Starts or stops a search; `automatic` means that the user pressed neither button nor key.
	think(automatic = false) {
		if (this.ranking.running) {
			if (!automatic || !this.always.checked) this.ranking.stop();
			return;
		}
		if (!this.state.legal.length || (automatic && !this.always.checked)) return;
		this.startSearch();
	}

	startSearch(grade = null) {
		this.ranking.cancel();
		const { width } = this.suggest.getBoundingClientRect();
		this.suggest.style.minWidth = `${width}px`; // so that nothing beside it moves
		this.suggest.textContent = tr("Stop");
		this.ranking.start(this.id, this.state.node, { seconds: Number(this.seconds.value), grade });
		if (!this.board.isNarrow()) return;
		// The ranking covers a part of the page until the user closes it or makes a move.
		this.ranks.classList.add("up");
		this.strip.unfold(false);
		this.scrolledFrom ??= scrollY;
	}

	// Closes a raised ranking, and ends the search, so that one tap starts the next search.
	lower() {
		this.ranking.stop();
		this.ranks.classList.remove("up");
		if (this.scrolledFrom !== null) scrollTo(0, this.scrolledFrom);
		this.scrolledFrom = null;
	}

	// Returns the node of the user's last decision before this one.
	lastOwn() {
		const { seats, opened, nodes, node } = this.state;
		for (let at = node; at; at = nodes[at][PARENT])
			if (opened || !seats[nodes[at][PLAYER]]) return nodes[at][PARENT];
		return null;
	}

	// Takes back the last decision. If something was revealed since, asks the user first, once per reveal.
	takeBack() {
		const { gathered, node, nodes, revealing } = this.state;
		const to = gathered.length ? node : this.lastOwn();
		if (to === null) return null;
		const seen = [];
		for (let at = node; at !== to; at = nodes[at][PARENT])
			if (revealing.includes(at) && !this.conceded.has(at)) seen.push(at);
		if (!seen.length) return this.go(to, true);
		const goBack = () => {
			for (const at of seen) this.conceded.add(at);
			box.close();
			this.go(to, true);
		};
		const box = dialog(
			tr("Take it back all the same?"),
			make(
				"p",
				{},
				tr(
					"You have seen what was drawn or revealed since that decision. The log marks the line " +
						"as taken back after a reveal.",
				),
			),
			make(
				"div",
				{ class: "buttons" },
				button(tr("Play on"), () => box.close(), { class: "main" }),
				button(tr("Take it back"), goBack, { class: "quiet" }),
			),
		);
		return null;
	}

	// Starts or stops the replay, which shows one decision after another until the end of the line.
	replaying(on = !this.playing) {
		clearInterval(this.playing);
		this.playing = on
			? setInterval(() => {
					const to = this.log.next(this.state.node);
					if (to === null || this.isClosed) this.replaying(false);
					else if (!this.busy) this.go(to);
				}, PAUSE)
			: null;
		this.replay.textContent = on ? "⏸" : "▶▶";
		this.replay.setAttribute("aria-label", on ? tr("Pause") : tr("Replay"));
	}

	zoom(by) {
		this.board.zoom = Math.min(Math.max(this.board.zoom * by, 1), 4);
		this.board.arrange();
	}

	step(by) {
		const { node } = this.state;
		const to = by < 0 ? this.log.parent(node) : this.log.next(node);
		if (to !== null) this.go(to);
	}

	// Analyses the line through this position to its end.
	async analyse(show = true) {
		const line = [];
		for (let node = this.log.last(this.state.node); node; node = this.log.parent(node)) line.unshift(node);
		if (!line.length) return;
		const review = await attempt(this.loadReview);
		if (!review || this.isClosed) return;
		if (line.at(-1) !== review.end)
			review.start(this.id, line, this.state.nodes, {
				people: this.state.seats.map((bot) => !bot),
				isLocked: this.state.locked,
			});
		this.result.classList.toggle("up", !show && this.result.classList.contains("up"));
		if (show) review.element.scrollIntoView({ block: "nearest" });
	}

	// Opens all cards of a finished game and judges every player.
	async judgeAll() {
		await this.ask("open", { node: this.state.node });
		this.review.end = null;
		this.analyse();
	}

	edit() {
		return attempt(async () => openEditor(await read(this.positionFile())));
	}

	share() {
		const { node, view } = this.state;
		const picture = `/api/trees/${this.id}/picture?node=${node}&view=${view}`;
		return attempt(async () => (await import("./share.js")).share(this.positionFile(), picture));
	}

	positionFile() {
		const { view, player, node } = this.state;
		return `/api/trees/${this.id}/position?node=${node}&view=${view === "open" ? (player ?? 0) : view}`;
	}

	openAll() {
		if (
			confirm(
				tr(
					"Open all cards? From then on this game is only for study, and bots no longer play by themselves.",
				),
			)
		)
			this.ask("open", { node: this.state.node });
	}

	key(event) {
		if (!this.state) return;
		const { node } = this.state;
		const to = {
			ArrowLeft: () => this.log.parent(node),
			ArrowRight: () => this.log.next(node),
			ArrowUp: () => this.log.sibling(node, -1),
			ArrowDown: () => this.log.sibling(node, 1),
			Home: () => 0,
			End: () => this.log.last(node),
		}[event.key];
		const does = {
			s: () => this.think(),
			u: () => this.takeBack(),
			n: () => this.next.isConnected && this.play(this.plan[0], { exact: true }),
			p: () => this.replaying(),
			m: () => {
				const to = this.review?.next(node) ?? null;
				if (to !== null) this.go(to);
			},
			"+": () => this.zoom(ZOOM),
			"-": () => this.zoom(1 / ZOOM),
			e: () => this.edit(),
			escape: () => (this.fold(), this.strip.unfold(false)),
			i: () => this.tips.visit(this.tips.pieces()[0]),
			l: () => {
				this.legal.open = true;
				this.moves.querySelector("button")?.focus();
			},
		}[event.key.toLowerCase()];
		if (to) {
			const target = to();
			// The up and down keys scroll if there is no other branch.
			if (target === null && /Up|Down/.test(event.key)) return;
			event.preventDefault();
			if (target !== null && target !== node) this.go(target);
		} else if (does) {
			event.preventDefault();
			does();
		} else if (/^[1-9]$/.test(event.key)) {
			const move = this.ranking.moves[Number(event.key) - 1];
			if (move) this.play(move.action, { exact: true });
		}
	}
}
