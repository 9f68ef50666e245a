import { outcome, removed } from "../asking.js";
import { explain, find, fragment, on } from "../page.js";

/** The providers that are defined, each with what can be done to it. */
export class ProviderList extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-do]") : null;
      if (button instanceof HTMLElement) void this.#do(button);
    });
    on("providers:changed", () => void this.refresh());
  }

  /** Draw the list anew. What stands below an entry, and the focus, stay with it. */
  async refresh() {
    const content = await fragment(this.dataset.source ?? "").catch(explain);
    if (!content) return;
    const focused = document.activeElement?.closest("[data-do]");
    const path = focused instanceof HTMLElement && this.contains(focused) ? [entryOf(focused)?.dataset.id, focused.dataset.do] : null;
    for (const old of this.querySelectorAll("[data-outcome]")) {
      content.querySelector(`[data-id="${entryOf(old)?.dataset.id}"] [data-outcome]`)?.append(...old.childNodes);
    }
    this.replaceChildren(content);
    if (path) /** @type {HTMLElement | null} */ (this.querySelector(`[data-id="${path[0]}"] [data-do="${path[1]}"]`))?.focus();
  }

  /** @param {HTMLElement} button */
  async #do(button) {
    const entry = entryOf(button);
    if (!entry || entry.ariaBusy === "true") return;
    const { id = "", name = "" } = entry.dataset;
    if (button.dataset.do === "remove") {
      if (!(await removed(name))) return;
      await this.refresh();
      find(this, "a", HTMLElement).focus();
      return;
    }
    entry.ariaBusy = "true";
    const act = button.dataset.do === "refresh" ? "refresh" : "check";
    const isAnswered = await outcome(act, { id, name }, find(entry, "[data-outcome]", HTMLElement));
    entry.ariaBusy = null;
    if (isAnswered && act === "refresh") await this.refresh();
  }
}

/**
 * @param {Element} element
 * @returns {HTMLElement | null}
 */
function entryOf(element) {
  return element.closest(".entry");
}
