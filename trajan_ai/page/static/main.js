// Chooses the view from the address after #: the id of a game, `practice`, `learn`, `record` or `position`,
// or nothing for the list of games.

import { attempt, dialogBox, make } from "./dom.js";
import { languages, tr, translate } from "./language.js";
import { showStart } from "./start.js";
import { TreeView } from "./tree.js";

// Views whose code is loaded on demand.
const LATER = {
	practice: async () => (await import("./practice.js")).Practice,
	learn: async () => (await import("./learn.js")).Guide,
	position: async () => (await import("./share.js")).SharedPosition,
};

let view = null;

async function route() {
	const [id, node] = location.hash.slice(1).split("/");
	const target = node === undefined ? null : Number(node);
	if (view && view.id === id) {
		if (target !== null && target !== view.state?.node) await view.go(target);
		return;
	}
	const { hash } = location;
	const View = LATER[id] ? await attempt(LATER[id]) : null;
	if (location.hash !== hash || (LATER[id] && !View)) return; // the address has changed meanwhile
	if (id === "practice" && node && view instanceof View) {
		await view.open(node);
		return;
	}
	view?.leave();
	view = null;
	dialogBox().close();
	scrollTo(0, 0);
	const main = document.getElementById("main");
	if (id === "practice") {
		view = new View(main);
		await view.start(node);
	} else if (id === "learn" && node) {
		view = new View(main, node);
		await view.start();
	} else if (id === "record" && node) {
		const { unpack } = await import("./share.js");
		await showStart(main, await unpack(node)); // as a report of a tournament contains it
	} else if (id === "position" && node) {
		view = new View(main);
		await view.start(node);
	} else if (id) {
		view = new TreeView(id, main);
		await view.start(target);
	} else {
		await showStart(main);
	}
}

// The code of the rules and of the list of keys is also loaded on demand.
const openRules = () => attempt(async () => (await import("./rules.js")).showRules(view?.state?.game));
const openKeys = () => attempt(async () => (await import("./keys.js")).showKeys());

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = (theme) => theme === "dark" || (theme === "system" && prefersDark.matches);

// "system" is the theme that the browser prefers. The button names the theme to which it switches.
function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	localStorage.setItem("theme", theme);
	const button = document.getElementById("theme");
	const [sign, word, name] = isDark(theme)
		? ["☀", tr("Light"), tr("Switch to light colours")]
		: ["☾", tr("Dark"), tr("Switch to dark colours")];
	button.setAttribute("aria-label", name);
	button.replaceChildren(make("span", { "aria-hidden": "true" }, sign), ` ${word}`);
}

// Stores "system" if the browser prefers the new theme anyway.
function switchTheme() {
	const dark = !isDark(document.documentElement.dataset.theme);
	setTheme(dark === prefersDark.matches ? "system" : dark ? "dark" : "light");
}

translate(document);
languages(document.getElementById("language"));
setTheme(localStorage.getItem("theme") ?? "system");
prefersDark.addEventListener("change", () => setTheme(document.documentElement.dataset.theme));
document.getElementById("theme").addEventListener("click", switchTheme);
window.addEventListener("hashchange", route);
window.addEventListener("pagehide", () => view?.leave());
document.getElementById("help").addEventListener("click", openKeys);
document.getElementById("rules").addEventListener("click", openRules);
document.addEventListener("keydown", (event) => {
	const typing = /** @type {Element} */ (event.target).closest("input, textarea, select, dialog[open]");
	if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
	if (event.key === "?") openKeys();
	else if (event.key.toLowerCase() === "r") openRules();
	else view?.key(event);
});
route();
