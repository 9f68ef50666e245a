import { BadOptions, changedNames, only, toolsFrom } from "../logic/choices.js";
import { Refusal, change, find } from "../page.js";
import { choicesIn, forgetProblems, offerModels, showProblem, toProblem } from "../settings.js";
import { ChatSidebar } from "./chat-sidebar.js";

/**
 * @import { Choices } from "../logic/choices.js"
 * @typedef {{ values: (string | boolean)[], tools: number }} Typed what is in the boxes, one by one
 */

const PAUSE_MS = 350;

/** A project's settings. What is not saved survives a reload, and can be taken back. */
export class SettingsForm extends HTMLElement {
  #form = find(this, "form", HTMLFormElement);
  #bar = find(this, "[data-savebar]", HTMLElement);
  #timer = 0;
  /** As the server has them. @type {Choices} */
  #saved = {};
  /** @type {Typed} */
  #typed = { values: [], tools: 0 };

  connectedCallback() {
    // Somebody may have typed before this script was there: what is saved is what was drawn.
    const typed = this.#read();
    this.#form.reset();
    this.#gather();
    this.#settle();
    this.#write(typed);
    this.#gather();
    this.#form.addEventListener("input", () => this.#touched());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#save();
    });
    this.#form.addEventListener("click", (event) => this.#clicked(event));
    this.#takeBack();
    void offerModels(this.#form);
    this.#show();
    void this.#check();
  }

  get #id() {
    return this.dataset.projectId ?? "";
  }

  get #key() {
    return `settings:${this.#id}`;
  }

  get #name() {
    return find(this.#form, "[name=name]", HTMLInputElement);
  }

  /** All that is chosen now, the name of the project with it. @returns {Choices} */
  #now() {
    const { otherwise = "{}", approvalsOtherwise = "{}" } = find(this, "[data-tools]", HTMLElement).dataset;
    const tools = toolsFrom(this.#rows(), { tools: JSON.parse(otherwise), tool_approvals: JSON.parse(approvalsOtherwise) });
    return { name: this.#name.value.trim(), ...choicesIn(this.#form), ...tools };
  }

  #rows() {
    return [...this.#form.querySelectorAll("[data-tool]")].map((row) => ({
      name: find(row, "[name=tool_name]", HTMLInputElement).value,
      approval: find(row, "[name=tool_approval]", HTMLSelectElement).value,
      options: find(row, "[name=tool_options]", HTMLInputElement).value,
    }));
  }

  /** Several boxes are one choice: which lines stand before a message. */
  #gather() {
    const box = find(this.#form, "[name=message_metadata]", HTMLInputElement);
    const time = find(this.#form, "[name=metadata_time]", HTMLSelectElement).value;
    const lines = [...this.#form.querySelectorAll("[name=metadata_line]:checked")];
    const value = [time, ...lines.map((line) => (line instanceof HTMLInputElement ? line.value : ""))].filter(Boolean).join(",");
    if (value !== box.value) box.dataset.chosen = "1";
    box.value = value;
  }

  #touched() {
    this.#gather();
    forgetProblems(this);
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#check(), PAUSE_MS);
  }

  /** Show what belongs to the chosen format, and whether anything is not saved. */
  #show() {
    const format = find(this.#form, "[name=message_format]", HTMLSelectElement).value || "plain";
    for (const part of this.#form.querySelectorAll("[data-when]")) if (part instanceof HTMLElement) part.hidden = part.dataset.when !== format;
    const names = this.#changed();
    this.#bar.hidden = names.length === 0;
    find(this.#bar, "[data-changed]", HTMLElement).textContent = names.map((name) => this.#label(name)).join(", ");
    if (names.length) sessionStorage.setItem(this.#key, JSON.stringify(this.#read()));
    else sessionStorage.removeItem(this.#key);
  }

  #changed() {
    try {
      return changedNames(this.#saved, this.#now());
    } catch (error) {
      if (!(error instanceof BadOptions)) throw error;
      return ["tools"];
    }
  }

  /** @param {string} name */
  #label(name) {
    const field = this.#form.querySelector(`[data-field="${name === "tool_approvals" ? "tools" : name}"]`);
    const label = field?.querySelector("label, legend") ?? field?.closest("tr")?.querySelector("th");
    return (label?.textContent ?? name).trim().toLowerCase();
  }

  /** Ask what the model would make of it; nothing is stored. */
  async #check() {
    /** @type {{ remarks: { key: string, sentence: string }[], example: string }} */
    let told = { remarks: [], example: "" };
    try {
      const { name: _, ...choices } = this.#now();
      const response = await change("POST", `projects/${this.#id}/settings/check`, choices);
      told = await response.json();
    } catch (error) {
      this.#explain(error);
    }
    for (const place of this.#form.querySelectorAll("[data-remark]")) {
      const key = place.closest("[data-field]")?.getAttribute("data-field");
      const said = told.remarks.filter((remark) => remark.key === key).map((remark) => remark.sentence);
      place.textContent = said.join(" ");
      if (place instanceof HTMLElement) place.hidden = said.length === 0;
    }
    const format = find(this.#form, "[name=message_format]", HTMLSelectElement).value;
    find(this.#form, "[data-example]", HTMLElement).textContent = told.example;
    find(this.#form, "[data-example-box]", HTMLElement).hidden = !format || format === "plain" || !told.example;
  }

  /** @param {unknown} error */
  #explain(error) {
    if (error instanceof BadOptions) return showProblem(this, "tools", error.message);
    if (!(error instanceof Refusal)) throw error;
    showProblem(this, error.key === "tool_approvals" ? "tools" : error.key, error.message);
  }

  async #save() {
    forgetProblems(this);
    try {
      const now = this.#now();
      const names = changedNames(this.#saved, now);
      const settings = names.filter((name) => name !== "name");
      if (settings.length) await change("PATCH", `projects/${this.#id}/settings`, only(now, settings));
      if (names.includes("name")) await this.#rename();
    } catch (error) {
      this.#explain(error);
      return toProblem(this);
    }
    this.#settle();
    this.#show();
  }

  async #rename() {
    const name = this.#name.value.trim();
    try {
      await change("PATCH", `projects/${this.#id}`, { name });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.status, error.code, error.message, "name");
    }
    find(document, "[data-project-name]", HTMLElement).textContent = name;
    document.title = `${name} · Settings · Windowpane`;
    await find(document, "chat-sidebar", ChatSidebar).refresh();
  }

  /** What is in the boxes now is what there is to come back to. */
  #settle() {
    this.#saved = this.#now();
    this.#typed = this.#read();
  }

  #boxes() {
    return [...this.#form.elements].filter((box) => box instanceof HTMLInputElement || box instanceof HTMLSelectElement || box instanceof HTMLTextAreaElement);
  }

  /** @returns {Typed} */
  #read() {
    const values = this.#boxes().map((box) => (box instanceof HTMLInputElement && box.type === "checkbox" ? box.checked : box.value));
    return { values, tools: this.#rows().length };
  }

  /** @param {Typed} typed */
  #write({ values, tools }) {
    for (const row of [...this.#form.querySelectorAll("[data-tool]")].slice(tools)) row.remove();
    while (this.#rows().length < tools) this.#addTool();
    this.#boxes().forEach((box, at) => {
      const value = values[at];
      if (typeof value === "boolean") {
        if (box instanceof HTMLInputElement) box.checked = value;
      } else if (value !== undefined) put(box, value);
    });
  }

  /** What was typed before a reload, unless the form has changed since. */
  #takeBack() {
    const kept = sessionStorage.getItem(this.#key);
    if (kept === null) return;
    const typed = /** @type {Typed} */ (JSON.parse(kept));
    const rows = typed.tools - this.#typed.tools;
    if (typed.values.length !== this.#typed.values.length + 3 * rows) return sessionStorage.removeItem(this.#key);
    this.#write(typed);
    this.#gather();
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button) return;
    if ("revert" in button.dataset) this.#revert();
    else if ("addTool" in button.dataset) this.#addTool().focus();
    else if ("drop" in button.dataset) {
      button.closest("[data-tool]")?.remove();
      find(this, "[data-add-tool]", HTMLElement).focus();
      this.#touched();
    }
  }

  #revert() {
    this.#write(this.#typed);
    this.#touched();
    this.#name.focus({ preventScroll: true });
  }

  /** @returns {HTMLElement} the box for its name */
  #addTool() {
    const row = find(this, "[data-tool-template]", HTMLTemplateElement).content.cloneNode(true);
    const list = find(this, "[data-tools]", HTMLElement);
    list.append(row);
    return find(list, "[data-tool]:last-child input", HTMLInputElement);
  }
}

/**
 * A choice that is not in the list yet is put into it.
 *
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} box
 * @param {string} value
 */
function put(box, value) {
  if (box instanceof HTMLSelectElement && ![...box.options].some((option) => option.value === value)) box.add(new Option(value, value));
  box.value = value;
}
