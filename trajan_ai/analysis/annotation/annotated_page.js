// The script of an annotated game's page, which is opened from disk. `render` in annotation_page.py
// replaces the import by the module itself.

import {
	accounts,
	chart,
	collected,
	graph,
	isBad,
	joined,
	losses,
	make,
	mistakes,
	picked,
	sources,
	spot,
	story,
	strengths,
	tr,
	who,
} from "./annotation.js";

const byId = (id) => document.getElementById(id);
/** @type {Annotation} */
let game;
/** @type {Collected} */
let series;
const boards = []; // for each drawing, the numbers of its elements
let elements = []; // elements of all drawings, as markup
let ply = 0; // number of the decision that is shown, among the judged decisions

async function unpack() {
	const bytes = Uint8Array.from(atob(byId("data").textContent), (letter) => letter.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	const all = JSON.parse(await new Response(stream).text());
	const now = [];
	for (const [start, gone, ...fresh] of all.drawings) {
		now.splice(start, gone, ...fresh);
		boards.push(now.slice());
	}
	({ elements, game } = all);
	globalThis.texts = all.texts;
	game.decisions.forEach((decision, at) => (decision.at = at));
	series = collected(game);
}

const points = (vp, player) => [who(game, player), ` ${vp} ${tr("VP")}`];

// Shows the judgement of the selected decision.
function tell() {
	const decision = game.decisions[ply];
	byId("where").textContent = decision
		? tr("turn {turn}, {part} {quarter} (decision {number} of {count})", {
				turn: decision.turn,
				part: tr(game.part),
				quarter: decision.quarter,
				number: ply + 1,
				count: game.decisions.length,
			})
		: tr("the end");
	byId("told").className = decision && isBad(decision) ? "bad" : "";
	byId("told").replaceChildren(
		...(decision
			? story(game, decision)
			: [make("b", {}, tr("The end.")), " ", ...joined(game.scores.map(points), ", ").flat()]),
	);
}

// Returns the line that names the bot, its limit, and the player if only one was judged.
function judge() {
	const { seconds, iterations } = game.limits;
	const limit = iterations === null ? `${seconds} s` : tr("{count} iterations", { count: iterations });
	/** @type {Content[]} */
	const parts = [tr("judged by {bot}, {limit} per decision", { bot: game.bot, limit })];
	if (game.observer !== null) {
		const [before, after] = tr("of {name}, who saw the game", { name: "\n" }).split("\n");
		parts.push(` ${before}`, who(game, game.observer), after);
	}
	if (game.names.length === 2) parts.push(tr("; the graph is that of the first player"));
	return make("small", {}, parts);
}

// Shows the parts that are the same for all decisions.
function showGame() {
	const scores = game.scores.map((vp, player) => [who(game, player), " ", make("b", {}, vp), ` ${tr("VP")}`]);
	byId("about").replaceChildren(...joined(scores, " · ").flat(), " ", judge());
	byId("graph").replaceChildren(...graph(game));
	byId("chart").replaceChildren(...chart(game, series));
	byId("accounts").replaceChildren(accounts(game), ...strengths(game));
	byId("mistakes").replaceChildren(...[mistakes(game)].flat());
	byId("losses").replaceChildren(...losses(game));
	byId("moves").replaceChildren(
		...game.decisions.map((decision) =>
			make(
				"li",
				{ class: "jump", "data-ply": decision.at },
				make("small", {}, decision.at + 1),
				" ",
				who(game, decision.player),
				` ${decision.words}`,
				isBad(decision) ? [" ", make("span", { class: "bad" }, tr(decision.grade))] : null,
			),
		),
	);
	for (const svg of document.querySelectorAll("#graph, #chart svg"))
		svg.addEventListener("click", (event) => show(picked(game, svg, /** @type {MouseEvent} */ (event))));
	document.addEventListener("click", (event) => jump(event.target));
	document.addEventListener("keydown", key);
	for (const button of document.querySelectorAll("[data-go]"))
		button.addEventListener("click", () => go(button.dataset.go));
}

function jump(target) {
	const at = target.closest(".jump");
	if (at) show(Number(at.dataset.ply));
}

function go(where) {
	const next = game.decisions.find((decision) => decision.at > ply && isBad(decision));
	show(
		{
			first: 0,
			back: ply - 1,
			on: ply + 1,
			last: game.decisions.length,
			mistake: next ? next.at : ply,
		}[where],
	);
}

function key(event) {
	const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", m: "mistake" };
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if (event.key === "Enter") {
		jump(document.activeElement);
		return;
	}
	if (!(event.key in keys)) return;
	event.preventDefault();
	go(keys[event.key]);
}

// Shows a decision: the board before it, its judgement, and the VP by source.
function show(at) {
	ply = Math.max(0, Math.min(game.decisions.length, at));
	const markup = boards[ply].map((one) => elements[one]).join("");
	const { body } = new DOMParser().parseFromString(markup, "text/html"); // Python generated the markup
	byId("board").replaceChildren(...body.childNodes);
	for (const line of document.querySelectorAll(".cursor"))
		for (const name of ["x1", "x2"]) line.setAttribute(name, String(spot(game, ply)));
	const list = byId("moves");
	list.querySelector(".now")?.classList.remove("now");
	const row = /** @type {HTMLElement} */ (list.children[ply]);
	if (row) {
		row.classList.add("now");
		list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
	}
	tell();
	byId("sources").replaceChildren(sources(game, series, ply));
	history.replaceState(null, "", `#${ply}`);
}

unpack()
	.then(() => {
		showGame();
		const first = game.decisions.find(isBad)?.at ?? 0;
		show(location.hash ? Number(location.hash.slice(1)) || 0 : first);
	})
	.catch((error) => {
		byId("about").textContent = `${tr("this browser cannot open the page:")} ${error}`;
	});
