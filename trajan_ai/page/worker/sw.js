// Keeps one whole version of the page, each file as `trajan-ai site` wrote it, and answers from it.

const VERSION = "version";
const FILES = {}; // by path, its SHA-256 and content type
const POLICY = "policy";

async function fill() {
  const cache = await caches.open(VERSION);
  const files = Object.entries(FILES);
  let done = 0;
  const take = async ([path, { integrity, type }]) => {
    const had = await caches.match(path); // of the version before, perhaps the same
    const same = had?.headers.get("X-Integrity") === integrity ? had : null;
    const body = same ?? (await fetch(path, { integrity, cache: "no-cache" }));
    if (!body.ok) throw new Error(`${path}: ${body.status}`);
    await cache.put(path, new Response(await body.blob(), {
      headers: { "Content-Type": type, "Content-Security-Policy": POLICY, "X-Integrity": integrity },
    }));
    done += 1;
    for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage({ done: done / files.length });
  };
  await Promise.all(files.map(take));
}

async function take() {
  for (const name of await caches.keys()) if (name.startsWith("trajan-ai-") && name !== VERSION) await caches.delete(name);
  await clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  return (await (await caches.open(VERSION)).match(url, { ignoreSearch: true })) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(take()));
addEventListener("message", () => skipWaiting());
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});
