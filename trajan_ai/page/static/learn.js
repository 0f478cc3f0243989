// The guided first game of a title: one lesson after the other on the board of a fixed deal. Only the
// click that a lesson asks for leads to the next step; after any other click, the page repeats what to
// do. The browser stores the step, so that a user can leave and come back.

import { get } from "./api.js";
import { Board, selectorOf } from "./board.js";
import {
	button,
	capitalized,
	choices,
	describeOption,
	dialog,
	entitle,
	gameName,
	icons,
	ignoreRepeatedTap,
	listOptions,
	make,
	notice,
	showChoices,
	showError,
	showScores,
	startGame,
} from "./dom.js";
import { readProgress, storeProgress } from "./guide_progress.js";
import { tr } from "./language.js";
import { settlement, splitEnd } from "./log.js";
import { Motion, travelTime } from "./motion.js";
import { Tips } from "./tips.js";

const LESSON = 300; // pixels at the bottom of a phone's window
const REPLY = 3; // a whole turn of the opponent, shown at once, takes this many times as long

export class Guide {
	/** @type {GuideStep} */
	state = null;

	/** @param {HTMLElement} main @param {string} game */
	constructor(main, game) {
		this.main = main;
		this.game = game;
	}

	async start() {
		entitle(tr("Learn {game}", { game: gameName(this.game) }));
		this.build();
		const { step = 0, ended = false } = readProgress(this.game) ?? {};
		// if the stored step no longer exists, the guide starts at its beginning
		await this.go(ended ? 0 : step, () => this.go(0));
		if (!this.isClosed) this.board.watch();
	}

	leave() {
		this.isClosed = true;
		this.clearNotice();
		document.documentElement.classList.remove("guided");
		clearTimeout(this.replying);
		this.motion.remove();
		this.board.watching?.disconnect();
	}

	build() {
		this.board = new Board(
			(actions) => this.choose(actions),
			(reason) => this.refuse(reason),
		);
		this.tips = new Tips(this.board);
		this.board.commits = (action) => action === this.state.action;
		this.board.covered = LESSON;
		// As in a game, the first tap on the expected move shows its effects. Other moves are
		// refused at once.
		this.board.loadPreviews = async () => {
			const { action, previews } = this.state;
			return action in previews ? { [action]: previews[action] } : {};
		};
		this.who = make("p", { class: "who" });
		this.task = make("p", { class: "small task", role: "status", "aria-live": "polite", tabindex: "0" });
		this.scores = make("ul", { class: "scores", "aria-label": tr("Victory points") });
		this.motion = new Motion(this.board.element, this.scores);
		this.choices = choices();
		this.tips.watch(this.choices);
		this.back = button("◀", () => this.go(this.state.step - 1), {
			title: tr("A step back (←)"),
			"aria-label": tr("A step back"),
		});
		this.again = button(tr("Read again"), () => this.explainAgain(), { class: "again" });
		this.next = button(tr("Next"), () => this.onwards(), { class: "main" });
		this.text = make("div", { class: "text", tabindex: "-1" });
		this.fold = button(tr("To the board"), () => this.unfold(false), { class: "main fold" });
		this.lesson = make(
			"section",
			{ class: "card lesson", "aria-label": tr("Lesson") },
			this.text,
			make("div", { class: "buttons" }, this.fold, this.next),
		);
		this.list = make("ol", { class: "log exercises" });
		// The next touch closes the notice about a wrong move, and reaches what lies below it.
		this.main.addEventListener("pointerdown", () => this.clearNotice());
		this.main.className = "tree guide";
		// A class replaces a selector with `:has`, which browsers would check at every change.
		document.documentElement.classList.add("guided");
		this.main.replaceChildren(
			make(
				"section",
				{ class: "card now" },
				this.who,
				this.task,
				this.choices,
				this.scores,
				make(
					"div",
					{ class: "buttons" },
					this.back,
					this.again,
					make("a", { class: "button", href: "#" }, tr("Continue later")),
				),
			),
			make("section", { class: "pane" }, this.board.element),
			this.lesson,
			make("section", { class: "card logs" }, make("h2", {}, tr("Lessons")), this.list),
			this.tips.box,
		);
	}

