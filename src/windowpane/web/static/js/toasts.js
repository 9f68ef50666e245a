import { change, explain, find, parsed, signal } from "./page.js";

/** Where a sentence is not about something that can be undone, it stays this long. */
const READING_MS = 8000;

/**
 * @typedef {{ id: string, kind: string, chat_id: string, sentence: string, due_at: string }} DeletionView
 */

/** Short notices at the foot of the page; one about a deletion offers to undo it. */
class Toasts {
  #box = find(document, ".toasts", HTMLElement);

  constructor() {
    this.#box.addEventListener("click", (event) => void this.#clicked(event));
    for (const toast of this.#all()) this.#end(toast, new Date(toast.dataset.due ?? "").getTime() - Date.now());
  }

  /** @param {string} sentence */
  tell(sentence) {
    const toast = this.#add(sentence);
    toast.querySelector("[data-toast=undo]")?.remove();
    this.#end(toast, READING_MS);
  }

  /** @param {DeletionView} deletion */
  offerUndo(deletion) {
    const toast = this.#add(deletion.sentence);
    toast.dataset.deletionId = deletion.id;
    this.#end(toast, new Date(deletion.due_at).getTime() - Date.now());
  }

  /** @param {string} sentence */
  #add(sentence) {
    const template = find(document, "template#toast", HTMLTemplateElement);
    const toast = find(parsed(template.innerHTML), ".toast", HTMLElement);
    find(toast, "span", HTMLElement).textContent = sentence;
    this.#box.append(toast);
    return toast;
  }

  /** @param {Event} event */
  async #clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-toast]") : null;
    const toast = button?.closest(".toast");
    if (!(button instanceof HTMLElement) || !(toast instanceof HTMLElement)) return;
    if (button.dataset.toast === "undo") await this.#undo(toast.dataset.deletionId ?? "");
    toast.remove();
  }

  /** @param {string} id */
  async #undo(id) {
    const response = await change("POST", `deletions/${id}/undo`).catch(explain);
    if (response) signal("deletion:undone", await response.json());
  }

  /**
   * @param {HTMLElement} toast
   * @param {number} ms
   */
  #end(toast, ms) {
    setTimeout(() => toast.remove(), Math.max(0, ms));
  }

  #all() {
    return /** @type {NodeListOf<HTMLElement>} */ (this.#box.querySelectorAll(".toast"));
  }
}

/** Those of this page. */
export const toasts = new Toasts();
