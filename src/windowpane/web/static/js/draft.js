import { Refusal, change, signal } from "./page.js";

/** How long somebody pauses before what was written is saved. */
const PAUSE_MS = 400;

/**
 * Keeps what is written in a box on the server, so that another tab, another browser or a restart
 * finds it again. One save at a time, and of those that came meanwhile only the last.
 */
export class DraftKeeper {
  #box;
  #path;
  #timer = 0;
  #isSaving = false;
  #saved;

  /**
   * @param {HTMLTextAreaElement} box
   * @param {string} place such as chat:cht_1
   */
  constructor(box, place) {
    this.#box = box;
    this.#path = `drafts/${place}`;
    // What the page came with; something may have been typed since.
    this.#saved = box.defaultValue;
    this.#takeBack();
    if (box.value !== this.#saved) this.#later();
    box.addEventListener("input", () => this.#later());
    window.addEventListener("pagehide", () => this.#leave());
  }

  /** The server has taken the draft away with the message that it became. */
  sent() {
    clearTimeout(this.#timer);
    this.#saved = "";
    if (this.#box.value !== "") this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#save(), PAUSE_MS);
  }

  async #save() {
    if (this.#isSaving) return this.#later();
    const text = this.#box.value;
    if (text === this.#saved) return;
    this.#isSaving = true;
    try {
      await change("PUT", this.#path, { text });
      this.#saved = text;
      signal("draft:saved", { text });
    } catch (error) {
      // The box still has it; the next keystroke tries again.
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.#isSaving = false;
    }
  }

  /** A tab that closes has no time to wait for an answer, and a reload may be faster than it. */
  #leave() {
    clearTimeout(this.#timer);
    const text = this.#box.value;
    if (text === this.#saved) return;
    sessionStorage.setItem(this.#path, text);
    void change("PUT", this.#path, { text }, { keepalive: true }).catch(() => undefined);
  }

  /** What this tab had when it was left; the page may have been drawn before it was saved. */
  #takeBack() {
    const text = sessionStorage.getItem(this.#path);
    sessionStorage.removeItem(this.#path);
    if (text === null || text === this.#saved) return;
    this.#box.value = text;
  }
}
