// Studies in the browser's own database, which its tabs share: {id, title, changed, text}.

const open = new Promise((resolve, reject) => {
  const request = indexedDB.open("trajan-ai", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("studies", { keyPath: "id" });
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// What is answered is on the disk, not only on its way there.
async function ask(mode, call) {
  const change = (await open).transaction("studies", mode, { durability: "strict" });
  const request = call(change.objectStore("studies"));
  return new Promise((resolve, reject) => {
    change.oncomplete = () => resolve(request.result);
    change.onabort = () => reject(change.error);
  });
}

export const PRACTICE = "practice"; // not a study: what was solved, and one's own mistakes

export const all = async () => (await ask("readonly", (studies) => studies.getAll())).filter(({ id }) => id !== PRACTICE);
export const get = (id) => ask("readonly", (studies) => studies.get(id));
export const put = (study) => ask("readwrite", (studies) => studies.put(study));
export const remove = (id) => ask("readwrite", (studies) => studies.delete(id));
