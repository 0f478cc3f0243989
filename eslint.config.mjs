import js from "@eslint/js";
import globals from "globals";

const SERVICE_WORKER = "trajan_ai/page/worker/sw.js";

export default [
	js.configs.recommended,
	{
		rules: {
			"max-len": ["error", { code: 110, tabWidth: 2 }],
			// `i` counts in loops, `_` stands for an argument that is not used.
			"id-length": ["error", { min: 2, properties: "never", exceptions: ["i", "_"] }],
			"no-unused-vars": ["error", { argsIgnorePattern: "^_$", ignoreRestSiblings: true }],
			"no-var": "error",
			"prefer-const": "error",
			eqeqeq: "error",
			// Elements are made with `make`, and what the server draws is parsed with `parse`.
			"no-restricted-properties": [
				"error",
				...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property })),
			],
		},
	},
	{ files: ["trajan_ai/**"], languageOptions: { globals: globals.browser } },
	{ files: ["trajan_ai/page/worker/worker.js"], languageOptions: { globals: globals.worker } },
	{ files: [SERVICE_WORKER], languageOptions: { globals: globals.serviceworker } },
	{ files: ["trajan_ai/page/node/**"], languageOptions: { globals: globals.node } },
];
