// The analysis of a whole game: progress, graph, mistakes, luck and skill. The server judges. The
// drawings are those of the page of `trajan-ai annotate`.

import { accounts, graph, isBad, losses, mistakes, picked, spot, story, strengths } from "./annotation.js";
import { localized, post } from "./api.js";
import { attempt, button, h } from "./dom.js";
import { t } from "./language.js";

const EVERY = 700; // milliseconds between requests for the progress

export class Review {
	// `go(node)` shows a position. `changed` is called with the mistakes, by node. `reveal`
	// opens all cards and analyses the game again.
	constructor(element, { go, changed, reveal }) {
		Object.assign(this, { element, go, changed, reveal });
		this.game = null;
		this.story = h("div", { class: "story", "aria-live": "polite" });
	}

	// Analyses a line of a game; `line` contains its nodes after the first.
	// `people` says of each player whether it is a person, `isLocked` whether cards are hidden.
	async start(id, line, nodes, { people, isLocked }) {
		Object.assign(this, { id, people, isLocked });
		this.end = line.at(-1);
		this.stop();
		const answer = await attempt(() => post(`/api/studies/${id}/review`, { node: this.end }));
		if (!answer) return;
		const { game, plies, judged, doubtful, verified, done } = answer;
		if (game) {
			const own = line.filter((node) => game.observer === null || nodes[node][1] === game.observer);
			for (const d of game.decisions) {
				d.at = plies.indexOf(d.ply);
				d.node = own[d.at];
				d.before = nodes[d.node][0];
			}
			this.game = Object.assign(game, { count: plies.length });
			this.own = own;
		}
		this.done = done;
		this.progress = done
			? ""
			: judged < plies.length
				? t("{judged} of {count} decisions looked at", { judged, count: plies.length })
				: t("{verified} of {doubtful} possible mistakes verified", { verified, doubtful });
		this.show(judged === plies.length);
		if (!done) this.timer = setTimeout(() => this.start(id, line, nodes, { people, isLocked }), EVERY);
	}

	// Whether a person made mistakes that can be practised.
	hasLesson() {
		return this.done && this.game.decisions.some((d) => isBad(d) && this.people[d.player]);
	}

	stop() {
		clearTimeout(this.timer);
	}

	show(whole) {
		const { game } = this;
		const drawn = (tag, markup, attributes = {}) => {
			const element = h(tag, attributes);
			element.innerHTML = markup; // its names are escaped
			return element;
		};
		this.element.hidden = false;
		const opened = [...this.element.querySelectorAll("details[open]")].map((one) => one.dataset.what);
		const part = (what, markup) =>
			h(
				"details",
				{
					"data-what": what,
					open:
						opened.includes(what) ||
						(what === t("Biggest mistakes") && !this.element.querySelector("details")),
				},
				h("summary", {}, what),
				drawn("div", markup, { class: "scroll", tabindex: "0", role: "region", "aria-label": what }),
			);
		this.element.replaceChildren(
			h("h2", {}, t("Analysis")),
			this.done
				? h(
						"div",
						{ class: "buttons" },
						this.hasLesson()
							? h(
									"a",
									{ class: "button main", href: `#practice/of-${this.id}` },
									t("Learn from your mistakes"),
								)
							: h("a", { class: "button", href: "#practice" }, t("Practise")),
					)
				: "",
			...(this.progress ? [h("p", { class: "small", role: "status" }, this.progress)] : []),
		);
		if (!game) return;
		const box = drawn(
			"div",
			`<svg class="graph" viewBox="0 0 600 200" role="img" aria-label="${t("Expected margin by move")}">${graph(game)}</svg>`,
		);
		box.firstChild.addEventListener("click", (event) =>
			this.go(nodeBefore(this, Math.min(picked(game, box.firstChild, event), game.count - 1))),
		);
		this.element.append(
			h(
				"p",
				{ class: "small" },
				game.names.length === 2
					? t("Expected lead in VP: {name}.", { name: t(game.names[0]) })
					: t("Expected margin in VP."),
				" ",
				t("A click goes there; M: the next mistake."),
			),
			box,
		);
		if (whole) {
			const list = part(t("Biggest mistakes"), mistakes(game));
			const jump = (event) => {
				const at = event.target.closest(".jump");
				if (at && (event.type === "click" || event.key === "Enter"))
					this.go(nodeBefore(this, Number(at.dataset.ply)));
			};
			list.addEventListener("click", jump);
			list.addEventListener("keydown", jump);
			this.element.append(
				list,
				this.story,
				part(t("Luck and skill"), accounts(game) + (this.done ? strengths(game) : "")),
				part(t("VP lost by quarter and kind"), losses(game)),
			);
		} else this.element.append(this.story);
		if (game.observer !== null)
			this.element.append(
				h(
					"p",
					{ class: "small" },
					t(
						"Judged: your decisions. Not judged: those of the others, whose cards are hidden. Their errors are part of the “rest”.",
					),
					" ",
					this.isLocked ? button(t("Reveal all cards and judge every player"), () => this.reveal()) : null,
				),
			);
		if (this.done)
			this.element.append(
				h(
					"a",
					{
						class: "button",
						href: localized(`/api/studies/${this.id}/review.html?node=${this.end}`),
						download: true,
					},
					t("Save as a web page"),
				),
			);
		this.changed(new Map(game.decisions.filter(isBad).map((d) => [d.node, d])));
		this.at(this.node);
	}

	// Describes the decision at a node.
	at(node) {
		this.node = node;
		const d = this.game?.decisions.find((one) => one.before === node);
		this.story.innerHTML = d ? story(this.game, d) : "";
		const line = this.element.querySelector(".cursor");
		const x = this.game && spot(this.game, d ? d.at : this.own.indexOf(node) + 1);
		for (const name of ["x1", "x2"]) line?.setAttribute(name, x);
	}

	// The node before the next mistake; after the last one comes the first.
	next(node) {
		const from = this.own?.indexOf(node) ?? -1;
		const mistakes = this.game?.decisions.filter((d) => isBad(d) && d.before !== node) ?? [];
		return (mistakes.find((d) => d.at > from) ?? mistakes[0])?.before ?? null;
	}
}

const nodeBefore = ({ game, own }, number) =>
	game.decisions.find((d) => d.at === number)?.before ?? own[number];
