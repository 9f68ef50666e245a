import { ask, change, find } from "./page.js";

/** How long changes of the page settle before the plan is asked for: one answer for many. */
const SETTLE_MS = 80;

/**
 * @typedef {{ id: string, standing: string, badge: string, reason: string }} TurnSight
 * @typedef {{ counter: string, details: Record<string, string>, sentence: string, begins_at: string, is_all_out: boolean, price: string | null, turns: TurnSight[] }} ContextSight
 */

/** Draws the plan onto the turns: the edge and badge of each, where the context begins, the counter. */
export class ContextView {
  #log;
  #counter;
  #timer = 0;
  #asked = 0;

  /**
   * @param {import("./elements/chat-log.js").ChatLog} log
   * @param {HTMLElement} counter
   */
  constructor(log, counter) {
    this.#log = log;
    this.#counter = counter;
    new MutationObserver((changes) => {
      if (changes.some(touchesTurns)) this.refresh();
    }).observe(log, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-state"] });
    this.refresh();
  }

  refresh() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#look(), SETTLE_MS);
  }

  async #look() {
    const number = ++this.#asked;
    const depths = this.#turns().map((turn) => Number(turn.dataset.depth));
    const [first, end] = depths.length ? [Math.min(...depths), Math.max(...depths) + 1] : [0, 0];
    const response = await ask(`chats/${this.#log.dataset.chatId}/plan?first=${first}&end=${end}`).catch(() => null);
    if (response === null || number !== this.#asked) return;
    const sight = await response.json();
    this.#draw(sight);
    showPrice(sight.price ?? (await this.#price()));
  }

  /** What the next send would cost. Asked apart where the price is not at hand: that takes a moment. */
  async #price() {
    const response = await change("POST", `chats/${this.#log.dataset.chatId}/estimate`, {}).catch(() => null);
    return response === null ? "" : (await response.json()).sentence;
  }

  /** @param {ContextSight} sight */
  #draw(sight) {
    this.#counter.hidden = false;
    this.#counter.textContent = sight.counter;
    this.#counter.title = sight.sentence;
    fill(find(document, "#counted", HTMLElement), sight);
    for (const old of this.#log.querySelectorAll(".context-begins, .badge.is-standing")) old.remove();
    for (const turn of sight.turns) drawStanding(turn);
    const begin = document.getElementById(sight.begins_at);
    if (sight.begins_at && begin) begin.prepend(boundary(sight));
    if (sight.is_all_out) this.#closeWith(boundary(sight));
  }

  /**
   * Nothing of the chat is in the context: it begins behind the last turn that was answered.
   *
   * @param {HTMLElement} line
   */
  #closeWith(line) {
    if (this.#log.headId === null) return;
    const turns = find(this.#log, ".turns", HTMLElement);
    turns.insertBefore(line, turns.querySelector(":scope > [data-standing=current]"));
  }

  #turns() {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.#log.querySelectorAll(".turn"))];
  }
}

/**
 * What the counter tells when it is opened: what is left out, its numbers, the way to the boundary.
 *
 * @param {HTMLElement} box
 * @param {ContextSight} sight
 */
function fill(box, sight) {
  find(box, "[data-sentence]", HTMLElement).textContent = sight.sentence;
  find(box, "[data-details]", HTMLElement).replaceChildren(...Object.entries(sight.details).flatMap(pair));
  const way = find(box, "[data-boundary]", HTMLAnchorElement);
  way.hidden = !sight.begins_at;
  // On this page it is a jump; further up it is where the chat is opened.
  way.href = `${document.getElementById(sight.begins_at) ? "" : `?turn=${sight.begins_at}`}#${sight.begins_at}`;
}

/** @param {[string, string]} detail */
function pair([name, value]) {
  return [Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value })];
}

/** @param {string} sentence */
function showPrice(sentence) {
  const place = document.querySelector("[data-price]");
  if (place) place.textContent = sentence;
}

/** @param {TurnSight} sight */
function drawStanding(sight) {
  const turn = document.getElementById(sight.id);
  if (!turn) return;
  turn.dataset.standing = sight.standing;
  if (!sight.badge) return;
  const badge = document.createElement("span");
  badge.className = "badge is-standing";
  badge.textContent = sight.badge;
  badge.title = sight.reason;
  turn.querySelector(".turn-facts")?.before(badge);
}

/** @param {ContextSight} sight */
function boundary(sight) {
  const line = document.createElement("p");
  line.className = "context-begins";
  const name = document.createElement("strong");
  name.textContent = "context begins here";
  const rest = document.createElement("span");
  rest.textContent = sight.sentence;
  line.append(name, rest);
  return line;
}

/** @param {MutationRecord} change */
function touchesTurns(change) {
  if (change.type === "attributes") return true;
  return [...change.addedNodes, ...change.removedNodes].some((node) => node instanceof HTMLElement && node.matches(".turn, .turns"));
}
