// Fetches the decisions before and after the shown one in advance, so a step does not wait for an answer.

import { painted } from "./dom.js";

export class Ahead {
	/** @type {Map<number, Promise<TreeState>>} the shown decision and its neighbours, by node */
	kept = new Map();

	/**
	 * @param {(node: number, here: number) => Promise<TreeState>} load fetches a node while another is shown
	 * @param {(state: TreeState) => void} loaded receives every fetched state
	 */
	constructor(load, loaded) {
		this.load = load;
		this.loaded = loaded;
	}

	/**
	 * Keeps the shown state, and fetches its neighbours once the browser has painted, because painting and
	 * fetching both need the processor. A request is sent even if all neighbours are kept, because it also
	 * reports which node the user is viewing.
	 * @param {TreeState} state
	 * @param {number[]} beside
	 */
	async surround(state, beside) {
		const before = this.kept;
		const kept = new Map([[state.node, Promise.resolve(state)]]);
		this.kept = kept;
		const missing = beside.filter((node) => !before.has(node));
		for (const node of beside.filter((one) => before.has(one))) kept.set(node, before.get(node));
		await painted();
		if (this.kept !== kept || !kept.size) return; // something else is shown
		for (const node of missing.length ? missing : beside.slice(0, 1)) this.fetch(node, state.node);
	}

	async fetch(node, here) {
		const answer = this.load(node, here);
		this.kept.set(node, answer);
		const isKept = () => this.kept.get(node) === answer;
		try {
			const state = await answer;
			if (isKept()) this.loaded(state);
		} catch {
			if (isKept()) this.kept.delete(node); // requested again when it is needed
		}
	}
}
