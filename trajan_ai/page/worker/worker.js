// Runs the page's Python part. Each message is a request; what the page gets back is told once the
// study is kept. An interpreter that broke ends this worker: the page starts another one.

import { loadPyodide } from "../engine/pyodide.mjs";
import * as kept from "./kept.js";

const ENGINE = new URL("../engine/", import.meta.url).href;
const FOLDER = "/studies";
const PRACTICE = `${FOLDER}/practice.jsonl`;
const TREE = (navigator.deviceMemory ?? 4) >= 8 ? 64 : 32; // MiB of a search's tree

const texts = new Map(); // by study, what the file here and the database last had in common
const unkept = new Set(); // studies with decisions that the database did not take
const exclusive = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

async function start() {
  const archive = fetch(`${ENGINE}python.zip`).then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: ENGINE });
  postMessage({ step: 2 });
  const [packages] = python.runPython("import site; site.getsitepackages()").toJs();
  python.unpackArchive(await archive, "zip", { extractDir: packages });
  postMessage({ step: 3 });
  python.FS.mkdirTree(FOLDER);
  python.FS.writeFile(PRACTICE, (await kept.get(kept.PRACTICE))?.text ?? "");
  const inside = python.pyimport("trajan_ai.page.inside").Inside(FOLDER, TREE);
  return { files: python.FS, inside };
}

const file = (id) => `${FOLDER}/${id}.json`;

// Takes over what another tab has done to a study.
async function renew({ files, inside }, id) {
  const text = (await kept.get(id))?.text;
  if (text === texts.get(id) || unkept.has(id)) return;
  if (text === undefined) files.unlink(file(id));
  else files.writeFile(file(id), text);
  texts.set(id, text);
  inside.forget(id);
}

// Puts a study into the database as its file is now.
async function keep({ files }, id) {
  const text = files.analyzePath(file(id)).exists ? files.readFile(file(id), { encoding: "utf8" }) : undefined;
  if (text === texts.get(id)) return;
  try {
    if (text === undefined) await kept.remove(id);
    else {
      const { title, changed } = JSON.parse(text);
      await kept.put({ id, title, changed, text });
    }
    texts.set(id, text);
    unkept.delete(id);
  } catch (error) {
    unkept.add(id);
    postMessage({ trouble: `The browser cannot keep this game (${error.message}): save all games as a file before you leave, and delete some.` });
  }
}

// The same for practice: lines are only ever added, by any tab.
async function keepPractice({ files }) {
  const lines = (text) => text.split("\n").filter(Boolean);
  await exclusive("practice", async () => {
    const before = (await kept.get(kept.PRACTICE))?.text ?? "";
    const all = new Set([...lines(before), ...lines(files.readFile(PRACTICE, { encoding: "utf8" }))]);
    const text = [...all].map((line) => `${line}\n`).join("");
    if (text !== before) await kept.put({ id: kept.PRACTICE, text });
  });
}

async function answer(engine, { number, method, path: address, body }) {
  const [path] = address.split("?");
  const tell = (status, type, disposition, piece, more) => ({ number, status, type, disposition, piece, more });
  const id = path.match(/^\/api\/studies\/([0-9a-f]{16})/)?.[1];
  const ask = (heard) => engine.inside.answer(number, method, address, body, (...told) => heard(tell(...told)));
  if (path.endsWith("/search")) {
    await renew(engine, id);
    await ask(postMessage.bind(self));
    return;
  }
  const whole = async () => {
    const told = [];
    const all = path === "/api/load" || (path === "/api/studies" && method === "GET");
    for (const one of id ? [id] : all ? (await kept.all()).map((study) => study.id) : []) await renew(engine, one);
    await ask((message) => told.push(message));
    const made = id ?? (told[0].status === 200 && told[0].type === "application/json" ? JSON.parse(told[0].piece).id : null);
    if (made && method !== "GET") await keep(engine, made);
    if (/\/(answer|review)$/.test(path)) await keepPractice(engine);
    told.forEach((message) => postMessage(message));
  };
  await (id && method !== "GET" && !/\/(end|review)$/.test(path) ? exclusive(`study ${id}`, whole) : whole());
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
    if (data.leave) running.inside.leave(data.leave);
    else await answer(running, data);
  } catch (error) {
    // Python's own errors are answered; any other is the interpreter's end.
    if (error.name !== "PythonError" || /fatal/i.test(error.message)) broken(error);
  }
};

// Held as long as this worker lives, so that the page learns of its end.
const life = `worker ${Math.random()}`;
navigator.locks?.request(life, () => {
  postMessage({ life });
  return new Promise(() => {});
});
