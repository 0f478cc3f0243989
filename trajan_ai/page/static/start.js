// The first view: start a game, load one, or continue one.

import { get, post, remove } from "./api.js";
import { attempt, button, entitle, field, gameName, h, notice, openGame, select, showError } from "./dom.js";
import { showEditor } from "./editor.js";
import { language, t } from "./language.js";
import { showTable } from "./table.js";

const ME = "";
const SAVED_GAME = "trajan-ai/study"; // the format in each line of a file of saved games

export async function showStart(main) {
  entitle("trajan_ai");
  const data = await attempt(() => get("/api/start"));
  if (!data) return;
  main.className = "start";
  main.replaceChildren(
    h("div", { class: "hero" }, h("p", { class: "motto" }, t("Play Trajan and Forum Trajanum, and see what the best move was."))),
    newGame(data.games),
    load(main, data.games),
    saved(main, data.studies, data.damaged),
    practise(),
  );
}

function newGame(games) {
  const seats = h("div", { class: "seats" });
  const note = h("p", { class: "small", id: "note" });
  const options = h("div", { class: "options" });
  const game = select({ id: "game", onchange: () => (fill(), fillOptions()) }, games.map(({ name }) => [name, gameName(name)]));
  const players = select({ id: "players", onchange: () => fill() }, [2, 3, 4].map((count) => [count, count]));
  const seed = h("input", { id: "seed", inputmode: "numeric", placeholder: t("by chance") });
  const chosen = () => games.find((one) => one.name === game.value);

  function fill() {
    const levels = Object.entries(chosen().levels[players.value] ?? {});
    const before = [...seats.querySelectorAll("select")].map((seat) => seat.value);
    const rows = [...Array(Number(players.value)).keys()].map((player) => {
      const same = [ME, ...levels.map(([name]) => name)].find((name) => name === before[player]);
      const start = same ?? (player === 0 ? ME : levels[Math.floor(levels.length / 2)]?.[0] ?? ME);
      const seat = select({ id: `seat${player}` }, [[ME, t("Me")], ...levels]);
      seat.value = start;
      return field(t("Player {player}", { player }), seat);
    });
    seats.replaceChildren(...rows);
  }

  function fillOptions() {
    note.textContent = chosen().note ?? "";
    options.replaceChildren(
      ...chosen().options.map(({ name, allowed, default: value }) =>
        h(
          "div",
          { class: "field" },
          h("label", { for: `option-${name}` }, t(name.replaceAll("_", " "))),
          h("input", { id: `option-${name}`, name, placeholder: String(value), title: allowed,
            "aria-describedby": `allowed-${name}` }),
          h("small", { id: `allowed-${name}` }, allowed),
        ),
      ),
    );
  }

  async function begin(event) {
    event.preventDefault();
    const typed = [...options.querySelectorAll("input")].filter((input) => input.value.trim());
    const number = seed.value.trim();
    if (number && !/^-?\d{1,15}$/.test(number)) {
      notice(t("The seed must be a whole number of at most 15 digits; leave it empty for chance."));
      seed.focus();
      return;
    }
    await openGame("/api/studies", {
      game: game.value,
      seats: [...seats.querySelectorAll("select")].map((seat) => seat.value || null),
      seed: number ? Number(number) : null,
      options: Object.fromEntries(typed.map((input) => [input.name, input.value.trim()])),
    });
  }

  fill();
  fillOptions();
  return h(
    "form",
    { class: "card", onsubmit: begin },
    h("h2", {}, t("New game")),
    h("div", { class: "pair" }, field(t("Game"), game), field(t("Players"), players)),
    note,
    seats,
    h("details", {}, h("summary", {}, t("Seed and options of the rules")), field(t("Seed of the deal"), seed), options),
    h("button", { type: "submit", class: "main" }, t("Start")),
    h("p", { class: "small" },
      t("A level is named by the VP that it makes."), " ",
      t("With one “Me” the page knows only what you may know. With several, or with none, everything can be seen.")),
  );
}

function load(main, games) {
  const text = h("textarea", {
    id: "text", rows: 6, spellcheck: "false",
    placeholder: t("Paste a record or a position file, drop a file here, or choose one."),
  });
  const number = h("input", { id: "number", type: "number", min: 1, value: 1 });
  const file = h("input", { id: "file", type: "file", accept: ".jsonl,.json,.yaml,.yml",
    onchange: () => take(file.files[0]) });
  let title = "";

  async function take(chosen) {
    if (!chosen) return;
    text.value = await chosen.text();
    title = chosen.name;
  }

  async function send(event) {
    event.preventDefault();
    const lines = text.value.split("\n").filter((line) => line.slice(0, 100).includes(SAVED_GAME));
    try {
      if (lines.length) {
        for (const line of lines) await post("/api/load", { text: line });
        await showStart(main);
        return;
      }
      const { id } = await post("/api/load", { text: text.value, number: Number(number.value), title });
      location.hash = id;
    } catch (error) {
      if (error.problems && !text.value.trim().startsWith("{")) {
        notice(t("{count} problem(s), first: {problem}", { count: error.problems.length, problem: error.problems[0] }));
        showEditor(text.value);
      } else showError(error);
    }
  }

  return h(
    "form",
    {
      class: "card",
      onsubmit: send,
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault();
        take(event.dataTransfer.files[0]);
      },
    },
    h("h2", {}, t("Look at a game or a position")),
    field(t("File"), file),
    field(t("Or its text"), text),
    h("div", { class: "pair" }, field(t("Game number in the file"), number)),
    h("div", { class: "buttons" },
      h("button", { type: "submit", class: "main" }, t("Open")),
      button(t("Write a position"), () => showEditor(text.value)),
      button(t("Follow a real table"), () => showTable(games))),
  );
}

function practise() {
  return h("section", { class: "card" }, h("h2", {}, t("Practise")),
    h("p", {}, t("Find the best turn: puzzles of both games, and your own mistakes in games that you analysed.")),
    h("a", { class: "button", href: "#practice" }, t("Practise")));
}

function saved(main, games, damaged) {
  const when = (text) => new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const drop = (game) => attempt(async () => {
    if (!confirm(t("Delete “{title}”?", game))) return;
    await remove(`/api/studies/${game.id}`);
    await showStart(main);
  });
  const rows = games.map((game) =>
    h("li", {},
      h("a", { href: `#${game.id}` }, h("span", {}, game.title), h("time", {}, when(game.changed))),
      button(t("Delete"), () => drop(game), { class: "quiet", "aria-label": t("Delete {title}, {when}", { title: game.title, when: when(game.changed) }) })));
  return h("section", { class: "card saved" }, h("h2", {}, t("Go on")),
    games.length
      ? h("div", {}, h("ul", {}, rows), h("a", { class: "button", href: "/api/studies", download: true }, t("Save all as a file")))
      : h("p", {}, t("Games are kept on this machine, every decision at once; they will be listed here.")),
    damaged.length ? h("p", { class: "problem" }, t("These saved games cannot be read: {files}", { files: damaged.join(", ") })) : null);
}
