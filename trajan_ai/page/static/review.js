// The analysis of a whole game: progress, graph, mistakes, luck and skill. The server judges the decisions.
// The page that `trajan-ai annotate` writes has the same drawings.

import { accounts, graph, isBad, losses, mistakes, picked, spot, story, strengths } from "./annotation.js";
import { localized, post } from "./api.js";
import { attempt, button, dialog, field, make, makeSvg, playerName } from "./dom.js";
import { tr } from "./language.js";
import { PARENT, PLAYER } from "./log.js";

const EVERY = 700; // milliseconds between requests for the progress

export class Review {
	/** @type {Annotation} */
	game = null;
	/** @type {number[]} the nodes after the judged decisions */
	own = [];

	/**
	 * @param {HTMLElement} element
	 * @param {object} calls
	 * @param {(node: number) => void} calls.go shows a position
	 * @param {(mistakes: Map<number, Decision>) => void} calls.changed
	 * @param {() => void} calls.reveal opens all cards and analyses the game again
	 */
	constructor(element, { go, changed, reveal }) {
		this.element = element;
		this.go = go;
		this.changed = changed;
		this.reveal = reveal;
		this.story = make("div", { class: "story", "aria-live": "polite" });
	}

	/**
	 * Analyses a line of a game.
	 * @param {string} id
	 * @param {number[]} line its nodes after the first
	 * @param {TreeNode[]} nodes
	 * @param {object} seats
	 * @param {boolean[]} seats.people whether each player is a person
	 * @param {boolean} seats.isLocked whether cards are hidden
	 */
	async start(id, line, nodes, { people, isLocked }) {
		this.id = id;
		this.people = people;
		this.isLocked = isLocked;
		this.end = line.at(-1);
		this.stop();
		const request = post(`/api/trees/${id}/review`, { node: this.end });
		this.request = request;
		const answer = await attempt(() => request);
		if (this.request !== request) return; // stopped, or another line is analysed
		if (!answer) this.end = null; // so that the user can try again
		if (!answer) return;
		const { game, plies, judged, doubtful, verified, done } = answer;
		if (game) {
			const own = line.filter((node) => game.observer === null || nodes[node][PLAYER] === game.observer);
			for (const decision of game.decisions) {
				decision.at = plies.indexOf(decision.ply);
				decision.node = own[decision.at];
				decision.before = nodes[decision.node][PARENT];
			}
			this.game = Object.assign(game, { count: plies.length });
			this.own = own;
		}
		this.done = done;
		this.progress = done
			? ""
			: judged < plies.length
				? tr("{judged} of {count} decisions looked at", { judged, count: plies.length })
				: tr("{verified} of {doubtful} possible mistakes verified", { verified, doubtful });
		this.show(judged === plies.length);
		if (!done) this.timer = setTimeout(() => this.start(id, line, nodes, { people, isLocked }), EVERY);
	}

	// Returns whether a user made mistakes to practise.
	hasMistakes() {
		return this.done && this.game.decisions.some((one) => isBad(one) && this.people[one.player]);
	}

	stop() {
		this.request = null;
		clearTimeout(this.timer);
	}