	// Shows a step, or calls a function with the error if it cannot be loaded.
	async go(step, failed = showError) {
		if (this.busy || step < 0) return;
		this.busy = true;
		let state;
		try {
			state = await get(`/api/guides/${this.game}/${step}`);
		} catch (error) {
			this.busy = false;
			await failed(error);
			return;
		}
		this.busy = false;
		if (!this.isClosed) this.show(state);
	}

	/** @param {GuideStep} state */
	show(state) {
		const hadFocus = this.main.contains(document.activeElement);
		this.motion.finish();
		const isReply =
			state.kind === "meanwhile" && state.step === this.state?.step + 1 && this.state.kind === "after";
		const time = travelTime() * (isReply ? REPLY : 1);
		const at = (one) => ({ ...one, node: one.step });
		const move = this.state && time ? this.motion.prepare(at(this.state), at(state), time) : null;
		this.state = state;
		const { step, lesson, kind, opens, texts, ideas, action, language } = state;
		for (const element of [this.task, this.list]) element.lang = language;
		storeProgress(this.game, { step, lesson, ended: kind === "end" });
		localStorage.setItem("game", this.game); // this game is offered first
		this.clearNotice();
		this.tips.load(this.game);
		this.tips.hide();
		this.who.replaceChildren(
			kind === "welcome"
				? tr("Welcome")
				: kind === "end"
					? tr("The end of the guide")
					: (texts.heading ?? `${lesson + 1}/${ideas.length} ${texts.idea}`),
		);
		showScores(this.scores, state);
		showChoices(this.choices, state, (chosen) => this.press(chosen));
		for (const one of this.choices.children) {
			const isWanted = /** @type {HTMLElement} */ (one).dataset.choice === action;
			one.classList.toggle("pointed", isWanted);
			one.classList.toggle("plain", !isWanted);
		}
		this.text.replaceChildren(...this.explain());
		this.back.disabled = step === 0;
		this.next.hidden = action !== null;
		this.next.textContent = kind === "welcome" ? tr("Begin") : tr("Next");
		if (kind === "end") this.next.textContent = tr("Play a whole game");
		const button = this.next.textContent;
		const task = action ? texts.text : tr("Read the text, then continue with “{button}”.", { button });
		// The text, which may cover the board, appears once the pieces have arrived.
		clearTimeout(this.replying);
		const waits = isReply && move !== null;
		this.task.textContent = waits ? "" : task;
		this.unfold((opens || action === null) && !waits);
		if (waits)
			this.replying = setTimeout(() => {
				this.task.textContent = task;
				this.unfold(true);
			}, time);
		this.list.replaceChildren(...ideas.map((idea, number) => this.entry(idea, number)));
		this.board.show(state, 0);
		this.point(hadFocus);
		move?.();
	}

	// Returns the text of a lesson: why and what to do, its result, or what the opponent did.
	explain() {
		const { kind, texts, language, happened, names } = this.state;
		const [, end] = splitEnd(happened);
		const title = (text) => make("h2", {}, text);
		const paragraph = (text, attributes = {}) => make("p", { lang: language, ...attributes }, text);
		const parts = {
			welcome: () => [paragraph(texts.text)],
			click: () => [
				title(texts.idea),
				paragraph(texts.why),
				...this.legend(),
				paragraph(texts.goal, { class: "goal" }),
			],
			after: () => [title(tr("What it brought")), paragraph(texts.brought)],
			meanwhile: () => [
				title(texts.heading ?? tr("What happened meanwhile")),
				paragraph(texts.meanwhile),
				...(end.length ? [settlement(end, names)] : []),
			],
			page: () => [title(texts.idea), paragraph(texts.text), ...this.legend()],
			end: () => [paragraph(texts.text)],
		};
		return parts[kind]();
	}

	// Returns pictures of the pieces that a lesson names for the first time.
	legend() {
		const { game, symbols } = this.state;
		if (!symbols.length) return [];
		const entry = ([symbol, name]) => make("span", {}, icons(game, [symbol]), name);
		return [make("p", { class: "legend" }, symbols.map(entry))];
	}

