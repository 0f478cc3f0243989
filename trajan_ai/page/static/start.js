// The list of games: start one, load one, go on with one.

import { get, post, remove } from "./api.js";
import { complain, gameName, h, notice } from "./dom.js";
import { showEditor } from "./editor.js";

const ME = "";
const STUDY = "trajan-ai/study"; // what each line of a file of all games says

export async function showStart(main) {
  document.title = "trajan_ai";
  document.getElementById("title").textContent = "trajan_ai";
  let data;
  try {
    data = await get("/api/start");
  } catch (error) {
    complain(error);
    return;
  }
  main.className = "start";
  main.replaceChildren(
    h(
      "div",
      { class: "hero" },
      h("p", { class: "motto" }, "Play Trajan and Forum Trajanum, and see what the best move was."),
    ),
    newGame(data.games),
    load(main),
    saved(main, data.studies),
  );
}

function newGame(games) {
  const seats = h("div", { class: "seats" });
  const note = h("p", { class: "small", id: "note" });
  const options = h("div", { class: "options" });
  const game = h(
    "select",
    { id: "game", onchange: () => (fill(), fillOptions()) },
    games.map((one) => h("option", { value: one.name }, gameName(one.name))),
  );
  const players = h(
    "select",
    { id: "players", onchange: () => fill() },
    [2, 3, 4].map((count) => h("option", { value: count }, count)),
  );
  const seed = h("input", { id: "seed", inputmode: "numeric", placeholder: "by chance" });
  const chosen = () => games.find((one) => one.name === game.value);

  function fill() {
    const levels = Object.entries(chosen().levels);
    const before = [...seats.querySelectorAll("select")].map((select) => select.value);
    const rows = [...Array(Number(players.value)).keys()].map((player) => {
      const start = before[player] ?? (player === 0 ? ME : "expert-30");
      const select = h(
        "select",
        { id: `seat${player}` },
        h("option", { value: ME }, "Me"),
        levels.map(([name, text]) => h("option", { value: name }, text)),
      );
      select.value = start;
      return h("div", { class: "field" }, h("label", { for: `seat${player}` }, `Player ${player}`), select);
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
          h("label", { for: `option-${name}` }, name.replaceAll("_", " ")),
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
      notice("The seed must be a whole number of at most 15 digits; leave it empty for chance.");
      seed.focus();
      return;
    }
    try {
      const { id } = await post("/api/studies", {
        game: game.value,
        seats: [...seats.querySelectorAll("select")].map((select) => select.value || null),
        seed: number ? Number(number) : null,
        options: Object.fromEntries(typed.map((input) => [input.name, input.value.trim()])),
      });
      location.hash = id;
    } catch (error) {
      complain(error);
    }
  }

  fill();
  fillOptions();
  return h(
    "form",
    { class: "card", onsubmit: begin },
    h("h2", {}, "New game"),
    h("div", { class: "pair" },
      h("div", { class: "field" }, h("label", { for: "game" }, "Game"), game),
      h("div", { class: "field" }, h("label", { for: "players" }, "Players"), players)),
    note,
    seats,
    h("details", {}, h("summary", {}, "Seed and options of the rules"),
      h("div", { class: "field" }, h("label", { for: "seed" }, "Seed of the deal"), seed), options),
    h("button", { type: "submit", class: "main" }, "Start"),
    h("p", { class: "small" },
      "With one “Me” the page knows only what you may know. With several, or with none, everything can be seen."),
  );
}

function load(main) {
  const text = h("textarea", {
    id: "text", rows: 6, spellcheck: "false",
    placeholder: "Paste a record or a position file, drop a file here, or choose one.",
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
    const lines = text.value.split("\n").filter((line) => line.slice(0, 100).includes(STUDY));
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
        notice(`${error.problems.length} problem(s), first: ${error.problems[0]}`);
        showEditor(text.value);
      } else complain(error);
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
    h("h2", {}, "Look at a game or a position"),
    h("div", { class: "field" }, h("label", { for: "file" }, "File"), file),
    h("div", { class: "field" }, h("label", { for: "text" }, "Or its text"), text),
    h("div", { class: "pair" },
      h("div", { class: "field" }, h("label", { for: "number" }, "Game number in the file"), number)),
    h("div", { class: "buttons" },
      h("button", { type: "submit", class: "main" }, "Open"),
      h("button", { type: "button", onclick: () => showEditor(text.value) }, "Write a position")),
  );
}

function saved(main, studies) {
  const when = (text) => new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  async function drop(study) {
    if (!confirm(`Delete “${study.title}”?`)) return;
    try {
      await remove(`/api/studies/${study.id}`);
      await showStart(main);
    } catch (error) {
      complain(error);
    }
  }
  const rows = studies.map((study) =>
    h("li", {},
      h("a", { href: `#${study.id}` }, h("span", {}, study.title), h("time", {}, when(study.changed))),
      h("button", { type: "button", class: "quiet", "aria-label": `Delete ${study.title}, ${when(study.changed)}`,
        onclick: () => drop(study) }, "Delete")),
  );
  return h(
    "section",
    { class: "card saved" },
    h("h2", {}, "Go on"),
    studies.length
      ? h("div", {}, h("ul", {}, rows), h("a", { class: "button", href: "/api/studies", download: true }, "Save all as a file"))
      : h("p", {}, "Games are kept on this machine, every decision at once; they will be listed here."),
  );
}
