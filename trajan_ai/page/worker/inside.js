// The page without a server: `fetch` and `EventSource` for its requests, answered by a worker. It
// is installed once, shows how far it is, and is started anew when it died.

import { t } from "./annotation.js";
import * as kept from "./kept.js";

const ROOT = new URL("..", import.meta.url);
const VERSION = document.documentElement.dataset.engine;
const loading = document.getElementById("loading");
const READY = { "/api/start": "start", "/api/languages": "languages" }; // need no engine
const LOOK = /^\/api\/studies\/(\w+)\/(at|play|advance)$/;

let worker = null;
let ready = false;
let hopeless = false; // an engine that ends before it is ready would end again
let last = 0;
const asked = new Map(); // by number, who hears the answer
const before = []; // requests from before there was a worker

const notice = async (text) => (await import("./dom.js")).notice(text); // it needs this module

function progress(text, done) {
  if (!loading) return;
  loading.hidden = done >= 1;
  loading.querySelector("p").textContent = text;
  loading.querySelector("progress").value = done;
}

const step = (number) => ["", t("Starting …"), t("Loading the games …"), t("Loading the bots …"), ""][number];

function start() {
  const mine = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker = mine;
  const died = () => {
    if (worker !== mine) return;
    mine.terminate();
    ready = false;
    if (!hopeless) start();
    for (const hear of [...asked.values()]) hear({ status: 503, type: "application/json", disposition: "", more: false,
      piece: JSON.stringify({ problems: [t("The engine ended and was started anew. Nothing that was decided is lost: try again.")] }) });
  };
  mine.onerror = died;
  mine.onmessage = ({ data }) => {
    if (data.number) asked.get(data.number)?.(data);
    else if (data.trouble) notice(data.trouble);
    else if (data.life) navigator.locks.request(data.life, died);
    else if (data.broken) {
      hopeless ||= !ready;
      died();
      if (hopeless) progress(`${t("The engine cannot start here:")} ${data.broken}`, 0);
    }
    else {
      ready = data.step === 4;
      progress(step(data.step), data.step / 4);
    }
  };
  progress(step(1), 1 / 4);
  for (const message of before.splice(0)) mine.postMessage(message);
}

function ask(path, { method = "GET", body = "" }, hear) {
  const number = ++last;
  asked.set(number, (data) => {
    if (!data.more) asked.delete(number);
    hear(data);
  });
  const message = { number, method, path, body };
  if (worker) worker.postMessage(message);
  else before.push(message);
  return number;
}

// The page's first sight of a study, before there is an engine: what was last seen of it, unless
// another tab has gone on.
const lookAt = async (id, node, view) => `${id} ${node} ${view} ${(await kept.get(id))?.changed}`;

async function remembered(path, body) {
  const { look, text } = JSON.parse(localStorage.getItem("seen") ?? "{}");
  const { node, view } = JSON.parse(body);
  const [, id, what] = path.match(LOOK);
  return !ready && what === "at" && look === (await lookAt(id, node, view)) ? text : null;
}

async function remember(path, body, text) {
  const look = await lookAt(path.match(LOOK)[1], JSON.parse(text).node, JSON.parse(body).view);
  try {
    localStorage.setItem("seen", JSON.stringify({ look, text }));
  } catch {
    localStorage.removeItem("seen"); // no room: then the board comes with the engine
  }
}

export async function fetch(address, options = {}) {
  const { pathname: path, searchParams } = new URL(address, ROOT);
  if (READY[path]) {
    const name = `engine/${READY[path]}.${searchParams.get("language") || "en"}.json`;
    const answer = await window.fetch(new URL(name, ROOT));
    if (path !== "/api/start") return answer;
    const studies = (await kept.all()).map(({ id, title, changed }) => ({ id, title, changed }));
    return Response.json({ ...await answer.json(), studies: studies.sort((one, other) => (one.changed < other.changed ? 1 : -1)) });
  }
  const looks = LOOK.test(path);
  const old = looks ? await remembered(path, options.body) : null;
  if (old) return new Response(old, { headers: { "Content-Type": "application/json" } });
  return new Promise((resolve) => {
    let text = "";
    ask(address, options, ({ status, type, disposition, piece, more }) => {
      text += piece;
      if (more) return;
      if (looks && status === 200) remember(path, options.body, text);
      resolve(new Response(text, { status, headers: { "Content-Type": type, "Content-Disposition": disposition } }));
    });
  });
}

export class EventSource {
  constructor(path) {
    this.number = ask(path, {}, ({ status, piece, more }) => {
      if (status !== 200) this.onerror?.();
      else if (piece) this.onmessage({ data: piece.slice("data: ".length) });
      else if (!more) this.onerror?.();
    });
  }

  close() {
    this.onerror = null;
    worker?.postMessage({ leave: this.number });
  }
}

// What a server would send as a file.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.('a[download][href^="/api/"]');
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

// Installs this version, so that it works without a network. All of a page is of one version: a
// new one takes over when every tab has agreed to be loaded anew.
async function install() {
  const { serviceWorker } = navigator;
  let controlled = serviceWorker?.controller;
  serviceWorker?.addEventListener("controllerchange", () => {
    if (controlled) location.reload();
    controlled = true; // by the version that is here
  });
  serviceWorker?.addEventListener("message", ({ data }) => worker || progress(t("Loading, once …"), data.done));
  const registration = await serviceWorker?.register(new URL("sw.js", ROOT)).catch(() => null);
  if (!registration) return; // such as without https
  registration.addEventListener("updatefound", () => {
    const next = registration.installing;
    next.addEventListener("statechange", () => {
      if (next.state === "installed" && controlled) offer(next);
    });
  });
  if (registration.waiting) offer(registration.waiting);
  if (registration.active) return;
  await new Promise((resolve) => {
    serviceWorker.addEventListener("controllerchange", resolve);
    registration.installing.addEventListener("statechange", ({ target }) => target.state === "redundant" && resolve());
  });
  if (serviceWorker.controller && !(await caches.has(VERSION))) location.reload(); // published anew meanwhile
}

function offer(next) {
  const button = document.createElement("button");
  button.textContent = t("A new version is here: load it");
  button.onclick = () => next.postMessage("take over");
  loading.after(button);
}

if (navigator.serviceWorker?.controller) start(); // what is installed is there
install().then(() => worker || start());
navigator.storage?.persist?.();
