// The board: the server's drawing, its places to click, and marks of suggested moves on it.

import { draw } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const MARKED = 3; // suggestions that are marked

export class Board {
  // `chosen(actions, place)` is called with the legal actions that are meant by a place.
  constructor(element, chosen) {
    this.element = element;
    this.chosen = chosen;
    this.legal = [];
    element.addEventListener("click", (event) => this.press(event.target));
    element.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && this.place(event.target)) {
        event.preventDefault();
        this.press(event.target);
      }
    });
  }

  static columns(width) {
    if (width < 600) return 1;
    return width < 1080 ? 2 : 3;
  }

  show(state) {
    const focused = this.element.contains(document.activeElement);
    this.legal = state.legal;
    draw(this.element, state);
    if (focused) this.element.focus({ preventScroll: true });
  }

  place(target) {
    return target.closest?.("[data-place]")?.getAttribute("data-place");
  }

  press(target) {
    const place = this.place(target);
    const actions = this.legal.filter((entry) => entry[1] === place).map((entry) => entry[0]);
    if (place && actions.length) this.chosen(actions, place);
  }

  // Marks the places of the best moves; `places` has one per move, or null.
  suggest(places) {
    for (const mark of this.element.querySelectorAll(".suggested")) mark.remove();
    const taken = new Map();
    places.slice(0, MARKED).forEach((place, i) => {
      const target = place && this.target(place);
      if (!target) return;
      const shift = taken.get(place) ?? 0;
      if (!shift) this.frame(target, "frame");
      this.badge(target, i + 1, shift);
      taken.set(place, shift + 1);
    });
  }

  // Points at a place while its move has the focus or the pointer.
  point(place) {
    for (const mark of this.element.querySelectorAll(".suggested.hot")) mark.remove();
    const target = place && this.target(place);
    if (target) this.frame(target, "hot");
  }

  target(place) {
    return this.element.querySelector(`svg [data-place="${CSS.escape(place)}"]`);
  }

  frame(target, kind) {
    const box = target.getBBox();
    this.add(target, "rect", kind, {
      x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4, rx: 5,
    });
  }

  badge(target, rank, shift) {
    const box = target.getBBox();
    const at = { x: box.x + 2 + 17 * shift, y: box.y + 1 };
    this.add(target, "circle", "badge", { cx: at.x, cy: at.y, r: 8.5 });
    this.add(target, "text", "rank", { x: at.x, y: at.y + 4 }).textContent = rank;
  }

  add(target, tag, kind, attributes) {
    const mark = document.createElementNS(SVG, tag);
    mark.setAttribute("class", `suggested ${kind}`);
    mark.setAttribute("aria-hidden", "true");
    if (target.hasAttribute("transform"))
      mark.setAttribute("transform", target.getAttribute("transform"));
    for (const [name, value] of Object.entries(attributes)) mark.setAttribute(name, value);
    target.parentNode.append(mark);
    return mark;
  }
}
