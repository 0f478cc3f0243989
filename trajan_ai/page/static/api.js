// Requests to the server of this page. A refusal becomes an Error whose `problems` say what would
// be right, one per line.

import { t } from "./annotation.js";

// In a page without a server, a worker answers.
const { fetch, EventSource } = document.documentElement.dataset.engine ? await import("./inside.js") : window;

export class Refused extends Error {
  constructor(problems, asks = null) {
    super(problems.join("\n"));
    this.problems = problems;
    this.asks = asks; // what a move of a game that is followed must state
  }
}

let language = "en"; // of what is asked for; English goes without saying

export const speak = (code) => (language = code);
export const spoken = (path) => (language === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}language=${language}`);

async function answer(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Refused([t("The server does not answer: is `trajan-ai serve` still running?")]);
  }
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const data = await response.json();
    if (response.ok) return data;
    throw new Refused(data.problems, data.asks);
  }
  throw new Refused([(await response.text()) || response.statusText]);
}

export const get = (path) => answer(fetch(spoken(path)));

export const read = async (path) => (await fetch(path)).text();

export const post = (path, body = {}) =>
  answer(
    fetch(spoken(path), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

export const remove = (path) => answer(fetch(spoken(path), { method: "DELETE" }));

// Calls `heard` with each interim result. Returns two ways to end the search: `finish` lets it tell
// its last result, after `leave` nothing is heard.
export function search(study, wanted, heard) {
  const name = `search-${Math.random().toString(36).slice(2)}`;
  const source = new EventSource(
    spoken(`/api/studies/${study}/search?${new URLSearchParams({ ...wanted, name })}`),
  );
  source.onmessage = (event) => {
    const result = JSON.parse(event.data);
    if (result.last) source.close();
    heard(result);
  };
  source.onerror = () => {
    source.close(); // else it would ask again, for ever
    heard({ problems: [t("The search ended early.")], last: true });
  };
  const leave = () => source.close();
  return { leave, finish: () => post(`/api/studies/${study}/end`, { name }).catch(leave) };
}
