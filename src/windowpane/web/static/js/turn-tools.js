import { openMenu } from "./menu.js";
import { explain, find } from "./page.js";
import { actOf } from "./logic/keys.js";
import { toasts } from "./toasts.js";

/**
 * What a reader can do with a turn: its buttons, its menu, and single keys while it has the focus.
 * What each act does is loaded when the first one is wanted.
 */
export class TurnTools {
  #menu = find(document, "#turn-menu", HTMLElement);
  #scene;
  /** The turn that the menu is open for. @type {HTMLElement | null} */
  #turn = null;

  /** @param {import("./elements/chat-log.js").ChatLog} log */
  constructor(log) {
    this.#scene = { log, toasts };
  }

  /** @param {Event} event */
  clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-act]") : null;
    if (!(button instanceof HTMLElement)) return;
    const inMenu = this.#menu.contains(button);
    const turn = inMenu ? this.#turn : button.closest(".turn, .special");
    if (!(turn instanceof HTMLElement)) return;
    if (button.dataset.act === "menu") return this.#open(button, turn);
    if (inMenu) this.#menu.hidePopover();
    void this.#act(button.dataset.act ?? "", turn, button.dataset);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest(".turn-tools")) this.#walk(event, target);
    const turn = target.closest(".turn");
    if (!(turn instanceof HTMLElement) || target.closest("input, textarea, select, [contenteditable]")) return;
    // Space and Enter belong to what they would press.
    if (event.key === " " && target !== turn) return;
    const act = actOf(event.key, {
      isFailed: turn.dataset.state === "error",
      isLast: turn.matches(":nth-last-child(1 of .turn)"),
      star: Number(turn.dataset.star),
    });
    if (!act) return;
    event.preventDefault();
    void this.#act(act.name, turn, { star: String(act.star) });
  }

  /**
   * Left and right between the buttons of a turn; Tab goes from turn to turn.
   *
   * @param {KeyboardEvent} event
   * @param {HTMLElement} here
   */
  #walk(event, here) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...(here.parentElement?.querySelectorAll("button") ?? [])].filter((one) => one.checkVisibility());
    buttons.at((buttons.findIndex((one) => one === here) + step) % buttons.length)?.focus();
    event.preventDefault();
  }

  /**
   * @param {HTMLElement} button
   * @param {HTMLElement} turn
   */
  #open(button, turn) {
    this.#turn = turn;
    this.#word("flag", turn.dataset.flag === "blue" ? "Flag grey" : "Flag blue");
    this.#word("pin", turn.dataset.pinned === "1" ? "Unpin" : "Pin");
    this.#word("skip", turn.dataset.skipped === "1" ? "No longer skip" : "Skip");
    const hasSiblings = turn.querySelector(".turn-places") !== null;
    for (const one of this.#menu.querySelectorAll("[data-only=siblings]")) one.toggleAttribute("hidden", !hasSiblings);
    openMenu(this.#menu, button);
  }

  /**
   * @param {string} act
   * @param {string} word
   */
  #word(act, word) {
    find(this.#menu, `[data-act=${act}] [data-word]`, HTMLElement).textContent = word;
  }

  /**
   * @param {string} name
   * @param {HTMLElement} turn
   * @param {DOMStringMap} details
   */
  async #act(name, turn, details) {
    const { acts } = await import("./later/acts.js");
    try {
      await acts[name]?.(turn, this.#scene, details);
    } catch (error) {
      explain(error);
    }
  }
}
