// A bot in JavaScript that prefers the actions after which its score has risen most so far.
//
// It records how much its score rises after each action, and chooses the legal action with the best average.
// Now and then it tries a random action instead. In a tournament, each game runs the bot in a new process, so
// there it learns within one game only.
"use strict";
const readline = require("node:readline");

const gained = new Map(); // action -> [times, VP]
let explore = 0.2;
let seat = 0;
let last = null; // [action, score before]

function random(seed) { // mulberry32, a generator by Tommy Ettinger
  let t = (seed + 0x6d2b79f5) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

function mean(action) {
  const [times, vp] = gained.get(action) || [0, 0];
  return (vp + 1) / (times + 1); // an action not tried yet is assumed to gain one point
}

function choose(message) {
  const score = message.scores[seat];
  if (last) {
    const [times, vp] = gained.get(last[0]) || [0, 0];
    gained.set(last[0], [times + 1, vp + score - last[1]]);
  }
  const legal = message.legal;
  let move = legal[Math.floor(random(message.seed) * legal.length)];
  if (random(message.seed + 1) >= explore)
    for (const action of legal) if (mean(action) > mean(move)) move = action;
  last = [move, score];
  return { type: "move", move };
}

const answers = {
  hello(message) {
    explore = message.options.explore ?? explore;
    return { type: "ready" };
  },
  start(message) {
    seat = message.seat;
    last = null;
    return { type: "ready" };
  },
  choose,
  quit: () => process.exit(0),
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  process.stdout.write(JSON.stringify(answers[message.type](message)) + "\n");
});
