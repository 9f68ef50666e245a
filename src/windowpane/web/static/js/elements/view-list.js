import { Refusal, change, explain, find, fragment } from "../page.js";
import { forgetProblems, showProblem } from "../settings.js";

/** The filters that a project keeps under a name. */
export class ViewList extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-do=delete]") : null;
      const entry = button?.closest(".entry");
      if (entry instanceof HTMLElement) void this.#delete(entry.dataset.id ?? "");
    });
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#keep();
    });
    void this.refresh();
  }

  get #path() {
    return `projects/${this.dataset.projectId}/views`;
  }

  async refresh() {
    const content = await fragment(this.#path).catch(explain);
    if (content) this.replaceChildren(content);
  }

  /** @param {string} id */
  async #delete(id) {
    if (await change("DELETE", `views/${id}`).catch(explain)) await this.refresh();
    find(this, "[name=name]", HTMLInputElement).focus();
  }

  async #keep() {
    const form = find(this, "form", HTMLFormElement);
    forgetProblems(form);
    const name = find(form, "[name=name]", HTMLInputElement).value;
    const filter = find(form, "[name=filter_text]", HTMLInputElement).value;
    try {
      await change("POST", this.#path, { name, filter_text: filter });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return showProblem(form, "", error.message);
    }
    await this.refresh();
    find(this, "[name=name]", HTMLInputElement).focus();
  }
}
