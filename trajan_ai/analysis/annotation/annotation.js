// What is drawn of an annotated game, as markup: for the page that opens from disk, and for the
// analysis page. `game` is the annotation as plain data.

// A text in the language of the page, of which `texts` has what is shown instead of English.
export const t = (text, values = {}) =>
	(globalThis.texts?.[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

// By source, the largest first; their order also distinguishes them.
const COLOURS = [
	"#0072b2",
	"#e69f00",
	"#56b4e9",
	"#d55e00",
	"#009e73",
	"#f0e442",
	"#cc79a7",
	"#8a8a8a",
	"#5b3a8c",
	"#b0d0b0",
];

const colour = (i) => COLOURS[i % COLOURS.length];
const worded = (name) => t(name.replaceAll("_", " "));
const formats = {};
// A number in the page's language, with a fixed number of decimals.
export const number = (x, digits = 0, style = "decimal") =>
	(formats[style + digits] ??= new Intl.NumberFormat(globalThis.document?.documentElement.lang || "en", {
		style,
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	})).format(x);
const signed = (x, d = 1) => (x < 0 ? "−" : "+") + number(Math.abs(x), d);
const percent = (x) => number(x, 1, "percent");
const error = (x) => `<span class="se">± ${number(x, 1)}</span>`;
const mean = (m) => `${signed(m.mean)} ${error(m.error)}`;
const lost = (x) => Math.max(x, 0); // a loss below none is noise

export const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
export const who = (game, p) => `<span class="p${p}">${escaped(t(game.names[p]))}</span>`;
export const isBad = (d) => d.grade !== "fine";
// Where a decision lies on the graphs, by its number among those judged.
export const spot = (game, number) => 34 + (556 * number) / (game.count ?? game.decisions.length);
export const picked = (game, svg, event) => {
	const box = svg.getBoundingClientRect();
	return Math.round(
		((((event.clientX - box.left) / box.width) * 600 - 34) / 556) * (game.count ?? game.decisions.length),
	);
};

function table(head, rows) {
	const cells = (tag) => (row) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join("");
	return (
		`<table><thead><tr>${cells("th")(head)}</tr></thead><tbody>` +
		rows.map((row) => `<tr>${cells("td")(row)}</tr>`).join("") +
		"</tbody></table>"
	);
}

// What was decided, what was best, what that lost, and the luck that followed.
export function story(game, d) {
	let text = `<b>${who(game, d.player)}: ${escaped(d.words)}</b> <small>${escaped(d.action)}</small><br>${t(
		"Best: win {win} ± {win_error}, margin {margin} ± {margin_error} VP.",
		{
			win: percent(d.expected.win),
			win_error: percent(d.expected.win_error),
			margin: signed(d.expected.margin),
			margin_error: number(d.expected.margin_error, 1),
		},
	)}`;
	if (d.action === d.best) text += `<br>${t("The best move.")}`;
	else {
		text += `<br>${isBad(d) ? `<span class="bad">${t(d.grade)}</span>, ` : ""}${t(
			"cost {win} ± {win_error} percentage points of winning chance, {margin} ± {margin_error} VP.",
			{
				win: number(100 * lost(d.loss.win), 1),
				win_error: number(100 * d.loss.win_error, 1),
				margin: number(lost(d.loss.margin), 1),
				margin_error: number(d.loss.margin_error, 1),
			},
		)}
      <br>${t("Better:")} ${escaped(d.better_words)} <small>${escaped(d.better.join(" > "))}</small>`;
	}
	if (d.luck)
		text +=
			`<br>${t("Luck of what came next:")} ` +
			d.luck.map((m, p) => `${who(game, p)} ${mean(m)}`).join(", ") +
			` ${t("VP")}.`;
	return text;
}

// The expected margin by decision: of the first of two players, else of each.
export function graph(game) {
	const two = game.names.length === 2,
		end = game.count ?? game.decisions.length;
	const final = (p) => game.scores[p] - Math.max(...game.scores.filter((_, other) => other !== p));
	const side = (d) => (two && d.player === 1 ? -1 : 1);
	const lines = game.names.slice(0, two ? 1 : undefined).map((_, p) => {
		const line = game.decisions
			.filter((d) => two || d.player === p)
			.map((d) => [d.at, side(d) * d.expected.margin]);
		return line.length ? [...line, [end, final(p)]] : line;
	});
	const top = Math.max(5, ...lines.flat().map((at) => Math.abs(at[1])));
	const y = (v) => 100 - (88 * v) / top;
	let svg =
		`<line x1="34" x2="590" y1="100" y2="100" stroke="currentColor" opacity=".5"/>` +
		[top, -top]
			.map((v) => `<text x="2" y="${y(v) + 4}" font-size="11" fill="currentColor">${signed(v, 0)}</text>`)
			.join("") +
		`<line class="cursor" y1="6" y2="194" stroke="currentColor"/>`;
	lines.forEach((line, p) => {
		svg += `<polyline fill="none" stroke="var(--p${p})" stroke-width="2" points="${line
			.map(([n, v]) => `${spot(game, n).toFixed(1)},${y(v).toFixed(1)}`)
			.join(" ")}"/>`;
	});
	for (const d of game.decisions.filter(isBad))
		svg += `<circle cx="${spot(game, d.at)}" cy="${y(side(d) * d.expected.margin)}" r="${
			d.grade === "blunder" ? 5 : 3.5
		}" fill="var(--p${d.player})" stroke="var(--bg)"><title>${escaped(
			`${t(game.names[d.player])}, ${t(d.grade)}: ${d.words}`,
		)}</title></circle>`;
	return svg;
}

// VP of every player by source before each decision, and at the end.
export function collected(game) {
	const sums = {};
	for (const [, , name, vp] of game.brought) sums[name] = (sums[name] || 0) + Math.abs(vp);
	const names = Object.keys(sums).sort((a, b) => sums[b] - sums[a]);
	const plies = [...game.decisions.map((d) => d.ply), Infinity];
	const total = game.names.map((_, p) => {
		const events = game.brought.filter((b) => b[1] === p);
		const now = Object.fromEntries(names.map((n) => [n, 0]));
		let next = 0;
		return plies.map((at) => {
			for (; next < events.length && events[next][0] < at; next++) now[events[next][2]] += events[next][3];
			return { ...now };
		});
	});
	return { names, total };
}

export function sources(game, { names, total }, number) {
	const now = total.map((steps) => steps[number]);
	const rows = names.map((n, i) => [
		`<span class="key" style="background:${colour(i)}"></span>${worded(n)}`,
		...now.map((one) => one[n]),
	]);
	rows.push([
		`<b>${t("total")}</b>`,
		...now.map((one) => `<b>${Object.values(one).reduce((a, b) => a + b, 0)}</b>`),
	]);
	return table(["", ...game.names.map((_, p) => who(game, p))], rows);
}

// One stacked area per player, all on one scale: what was lost lies below the line.
export function chart(game, { names, total }) {
	const last = game.decisions.length;
	const sum = (one, sign) => names.reduce((all, n) => all + Math.max(0, sign * one[n]), 0);
	const most = (sign) => Math.max(...total.flat().map((one) => sum(one, sign)));
	const top = Math.max(5, most(1)),
		low = most(-1);
	const y = (v) => 4 + (112 * (top - v)) / (top + low);
	const area = (steps, i, sign) => {
		const upper = [],
			lower = [];
		steps.forEach((one, n) => {
			const below = names.slice(0, i).reduce((all, m) => all + Math.max(0, sign * one[m]), 0);
			const own = Math.max(0, sign * one[names[i]]);
			for (const at of n ? [spot(game, n - 0.5), spot(game, n)] : [spot(game, n)]) {
				upper.push(`${at.toFixed(1)},${y(sign * (below + own)).toFixed(1)}`);
				lower.push(`${at.toFixed(1)},${y(sign * below).toFixed(1)}`);
			}
		});
		return `<polygon points="${upper.concat(lower.reverse()).join(" ")}" fill="${colour(
			i,
		)}" stroke="var(--bg)" stroke-width=".6"><title>${worded(names[i])} ${steps[last][names[i]]}</title></polygon>`;
	};
	return total
		.map(
			(steps, p) => `<figure><figcaption>${who(game, p)}, ${
				game.scores[p]
			} ${t("VP")}</figcaption><svg viewBox="0 0 600 120" role="img" aria-label="${t(
				"VP of {name} by source and move",
				{ name: escaped(t(game.names[p])) },
			)}">${names
				.map((n, i) => area(steps, i, 1) + (steps.some((one) => one[n] < 0) ? area(steps, i, -1) : ""))
				.join("")}
    <line x1="34" x2="590" y1="${y(0)}" y2="${y(0)}" stroke="currentColor" opacity=".5"/>
    <text x="2" y="14" font-size="11" fill="currentColor">${Math.round(top)}</text>
    <line class="cursor" y1="2" y2="118" stroke="currentColor"/></svg></figure>`,
		)
		.join("");
}

// Luck and skill: what adds up to every player's final margin.
export function accounts(game) {
	const parts = {
		start: t("start"),
		luck: t("+ luck"),
		own_errors: t("− own errors"),
		others_errors: t("+ others' errors"),
		rest: t("+ rest"),
	};
	if (game.accounts.length === 1) {
		// the others were not judged
		delete parts.others_errors;
		parts.rest = t("+ rest, with others' errors");
	}
	const part = (a, n) => (n === "own_errors" ? `${number(a[n].mean, 1)} ${error(a[n].error)}` : mean(a[n]));
	return table(
		[t("VP of margin"), ...Object.values(parts), t("= final")],
		game.accounts.map((a) => [
			who(game, a.player),
			...Object.keys(parts).map((n) => part(a, n)),
			signed(a.final, 0),
		]),
	);
}

// The level that a player matched, by what the mistakes cost beside those of the levels.
export function matched({ vp, lowest, highest, missing }) {
	if (missing)
		return t("too early to tell a level, about {count} more decisions are needed", { count: missing });
	const level = number(Math.min(Math.max(vp.mean, lowest), highest));
	if (vp.mean > highest) return t("better than level {level}", { level });
	return vp.mean < lowest
		? t("weaker than level {level}", { level })
		: t("like level {level} ± {error}", { level, error: number(vp.error) });
}

export function strengths(game) {
	return game.strengths
		.map(
			(one) =>
				`<p>${who(game, one.player)}: ${matched(one)}; ${t(
					"mistakes cost {vp} VP per decision, in {decisions}.",
					{
						vp: `${number(one.lost.mean, 2)} ± ${number(one.lost.error, 2)}`,
						decisions: one.decisions,
					},
				)}</p>`,
		)
		.join("");
}

export function mistakes(game) {
	return (
		game.biggest_mistakes
			.map((list, p) =>
				list
					.map((n) => {
						const d = game.decisions.find((one) => one.ply === n);
						return `<p class="jump" tabindex="0" role="button" data-ply="${d.at}">${who(game, p)}, ${t("turn {turn}", d)}${d.before === undefined ? "" : ` <small>#${d.before}</small>`},
      <span class="bad">${t(d.grade)}</span> (${percent(lost(d.loss.win))}, ${number(lost(d.loss.margin), 1)} ${t("VP")}):
      ${escaped(d.words)}. ${t("Better:")} ${escaped(d.better_words)}.</p>`;
					})
					.join(""),
			)
			.join("") || t("None.")
	);
}

export function losses(game) {
	const players = game.accounts.map((a) => a.player); // whose decisions were judged
	return ["by_quarter", "by_kind"]
		.map((by) => {
			const keys = [...new Set(game[by].flatMap(Object.keys))].sort();
			return table(
				[by === "by_quarter" ? t("quarter") : t("kind"), ...players.map((p) => who(game, p))],
				keys.map((k) => [
					worded(k),
					...players
						.map((p) => game[by][p])
						.map((g) =>
							g[k]
								? `${number(lost(g[k].margin.mean), 1)} <span class="se">${t("in {count}", { count: g[k].decisions })}</span>`
								: "",
						),
				]),
			);
		})
		.join("<br>");
}
