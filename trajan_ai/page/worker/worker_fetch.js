// The page without a server: a `fetch` whose requests a worker answers. The page installs itself
// once, shows the progress, and starts the worker again if it dies.

import { tr } from "./annotation.js";
import * as database from "./database.js";

const ROOT = new URL("..", import.meta.url);
const VERSION = document.documentElement.dataset.engine;
const loading = document.getElementById("loading");
const STATIC = { "/api/start": "start", "/api/languages": "languages" }; // answered from files
const ANSWERS = 8; // kept answers; the shown one may have been fetched before others around it
const LOOK = /^\/api\/trees\/(\w+)\/(at|play|advance)$/;

let worker = null;
let ready = false;
let hopeless = false; // an engine that ends before it is ready would end again
let last = 0;
const handlers = new Map(); // handlers of answers, by the number of the request
const queue = []; // requests before the worker was started
const answers = new Map(); // the last answers that show a node, by game, node and view

// imported late, because that module needs this one
const notice = async (text) => (await import("./dom.js")).notice(text);

function progress(text, done) {
	if (!loading) return;
	loading.hidden = done >= 1;
	loading.querySelector("p").textContent = text;
	loading.querySelector("progress").value = done;
}

const step = (number) =>
	["", tr("Starting …"), tr("Loading the games …"), tr("Loading the bots …"), ""][number];

function start() {
	const mine = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
	worker = mine;
	const died = () => {
		if (worker !== mine) return;
		mine.terminate();
		ready = false;
		if (!hopeless) start();
		for (const handle of [...handlers.values()])
			handle({
				status: 503,
				type: "application/json",
				disposition: "",
				more: false,
				piece: JSON.stringify({
					problems: [tr("The engine stopped and was started again. No decision is lost: try again.")],
				}),
			});
	};
	mine.onerror = died;
	mine.onmessage = ({ data }) => {
		if (data.number) handlers.get(data.number)?.(data);
		else if (data.trouble) notice(data.trouble);
		else if (data.life) navigator.locks.request(data.life, died);
		else if (data.broken) {
			hopeless ||= !ready;
			died();
			if (hopeless) progress(`${tr("The engine cannot start here:")} ${data.broken}`, 0);
		} else {
			ready = data.step === 4;
			progress(step(data.step), data.step / 4);
		}
	};
	progress(step(1), 1 / 4);
	for (const message of queue.splice(0)) mine.postMessage(message);
}

// Sends a request to the worker. `handle` is called with each part of the answer.
function send(path, { method = "GET", body = "", signal }, handle) {
	const number = ++last;
	handlers.set(number, (data) => {
		if (!data.more) handlers.delete(number);
		handle(data);
	});
	signal?.addEventListener("abort", () => {
		handlers.delete(number);
		worker?.postMessage({ abort: number });
	});
	const message = { number, method, path, body };
	if (worker) worker.postMessage(message);
	else queue.push(message);
}

// Until the engine is ready, the page shows a game as it showed the game last, unless another tab has
// changed the game since, or another version of the page showed it.
const lookAt = async (id, node, view) =>
	`${VERSION} ${id} ${node} ${view} ${(await database.get(id))?.changed}`;

async function remembered(path, body) {
	const { look, text } = JSON.parse(localStorage.getItem("seen") ?? "{}");
	const { node, view } = JSON.parse(body);
	const [, id, what] = path.match(LOOK);
	return !ready && what === "at" && look === (await lookAt(id, node, view)) ? text : null;
}

// A game is shown at the node of an answer or, if the page fetched that node ahead, at the node `here`.
async function remember(path, body, text) {
	const { view, here } = JSON.parse(body);
	const { node } = JSON.parse(text);
	const [, id] = path.match(LOOK);
	answers.set(await lookAt(id, node, view), text);
	if (answers.size > ANSWERS) answers.delete(answers.keys().next().value);
	const look = await lookAt(id, here ?? node, view);
	if (!answers.has(look)) return;
	try {
		localStorage.setItem("seen", JSON.stringify({ look, text: answers.get(look) }));
	} catch {
		localStorage.removeItem("seen"); // the storage is full, so the board appears only with the engine
	}
}

