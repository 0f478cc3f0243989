// The language of the page: the one chosen here, else the browser's, else English. `t` looks up.

import { get, speak } from "./api.js";

export { t } from "./annotation.js";

const kept = localStorage.getItem("language");
const wanted = kept ? [kept] : navigator.languages.map((one) => one.split("-")[0]);
const { names } = await get("/api/languages");
export const language = wanted.find((one) => one in names) ?? "en";
speak(language);
document.documentElement.lang = language;
globalThis.texts = language === "en" ? {} : (await get("/api/languages")).texts;

// The list of languages; another one is shown at once.
export function languages(select) {
  for (const [code, name] of Object.entries(names)) select.append(new Option(name, code, false, code === language));
  select.addEventListener("change", () => {
    localStorage.setItem("language", select.value);
    location.reload();
  });
}

// Translates what stands in the document already.
export function translate(root) {
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { currentNode: node } = words;
    const text = globalThis.texts[node.data.trim()];
    if (text) node.data = node.data.replace(node.data.trim(), text);
  }
  for (const name of ["title", "aria-label"])
    for (const element of root.querySelectorAll(`[${name}]`))
      element.setAttribute(name, globalThis.texts[element.getAttribute(name)] ?? element.getAttribute(name));
}
