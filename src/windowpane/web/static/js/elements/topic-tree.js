import { confirmed } from "../confirm.js";
import { changedNames, only } from "../logic/choices.js";
import { Refusal, change, explain, find, fragment } from "../page.js";
import { choicesIn, forgetProblems, offerModels, showProblem, toProblem } from "../settings.js";

/** The topics of a project: made, moved, told what they choose, and deleted when nothing is in them. */
export class TopicTree extends HTMLElement {
  #dialog = find(document, "#topic", HTMLDialogElement);
  /** What the open form has chosen when it was opened. @type {Record<string, unknown>} */
  #before = {};

  connectedCallback() {
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-do]") : null;
      if (button instanceof HTMLElement) void this.#do(button);
    });
    find(document, "[data-topic-new]", HTMLElement).addEventListener("click", () => void this.#open("topic?"));
    this.#dialog.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-keep]") : null;
      if (event.target === this.#dialog) this.#dialog.close();
      else if (button) void this.#keep();
    });
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      void this.#keep();
    });
    void this.refresh();
  }

  get #path() {
    return `projects/${this.dataset.projectId}`;
  }

  get #form() {
    return find(this.#dialog, "form", HTMLFormElement);
  }

  async refresh() {
    const content = await fragment(`${this.#path}/topics`).catch(explain);
    this.ariaBusy = null;
    if (content) this.replaceChildren(content);
  }

  /** @param {HTMLElement} button */
  async #do(button) {
    const entry = button.closest(".entry");
    if (!(entry instanceof HTMLElement)) return;
    const { id = "", name = "" } = entry.dataset;
    if (button.dataset.do === "edit") return this.#open(`topic?id=${id}`);
    if (button.dataset.do === "below") return this.#open(`topic?parent=${id}`);
    await this.#delete(id, name, find(entry, "[data-outcome]", HTMLElement));
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {HTMLElement} outcome
   */
  async #delete(id, name, outcome) {
    const text = "Its message and what it chooses are forgotten. A topic that turns or other topics lie in is not deleted.";
    if (!(await confirmed({ title: `Delete the topic “${name}”?`, text, act: "Delete" }))) return;
    try {
      await change("DELETE", `topics/${id}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const said = Object.assign(document.createElement("p"), { className: "is-error", textContent: error.message });
      return outcome.replaceChildren(said);
    }
    await this.refresh();
    find(document, "[data-topic-new]", HTMLElement).focus();
  }

  /** @param {string} path below the project's */
  async #open(path) {
    const content = await fragment(`${this.#path}/${path}`).catch(explain);
    if (!content) return;
    this.#dialog.replaceChildren(content);
    this.#dialog.showModal();
    this.#dialog.scrollTop = 0;
    this.#before = choicesIn(this.#form);
    void offerModels(this.#form);
  }

  async #keep() {
    forgetProblems(this.#form);
    try {
      if (this.#form.dataset.id) await this.#change(this.#form.dataset.id);
      else await change("POST", `${this.#path}/topics`, this.#place());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showProblem(this.#form, error.key || (error.message.includes("name") || error.message.includes("called") ? "name" : ""), error.message);
      return toProblem(this.#form);
    }
    this.#dialog.close();
    await this.refresh();
  }

  /** Its settings first: they are what may be refused. @param {string} id */
  async #change(id) {
    const now = choicesIn(this.#form);
    const names = changedNames(this.#before, now);
    if (names.length) await change("PATCH", `topics/${id}/settings`, only(now, names));
    const message = find(this.#form, "[name=system_message]", HTMLTextAreaElement).value;
    await change("PATCH", `topics/${id}`, { ...this.#place(), system_message: message });
  }

  #place() {
    const name = find(this.#form, "[name=name]", HTMLInputElement).value;
    return { name, parent_id: find(this.#form, "[name=parent_id]", HTMLSelectElement).value || null };
  }
}
