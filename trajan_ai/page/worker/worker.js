// Runs the page's Python part. Each message is a request, or aborts one. A request that changes a game is
// answered once the game is saved. If the interpreter breaks, this worker ends, and the page starts another.

import { loadPyodide } from "../engine/pyodide.mjs";
import * as database from "./database.js";

const ENGINE = new URL("../engine/", import.meta.url).href;
const FOLDER = "/trees";
const PRACTICE = `${FOLDER}/practice.jsonl`;
const TREE = (navigator.deviceMemory ?? 4) >= 8 ? 64 : 32; // MiB for the tree of a search

const texts = new Map(); // for each game, the last text that file and database had in common
const unsaved = new Set(); // games with decisions that the database did not accept
const exclusive = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

async function start() {
	const archive = fetch(`${ENGINE}python.zip`).then((response) => response.arrayBuffer());
	const python = await loadPyodide({ indexURL: ENGINE });
	postMessage({ step: 2 });
	const [packages] = python.runPython("import site; site.getsitepackages()").toJs();
	python.unpackArchive(await archive, "zip", { extractDir: packages });
	postMessage({ step: 3 });
	python.FS.mkdirTree(FOLDER);
	python.FS.writeFile(PRACTICE, (await database.get(database.PRACTICE))?.text ?? "");
	const page = python.pyimport("trajan_ai.page.in_browser").BrowserPage(FOLDER, TREE);
	return { files: python.FS, page };
}

const file = (id) => `${FOLDER}/${id}.json`;

// Reads a game again if another tab has changed it.
async function refresh({ files, page }, id) {
	const text = (await database.get(id))?.text;
	if (text === texts.get(id) || unsaved.has(id)) return;
	if (text === undefined) files.unlink(file(id));
	else files.writeFile(file(id), text);
	texts.set(id, text);
	page.forget(id);
}

// Saves the file of a game in the database.
async function save({ files }, id) {
	const text = files.analyzePath(file(id)).exists
		? files.readFile(file(id), { encoding: "utf8" })
		: undefined;
	if (text === texts.get(id)) return;
	try {
		if (text === undefined) await database.remove(id);
		else {
			const { title, changed, seats, status } = JSON.parse(text);
			await database.put({ id, title, changed, seats, status, text });
		}
		texts.set(id, text);
		unsaved.delete(id);
	} catch (error) {
		unsaved.add(id);
		postMessage({
			trouble:
				`The browser cannot keep this game (${error.message}): ` +
				"save all games as a file before you leave, and delete some.",
		});
	}
}

// Saves the lines of exercises and solutions; tabs only ever add lines.
async function savePractice({ files }) {
	const lines = (text) => text.split("\n").filter(Boolean);
	await exclusive("practice", async () => {
		const before = (await database.get(database.PRACTICE))?.text ?? "";
		const all = new Set([...lines(before), ...lines(files.readFile(PRACTICE, { encoding: "utf8" }))]);
		const text = [...all].map((line) => `${line}\n`).join("");
		if (text !== before) await database.put({ id: database.PRACTICE, text });
	});
}

async function answer(engine, { number, method, path: address, body }) {
	const [path] = address.split("?");
	const message = (status, type, disposition, piece, more) => ({
		number,
		status,
		type,
		disposition,
		piece,
		more,
	});
	const id = path.match(/^\/api\/trees\/([0-9a-f]{16})/)?.[1];
	const run = (handle) =>
		engine.page.answer(number, method, address, body, (...parts) => handle(message(...parts)));
	if (path.endsWith("/search")) {
		await refresh(engine, id);
		await run(postMessage.bind(self));
		return;
	}
	const whole = async () => {
		const parts = [];
		const all = path === "/api/load" || (path === "/api/trees" && method === "GET");
		for (const one of id ? [id] : all ? (await database.all()).map((game) => game.id) : [])
			await refresh(engine, one);
		await run((part) => parts.push(part));
		const changed =
			id ??
			(parts[0].status === 200 && parts[0].type === "application/json"
				? JSON.parse(parts[0].piece).id
				: null);
		if (changed && method !== "GET") await save(engine, changed);
		if (/\/(answer|review)$/.test(path)) await savePractice(engine);
		parts.forEach((part) => postMessage(part));
	};
	await (id && method !== "GET" && !path.endsWith("/review") ? exclusive(`game ${id}`, whole) : whole());
}

function broken(error) {
	postMessage({ broken: String(error) });
	self.close();
}

const engine = start();
engine.then(() => postMessage({ step: 4 }), broken);
onmessage = async ({ data }) => {
	const running = await engine;
	try {
		if (data.abort) running.page.abort(data.abort);
		else await answer(running, data);
	} catch (error) {
		// Errors in Python are returned as answers; any other error ends the interpreter.
		if (error.name !== "PythonError" || /fatal/i.test(error.message)) broken(error);
	}
};

// This lock is held while the worker lives, so that the page notices its end.
const life = `worker ${Math.random()}`;
navigator.locks?.request(life, () => {
	postMessage({ life });
	return new Promise(() => {});
});