export async function fetch(address, options = {}) {
	const { pathname: path, searchParams } = new URL(address, ROOT);
	if (STATIC[path]) {
		const name = `engine/${STATIC[path]}.${searchParams.get("language") || "en"}.json`;
		const answer = await window.fetch(new URL(name, ROOT));
		if (path !== "/api/start") return answer;
		const games = (await database.all()).map(({ text, ...entry }) => entry);
		return Response.json({
			...(await answer.json()),
			damaged: [],
			trees: games.sort((one, other) => (one.changed < other.changed ? 1 : -1)),
		});
	}
	const looks = LOOK.test(path);
	const old = looks ? await remembered(path, options.body) : null;
	if (old) return new Response(old, { headers: { "Content-Type": "application/json" } });
	const response = await stream(address, options);
	if (looks && response.ok) remember(path, options.body, await response.clone().text());
	return response;
}

// Returns a response whose body grows as the worker answers.
const stream = (address, options) =>
	new Promise((resolve, reject) => {
		const bytes = new TextEncoder();
		let body = null;
		const fail = (error) => (body ? body.error(error) : reject(error));
		options.signal?.addEventListener("abort", () => fail(options.signal.reason));
		send(address, options, ({ status, type, disposition, piece, more }) => {
			if (body && status !== 200) return fail(new Error(piece)); // the engine has stopped meanwhile
			if (!body) {
				const stream = new ReadableStream({ start: (controller) => (body = controller) });
				resolve(
					new Response(stream, {
						status,
						headers: { "Content-Type": type, "Content-Disposition": disposition },
					}),
				);
			}
			if (piece) body.enqueue(bytes.encode(piece));
			if (!more) body.close();
		});
	});

// Saves downloads, which a server would send as files.
document.addEventListener("click", async (event) => {
	const link = /** @type {Element} */ (event.target).closest?.('a[download][href^="/api/"]');
	if (!link) return;
	event.preventDefault();
	const response = await fetch(link.getAttribute("href"));
	if (!response.ok) {
		notice((await response.json()).problems.join("\n"));
		return;
	}
	const href = URL.createObjectURL(new Blob([await response.text()]));
	const name = response.headers.get("Content-Disposition").match(/filename="(.*)"/)[1];
	Object.assign(document.createElement("a"), { href, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(href), 60_000);
});

// Installs this version, so that it works offline. A page never mixes versions: a new one
// takes over when all tabs are loaded again.
async function install() {
	const { serviceWorker } = navigator;
	let controlled = Boolean(serviceWorker?.controller);
	serviceWorker?.addEventListener("controllerchange", () => {
		if (controlled) location.reload();
		controlled = true; // the page is controlled by the installed version
	});
	serviceWorker?.addEventListener(
		"message",
		({ data }) => worker || progress(tr("Loading, once …"), data.done),
	);
	const registration = await serviceWorker?.register(new URL("sw.js", ROOT)).catch(() => null);
	if (!registration) return; // service workers are unavailable, for example without HTTPS
	const watch = () => {
		const next = registration.installing;
		next.onstatechange = () => {
			if (next.state === "installed" && controlled) offer(next);
		};
	};
	registration.addEventListener("updatefound", watch);
	if (registration.installing) watch(); // the browser found it before this script listened
	if (registration.waiting) offer(registration.waiting);
	if (registration.active) return;
	/** @type {Promise<unknown>} */
	const installed = new Promise((resolve) => {
		serviceWorker.addEventListener("controllerchange", resolve);
		registration.installing.addEventListener(
			"statechange",
			({ target }) => /** @type {ServiceWorker} */ (target).state === "redundant" && resolve(null),
		);
	});
	await installed;
	// If a newer version was published meanwhile, the page loads it.
	if (serviceWorker.controller && !(await caches.has(`${ROOT} ${VERSION}`))) location.reload();
}

function offer(next) {
	const button = document.createElement("button");
	button.textContent = tr("A new version is available: load it");
	button.onclick = () => next.postMessage("take over");
	loading.after(button);
}

if (navigator.serviceWorker?.controller) start(); // start what is installed
install().then(() => worker || start());
navigator.storage?.persist?.();
