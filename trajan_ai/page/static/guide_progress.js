// A user's progress in the guide of a game. The list of games shows it, too.

/** @typedef {{step: number, lesson: number, ended: boolean}} Progress */

const keyOf = (game) => `guide ${game}`;

/**
 * Returns the step at which a user left the guide of a game, or null.
 * @param {string} game
 * @returns {Progress | null}
 */
export const readProgress = (game) => JSON.parse(localStorage.getItem(keyOf(game)) ?? "null");

/** @param {string} game @param {Progress} progress */
export const storeProgress = (game, progress) => localStorage.setItem(keyOf(game), JSON.stringify(progress));
