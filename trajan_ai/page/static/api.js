// Requests to the server of this page. A rejected request throws an error with `problems`, each a
// line that states what is wrong.

import { tr } from "./annotation.js";

// In a page without a server, a worker answers.
const { fetch } = document.documentElement.dataset.engine ? await import("./worker_fetch.js") : window;

export class RequestError extends Error {
	constructor(problems, { asks = null, wrong = null } = {}) {
		super(problems.join("\n"));
		this.problems = problems;
		this.asks = asks; // what the player must still state about a move of a followed game
		this.wrong = wrong; // impossible answers about that move: for each key, the index of the first one
	}
}

let language = "en"; // language of the answers; English is the default

export const setLanguage = (code) => (language = code);
export const localized = (path) =>
	language === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}language=${language}`;

async function answer(request) {
	let response;
	try {
		response = await request;
	} catch {
		throw new RequestError([tr("The server does not answer: is `trajan-ai serve` still running?")]);
	}
	if (response.ok) return response;
	if (response.headers.get("content-type")?.startsWith("application/json")) {
		const data = await response.json();
		throw new RequestError(data.problems, data);
	}
	throw new RequestError([(await response.text()) || response.statusText]);
}

const receive = async (request) => (await answer(request)).json();

export const get = (path) => receive(fetch(localized(path)));

export const read = async (path) => (await answer(fetch(localized(path)))).text();

const send = (path, body, signal) =>
	fetch(localized(path), {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(body),
		signal,
	});

export const post = (path, body = {}) => receive(send(path, body));

export const remove = (path) => receive(fetch(localized(path), { method: "DELETE" }));

// Searches at a node of a tree, and calls `show` with each ranking until `signal` is aborted, which stops
// the search.
export async function search(tree, request, show, signal) {
	const early = [tr("The search ended early.")];
	let last = false;
	try {
		const response = await answer(send(`/api/trees/${tree}/search`, request, signal));
		for await (const line of lines(response.body)) {
			const result = JSON.parse(line);
			last = result.last;
			show(result);
		}
		if (!last) show({ problems: early, last: true });
	} catch (error) {
		if (!signal.aborted && !last) show({ problems: error.problems ?? early, last: true });
	}
}

// Yields the lines of a response as they arrive.
async function* lines(body) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	for (let part = await reader.read(); !part.done; part = await reader.read()) {
		const complete = (rest + part.value).split("\n");
		rest = complete.pop();
		yield* complete;
	}
}