	show(whole) {
		const { game } = this;
		this.element.hidden = false;
		const opened = [...this.element.querySelectorAll("details[open]")].map((one) => one.dataset.what);
		const part = (what, ...content) =>
			make(
				"details",
				{
					"data-what": what,
					open:
						opened.includes(what) ||
						(what === tr("Biggest mistakes") && !this.element.querySelector("details")),
				},
				make("summary", {}, what),
				make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": what }, content),
			);
		this.element.replaceChildren(
			make("h2", {}, tr("Analysis")),
			this.done
				? make(
						"div",
						{ class: "buttons" },
						this.hasMistakes()
							? make(
									"a",
									{ class: "button main", href: `#practice/of-${this.id}` },
									tr("Learn from your mistakes"),
								)
							: make("a", { class: "button", href: "#practice" }, tr("Practise")),
					)
				: "",
			...(this.progress ? [make("p", { class: "small", role: "status" }, this.progress)] : []),
		);
		if (!game) return;
		const drawing = makeSvg(
			"svg",
			{
				class: "graph",
				viewBox: "0 0 600 200",
				role: "img",
				"aria-label": tr("Expected margin by move"),
				onclick: (event) => this.go(nodeBefore(this, Math.min(picked(game, drawing, event), game.count - 1))),
			},
			graph(game),
		);
		this.element.append(
			make(
				"p",
				{ class: "small" },
				game.names.length === 2
					? tr("Expected lead in VP: {name}.", { name: tr(game.names[0]) })
					: tr("Expected margin in VP."),
				" ",
				tr("Choose a point of the graph to go there."),
			),
			make("div", {}, drawing),
		);
		if (whole) {
			const list = part(tr("Biggest mistakes"), mistakes(game));
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
				part(tr("Luck and skill"), accounts(game), this.done ? strengths(game) : null),
				part(tr("VP lost by part and kind"), losses(game)),
			);
		} else this.element.append(this.story);
		if (game.observer !== null)
			this.element.append(
				make(
					"p",
					{ class: "small" },
					tr(
						"Judged: your decisions. Not judged: those of other players, whose cards are hidden. " +
							"Their errors are part of the “rest”.",
					),
					" ",
					this.isLocked ? button(tr("Reveal all cards and judge every player"), () => this.reveal()) : null,
				),
			);
		if (this.done)
			this.element.append(
				button(tr("Save as a web page"), () => this.save(), { title: tr("With names, for friends") }),
			);
		this.changed(new Map(game.decisions.filter(isBad).map((one) => [one.node, one])));
		this.at(this.node);
	}

	// Asks which names the saved page should show, then saves the page.
	save() {
		const title = make("input", {
			id: "page-title",
			maxlength: 100,
			value: document.getElementById("title").textContent,
		});
		const names = this.game.names.map((name, player) =>
			make("input", {
				id: `page-name-${player}`,
				maxlength: 60,
				value: name === tr("You") ? (localStorage.getItem("name") ?? "") : name,
				placeholder: playerName(player),
			}),
		);
		const link = make("a", { class: "button main", download: true }, tr("Save"));
		const fill = () => {
			const typed = names.map((input) => input.value.trim() || input.placeholder);
			const query = new URLSearchParams({
				node: String(this.end),
				title: title.value,
				names: typed.join("\n"),
			});
			link.setAttribute("href", localized(`/api/trees/${this.id}/review.html?${query}`));
		};
		const own = names[this.game.names.indexOf(tr("You"))];
		own?.addEventListener("input", () => localStorage.setItem("name", own.value.trim()));
		const box = dialog(
			tr("Save as a web page"),
			field(tr("Title"), title),
			...names.map((input, player) => field(playerName(player), input)),
			make("div", { class: "buttons" }, link),
		);
		box.querySelectorAll("input").forEach((input) => input.addEventListener("input", fill));
		fill();
	}

	// Describes the decision at a node.
	at(node) {
		this.node = node;
		const decision = this.game?.decisions.find((one) => one.before === node);
		this.story.replaceChildren(...(decision ? story(this.game, decision) : []));
		const line = this.element.querySelector(".cursor");
		if (!line) return;
		const at = decision ? decision.at : this.own.indexOf(node) + 1;
		for (const name of ["x1", "x2"]) line.setAttribute(name, String(spot(this.game, at)));
	}

	// Returns the node before the next mistake; after the last mistake, before the first one.
	next(node) {
		const from = this.own.indexOf(node);
		const mistakes = this.game?.decisions.filter((one) => isBad(one) && one.before !== node) ?? [];
		return (mistakes.find((one) => one.at > from) ?? mistakes[0])?.before ?? null;
	}
}

const nodeBefore = ({ game, own }, number) =>
	game.decisions.find((one) => one.at === number)?.before ?? own[number];
