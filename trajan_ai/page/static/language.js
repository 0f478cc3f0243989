// The language of the page: the one that the user chose, else the browser's, else English.

import { get, setLanguage } from "./api.js";

export { tr } from "./annotation.js";

const chosen = localStorage.getItem("language");
const preferred = chosen ? [chosen] : navigator.languages.map((one) => one.split("-")[0]);
const { names } = await get("/api/languages");
export const language = preferred.find((one) => one in names) ?? "en";
setLanguage(language);
document.documentElement.lang = language;
globalThis.texts = language === "en" ? {} : (await get("/api/languages")).texts;

// Fills the list of languages. Choosing a language loads the page again.
export function languages(select) {
	for (const [code, name] of Object.entries(names))
		select.append(new Option(name, code, false, code === language));
	select.addEventListener("change", () => {
		localStorage.setItem("language", select.value);
		location.reload();
	});
}

// Translates the texts of the document.
export function translate(root) {
	const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const node = /** @type {Text} */ (words.currentNode);
		const text = globalThis.texts[node.data.trim()];
		if (text) node.data = node.data.replace(node.data.trim(), text);
	}
	for (const name of ["title", "aria-label"])
		for (const element of root.querySelectorAll(`[${name}]`))
			element.setAttribute(name, globalThis.texts[element.getAttribute(name)] ?? element.getAttribute(name));
}
