// A small picture of each game, as it looks on a table.

import { makeSvg } from "./dom.js";

const MARKERS = ["blue", "green", "orange", "pink", "cream", "yellow"];
// What stands on the plots of the city: nothing (.), a temple (T), or a building in one of the COLOURS.
const CITY = ["..g.r.", "g.T..b", "..gy..", ".T.g.r", "b..g..", ".y..g."];
const COLOURS = { g: "grey", r: "brick", b: "blue", y: "yellow" };

function drawTrays() {
	const trays = [...Array(6).keys()].map((tray) => {
		const angle = (tray / 6) * 2 * Math.PI - Math.PI / 2;
		const [left, top] = [46 * Math.cos(angle), 46 * Math.sin(angle)];
		const markers = [-1, 1].map((side) =>
			makeSvg("rect", {
				x: left + side * 6 - 4.5,
				y: top - 4.5,
				width: 9,
				height: 9,
				rx: 3,
				fill: `var(--picture-${MARKERS[(tray + (side > 0 ? 2 : 0)) % 6]})`,
				stroke: "var(--dark)",
			}),
		);
		return [makeSvg("circle", { class: "hollow", cx: left, cy: top, r: 17 }), markers];
	});
	const arch = makeSvg("path", {
		class: "arch",
		d: "M-20 20V-4a20 20 0 0 1 40 0V20H10V-2a10 10 0 0 0-20 0V20zM-24-26H24V-19H-24z",
	});
	return [trays, arch];
}

function drawCity() {
	const plots = CITY.flatMap((row, street) =>
		[...row].map((plot, across) => {
			const [left, top] = [20 * across - 66, 20 * street - 60];
			const ground = makeSvg("rect", { class: "hollow", x: left, y: top, width: 18, height: 18, rx: 3 });
			if (plot === ".") return ground;
			const building =
				plot === "T"
					? makeSvg("path", {
							class: "arch",
							d: `M${left + 2} ${top + 16}v-10l7-4 7 4v10h-3v-8h-2v8h-4v-8h-2v8z`,
						})
					: makeSvg("path", {
							fill: `var(--picture-${COLOURS[plot]})`,
							stroke: "var(--dark)",
							d: `M${left + 3} ${top + 15}v-7l6-5 6 5v7z`,
						});
			return [ground, building];
		}),
	);
	const column = makeSvg("path", { class: "arch", d: "M58 60V54h3V-46h-2v-5h12v5h-2V54h3v6z" });
	return [plots, column];
}

const DRAWINGS = { trajan: drawTrays, forum_trajanum: drawCity };

/** @param {string} game */
export const drawGame = (game) =>
	makeSvg("svg", { class: "picture", viewBox: "-76 -68 152 136", "aria-hidden": "true" }, DRAWINGS[game]());