	// Returns an entry of the list of lessons, which opens that lesson.
	entry(idea, number) {
		const { lesson, starts } = this.state;
		return make(
			"li",
			{},
			button(idea, () => this.go(starts[number]), {
				class: "move",
				"aria-current": number === lesson ? "step" : null,
			}),
		);
	}

	// Marks the place to click or what the opponent changed, in a raised panel if necessary, and moves
	// the focus there.
	point(hadFocus) {
		const { action, legal, changed } = this.state;
		const place = legal.find(([one]) => one === action)?.[1];
		const selector = selectorOf(place ?? changed[0] ?? "");
		const panel = this.board.panels.find(({ group }) => group.querySelector(selector));
		if (panel && !panel.shown && this.board.open !== panel.name) this.board.raise(panel);
		this.board.lead([place ?? null]);
		this.board.mark(changed, "last");
		const target = panel?.group.querySelector(selector);
		if (this.board.isNarrow()) {
			scrollTo(0, 0); // so that the board is at the same place in every step
			target?.scrollIntoView({ block: "nearest" });
		}
		const button = action === null ? this.next : this.choices.querySelector(".pointed");
		const next = /** @type {HTMLElement | null} */ ((action && target) ?? button);
		if (hadFocus) next?.focus({ preventScroll: true });
	}

	// On a narrow page, the text of a lesson covers everything below the board, except the buttons of choices,
	// until the user closes it.
	unfold(open) {
		this.lesson.classList.toggle("open", open);
		const next = open && this.board.isNarrow() ? this.lesson.lastElementChild : this.scores;
		next.before(this.choices);
		this.again.disabled = open; // the text is open
	}

	explainAgain() {
		this.unfold(true);
		this.text.focus();
	}

	async press(action) {
		const choice = this.choices.querySelector(`[data-choice="${CSS.escape(action)}"]`);
		if (action !== this.state.action || !(await this.tips.isFirstTap(choice))) this.choose([action]);
	}

	// Continues if the lesson asks for the clicked action. Where several actions are possible at a place,
	// the user chooses one, as in a game.
	choose(actions) {
		const { step, action, game, pieces, words, previews } = this.state;
		if (!actions.includes(action)) {
			const reason = tr("This move is allowed, but in this first game please follow the lesson.");
			const move = capitalized(words[actions[0]] ?? actions[0]); // the words name the price
			this.refuse(actions.length > 1 ? reason : `${move}: ${reason}`);
		} else if (actions.length === 1) {
			ignoreRepeatedTap();
			this.go(step + 1);
		} else {
			const option = (one) =>
				button("", () => (box.close(), this.choose([one])), {
					class: one === action ? "move pointed" : "move",
				});
			const options = actions.map((one) => {
				const choice = option(one);
				choice.append(...icons(game, pieces[one]), capitalized(words[one] ?? one));
				if (previews[one]) describeOption(choice, game, previews[one]);
				return choice;
			});
			const box = dialog(this.state.question, ...listOptions(options));
			box.classList.add("aside");
			box.querySelector(".pointed")?.scrollIntoView({ block: "center" });
		}
	}

	refuse(reason) {
		const { action, texts } = this.state;
		notice(
			action
				? `${reason}\n${texts.text}`
				: tr("There is nothing to click on the board now. Continue with “Next”."),
		);
		// the notice is above the lesson and its buttons
		const card = this.lesson.classList.contains("open") ? this.lesson : this.task.parentElement;
		const above = this.board.isNarrow() ? window.innerHeight - card.getBoundingClientRect().top : 0;
		document.getElementById("notice").style.bottom = above ? `${above + 8}px` : "";
	}

	clearNotice() {
		const place = document.getElementById("notice");
		place.replaceChildren();
		place.style.bottom = "";
	}

	onwards() {
		ignoreRepeatedTap();
		const { kind, step, game, options, level } = this.state;
		if (kind !== "end") return this.go(step + 1);
		return startGame(game, [null, level], options);
	}

	key(event) {
		const does = {
			ArrowLeft: () => this.go(this.state.step - 1),
			ArrowRight: () => this.state.action === null && this.state.kind !== "end" && this.onwards(),
		}[event.key];
		if (!does || !this.state) return;
		event.preventDefault();
		does();
	}
}
