// Tips about the pieces and places of the board: under a resting pointer, at the focus, and on a
// long press.

import { h, loadSprite } from "./dom.js";

const REST = 600; // milliseconds

export class Tips {
  constructor(element) {
    this.element = element;
    this.box = h("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
    document.body.append(this.box);
    element.addEventListener("pointerover", (event) => {
      clearTimeout(this.timer);
      this.hide();
      if (event.pointerType === "mouse") this.timer = setTimeout(() => this.show(event.target), REST);
    });
    element.addEventListener("pointerleave", () => this.hide());
    element.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.show(event.target));
    element.addEventListener("focusout", () => this.hide());
    element.addEventListener("contextmenu", (event) => {
      if (event.pointerType === "touch" && this.show(event.target)) event.preventDefault();
    });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  async load(game) {
    this.tips = await loadSprite(game);
  }

  // The label of a piece, what it is, and what its place is for.
  show(target) {
    this.hide();
    const piece = target.closest?.("[data-place]") ?? target.closest?.("g[data-height]");
    if (!piece || !this.tips) return false;
    const [kind, ...rest] = (piece.getAttribute("data-place") ?? piece.dataset.panel ?? piece.getAttribute("aria-label")).split(" ");
    const name = rest.at(-1) ?? "";
    const keys = [[kind, ...rest].join(" "), name, name.replace(/\d+$/, ""), name.split("-")[0], kind];
    const tips = [...new Set(keys.map((key) => this.tips[key]).filter(Boolean))];
    if (!tips.length) return false;
    this.box.replaceChildren(h("strong", {}, piece.getAttribute("aria-label")), ...tips.slice(0, 2).map((tip) => h("p", {}, tip)));
    this.box.hidden = false;
    const at = piece.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const below = at.bottom + 6 + height < window.innerHeight;
    this.box.style.left = `${Math.max(4, Math.min(at.left, window.innerWidth - width - 4))}px`;
    this.box.style.top = `${below ? at.bottom + 6 : Math.max(4, at.top - height - 6)}px`;
    this.piece = piece;
    piece.setAttribute("aria-describedby", "tip");
    return true;
  }

  hide() {
    clearTimeout(this.timer);
    this.box.hidden = true;
    this.piece?.removeAttribute("aria-describedby");
  }
}
