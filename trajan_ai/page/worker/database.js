// The saved games in the browser's database, which all tabs share. An entry has the keys id, text, title,
// changed, seats and status. The names of the database and its store must not change.

const open = new Promise((resolve, reject) => {
	const request = indexedDB.open("trajan-ai", 1);
	request.onupgradeneeded = () => request.result.createObjectStore("studies", { keyPath: "id" });
	request.onsuccess = () => resolve(request.result);
	request.onerror = () => reject(request.error);
});

// Resolves when the change has been written to disk.
async function run(mode, call) {
	const change = (await open).transaction("studies", mode, { durability: "strict" });
	const request = call(change.objectStore("studies"));
	return new Promise((resolve, reject) => {
		change.oncomplete = () => resolve(request.result);
		change.onabort = () => reject(change.error);
	});
}

export const PRACTICE = "practice"; // the entry of exercises and solutions, which is not a game

export const all = async () =>
	(await run("readonly", (games) => games.getAll())).filter(({ id }) => id !== PRACTICE);
export const get = (id) => run("readonly", (games) => games.get(id));
export const put = (game) => run("readwrite", (games) => games.put(game));
export const remove = (id) => run("readwrite", (games) => games.delete(id));
