import { outcome, removed } from "../asking.js";
import { address, change, explain, find, fragment } from "../page.js";
import { ModelDialog } from "../model-dialog.js";

/** One provider: how it stands, its models with a search, and what was set by hand. */
export class ProviderPage extends HTMLElement {
  #dialog = new ModelDialog(this.dataset.id ?? "", this.dataset.name ?? "", () => this.names, () => this.#loadModels());
  #isAsking = false;

  connectedCallback() {
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button) void this.#clicked(button);
    });
    this.addEventListener("input", (event) => {
      if (event.target instanceof HTMLInputElement && event.target.type === "search") this.#search(event.target.value);
    });
    void this.#loadModels();
  }

  /** The models that are listed, by the provider's own names. */
  get names() {
    return [...this.querySelectorAll("[data-model]")].map((button) => (button instanceof HTMLElement && button.dataset.model) || "");
  }

  get #path() {
    return `providers/${this.dataset.id}`;
  }

  async #loadModels() {
    const place = find(this, "[data-models]", HTMLElement);
    const sought = this.querySelector("input[type=search]");
    const text = sought instanceof HTMLInputElement ? sought.value : "";
    const content = await fragment(`${this.#path}/models`).catch(explain);
    place.removeAttribute("aria-busy");
    if (!content) return place.replaceChildren();
    const path = pathOf(document.activeElement);
    place.replaceChildren(content);
    if (path) /** @type {HTMLElement | null} */ (place.querySelector(path))?.focus({ preventScroll: true });
    if (text) {
      find(this, "input[type=search]", HTMLInputElement).value = text;
      this.#search(text);
    }
    // Its list may have been asked for just now.
    await this.#loadFacts();
  }

  async #loadFacts() {
    const content = await fragment(`${this.#path}/head`).catch(explain);
    const place = find(this, "[data-facts]", HTMLElement);
    const focused = place.contains(document.activeElement) && document.activeElement instanceof HTMLElement ? document.activeElement.dataset.do : null;
    if (content) place.replaceChildren(content);
    if (focused) find(place, `[data-do="${focused}"]`, HTMLElement).focus();
  }

  /** @param {string} text every word of it must be somewhere in a model's line */
  #search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    const rows = [...this.querySelectorAll("[data-sought]")];
    for (const row of rows) {
      if (!(row instanceof HTMLElement)) continue;
      row.hidden = !words.every((word) => row.dataset.sought?.includes(word));
      if (!row.hidden) shown++;
    }
    const total = rows.length.toLocaleString("en");
    find(this, "[data-count]", HTMLElement).textContent = words.length ? `${shown.toLocaleString("en")} of ${total}` : `${total} listed`;
    find(this, "[data-nothing]", HTMLElement).hidden = shown > 0;
  }

  /** @param {HTMLButtonElement} button */
  async #clicked(button) {
    const { model, override, reset } = button.dataset;
    if (model !== undefined) return this.#dialog.open(`model?name=${encodeURIComponent(model)}`);
    if (override !== undefined) return this.#dialog.open(`override?models=${encodeURIComponent(override)}`);
    if (reset !== undefined) return this.#reset(reset);
    if ("clear" in button.dataset) return this.#clear();
    if (button.dataset.do) await this.#do(button.dataset.do);
  }

  #clear() {
    const box = find(this, "input[type=search]", HTMLInputElement);
    box.value = "";
    this.#search("");
    box.focus();
  }

  /** @param {string} models */
  async #reset(models) {
    const name = encodeURIComponent(this.dataset.name ?? "");
    await change("DELETE", `providers/${name}/overrides?models=${encodeURIComponent(models)}`).catch(explain);
    await this.#loadModels();
    find(this, "[data-override='']", HTMLElement).focus();
  }

  /** @param {string} act */
  async #do(act) {
    const { id = "", name = "" } = this.dataset;
    if (act === "remove") {
      if (await removed(name)) location.assign(address("providers"));
      return;
    }
    if (this.#isAsking) return;
    this.#isAsking = true;
    const isAnswered = await outcome(act === "refresh" ? "refresh" : "check", { id, name }, find(this, "[data-outcome]", HTMLElement));
    this.#isAsking = false;
    if (isAnswered && act === "refresh") await this.#loadModels();
  }
}

/**
 * Where the focus is, in words that a new drawing understands too.
 *
 * @param {Element | null} element
 */
function pathOf(element) {
  if (!(element instanceof HTMLElement)) return "";
  const named = ["model", "override", "reset"].find((name) => name in element.dataset);
  return named ? `[data-${named}="${CSS.escape(element.dataset[named] ?? "")}"]` : "";
}
