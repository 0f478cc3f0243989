// Runs a Python program in the interpreter of a site, in Node: run.mjs SITE PROGRAM FOLDER. FOLDER
// is mounted at the same path.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, program, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${site}/engine/pyodide.mjs`));
const env = { PYTHONHASHSEED: "0" }; // so that the same text compiles to the same bytes
const python = await loadPyodide({ indexURL: `${site}/engine/`, env });
const [packages] = python.runPython("import site; site.getsitepackages()").toJs();
python.unpackArchive(new Uint8Array(readFileSync(`${site}/engine/python.zip`)), "zip", {
	extractDir: packages,
});
python.FS.mkdirTree(folder);
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, folder);
python.globals.set("FOLDER", folder);
await python.runPythonAsync(readFileSync(program, "utf8"));
