// Caches one whole version of the page, as `trajan-ai site` wrote it, and answers requests from it.

const VERSION = "version";
const FILES = {}; // SHA-256 and content type of each file, by path
const POLICY = "policy";
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const CACHE = `${worker.registration.scope} ${VERSION}`; // other copies of the page may have the same origin

async function fill() {
	const cache = await caches.open(CACHE);
	const files = Object.entries(FILES);
	let done = 0;
	const take = async ([path, { integrity, type }]) => {
		const old = await caches.match(path); // the file that the previous version stored
		const same = old?.headers.get("X-Integrity") === integrity ? old : null;
		const body = same ?? (await fetch(path, { integrity, cache: "no-cache" }));
		if (!body.ok) throw new Error(`${path}: ${body.status}`);
		await cache.put(
			path,
			new Response(await body.blob(), {
				headers: { "Content-Type": type, "Content-Security-Policy": POLICY, "X-Integrity": integrity },
			}),
		);
		done += 1;
		for (const page of await worker.clients.matchAll({ includeUncontrolled: true }))
			page.postMessage({ done: done / files.length });
	};
	await Promise.all(files.map(take));
}

async function take() {
	for (const name of await caches.keys())
		if (name.startsWith(`${worker.registration.scope} `) && name !== CACHE) await caches.delete(name);
	await worker.clients.claim();
}

async function answer(request) {
	const url = new URL(request.url);
	if (url.pathname.endsWith("/")) url.pathname += "index.html";
	return (await (await caches.open(CACHE)).match(url, { ignoreSearch: true })) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(fill()));
worker.addEventListener("activate", (event) => event.waitUntil(take()));
worker.addEventListener("message", () => worker.skipWaiting());
worker.addEventListener("fetch", (event) => {
	if (event.request.method === "GET" && event.request.url.startsWith(worker.registration.scope))
		event.respondWith(answer(event.request));
});
