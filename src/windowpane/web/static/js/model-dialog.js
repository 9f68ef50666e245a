import { NotANumber, overrideFrom, reach, saysNothing } from "./logic/override.js";
import { Refusal, address, change, explain, find, fragment } from "./page.js";

/** All that is known of a model, and the form that sets it by hand. */
export class ModelDialog {
  #dialog = find(document, "#model", HTMLDialogElement);
  #id;
  #provider;
  #names;
  #changed;

  /**
   * @param {string} id of the provider
   * @param {string} provider its name
   * @param {() => string[]} names of the models that are listed
   * @param {() => Promise<void>} changed draws what the change touches
   */
  constructor(id, provider, names, changed) {
    this.#id = id;
    this.#provider = provider;
    this.#names = names;
    this.#changed = changed;
    this.#dialog.addEventListener("click", (event) => this.#clicked(event));
    this.#dialog.addEventListener("input", () => this.#tellReach());
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      void this.#keep();
    });
  }

  /** @param {string} path below the provider's page */
  async open(path) {
    const content = await fragment(`providers/${this.#id}/${path}`).catch(explain);
    if (!content) return;
    this.#dialog.replaceChildren(content);
    this.#dialog.showModal();
    this.#dialog.scrollTop = 0;
    this.#tellReach();
  }

  get #form() {
    return find(this.#dialog, "form", HTMLFormElement);
  }

  get #models() {
    return find(this.#dialog, "[name=models]", HTMLInputElement);
  }

  get #path() {
    return `providers/${encodeURIComponent(this.#provider)}/overrides`;
  }

  #tellReach() {
    const names = this.#names();
    const count = reach(this.#models.value, names);
    find(this.#dialog, "[data-reach]", HTMLElement).textContent = `Fits ${count.toLocaleString("en")} of ${names.length.toLocaleString("en")} listed models.`;
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (event.target === this.#dialog) this.#dialog.close();
    else if (button && "keep" in button.dataset) void this.#keep();
    else if (button && "forget" in button.dataset) void this.#do(() => this.#forget());
    else if (button?.dataset.chat) void this.#chat(button.dataset.chat);
  }

  /** @param {string} model its full name */
  async #chat(model) {
    const { projectId } = find(document, ".new-chat", HTMLElement).dataset;
    try {
      const { id } = await (await change("POST", `projects/${projectId}/chats`)).json();
      await change("PATCH", `chats/${id}`, { model });
      location.assign(address(`chats/${id}`));
    } catch (error) {
      this.#dialog.close();
      explain(error);
    }
  }

  #keep() {
    return this.#do(async () => {
      const override = overrideFrom(this.#models.value, this.#boxes(), this.#isLong);
      if (!saysNothing(override)) await change("PUT", this.#path, override);
      else if (this.#form.dataset.models) await this.#forget();
    });
  }

  async #forget() {
    const models = encodeURIComponent(this.#form.dataset.models ?? "");
    await change("DELETE", `${this.#path}?models=${models}`);
  }

  /** @param {() => Promise<void>} act */
  async #do(act) {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof NotANumber)) throw error;
      return this.#explain(error);
    }
    this.#dialog.close();
    await this.#changed();
  }

  /** @param {Refusal | NotANumber} error */
  #explain(error) {
    const place = find(this.#dialog, "[data-problem]", HTMLElement);
    place.textContent = error.message;
    place.hidden = false;
    const wrong = error instanceof NotANumber ? find(this.#form, `[name="${error.name}"]`, HTMLInputElement) : this.#models;
    wrong.setAttribute("aria-invalid", "true");
    wrong.focus();
  }

  #boxes() {
    const inputs = [...this.#form.querySelectorAll("input")].filter((input) => input.name.includes("."));
    for (const input of inputs) input.removeAttribute("aria-invalid");
    return inputs.map((input) => ({
      name: input.name,
      label: input.closest("label")?.textContent?.trim() ?? "",
      text: input.value,
      tiers: input.dataset.tiers ?? "",
    }));
  }

  get #isLong() {
    const box = this.#form.querySelector("[name=uses_long_context]");
    return box instanceof HTMLInputElement && box.checked;
  }
}
