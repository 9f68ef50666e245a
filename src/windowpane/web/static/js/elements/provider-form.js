import { asked, made, sentenceOf } from "../asking.js";
import { Refusal, address, change, find } from "../page.js";

/** @import { Checked } from "../asking.js" */

const FAMILIES_WITHOUT_NETWORK = ["local", "scripted"];

/** A provider as it is added or changed: checked first, then kept. Nothing typed is ever lost. */
export class ProviderForm extends HTMLElement {
  #form = find(this, "form", HTMLFormElement);
  #progress = find(this, "[data-progress]", HTMLElement);
  #general = find(this, "[data-general]", HTMLElement);
  #anyway = find(this, "[data-anyway]", HTMLButtonElement);
  #isBusy = false;

  connectedCallback() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#save(true);
    });
    this.#anyway.addEventListener("click", () => void this.#save(false));
    this.#form.addEventListener("input", () => this.#offerAnyway(false));
    this.addEventListener("click", (event) => this.#clicked(event));
    this.#family.addEventListener("change", () => this.#describe());
    this.#describe();
    this.#open(location.hash.slice(1));
  }

  get #family() {
    return find(this, "#family", HTMLSelectElement);
  }

  get #isNew() {
    return this.dataset.id === "";
  }

  /** What the address means depends on the family, and some families need no key. */
  #describe() {
    const chosen = this.#family.selectedOptions[0];
    const hint = find(this, "#base_url-hint", HTMLElement);
    const box = find(this, "#base_url", HTMLInputElement);
    hint.textContent = chosen?.dataset.hint ?? "";
    box.placeholder = chosen?.dataset.address ?? "";
    const isRemote = !FAMILIES_WITHOUT_NETWORK.includes(this.#family.value);
    for (const part of this.querySelectorAll("[data-remote]")) if (part instanceof HTMLElement) part.hidden = !isRemote;
  }

  /** @param {boolean} isChecked */
  async #save(isChecked) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#forgetProblems();
    try {
      if (this.#lacksAddress()) return;
      const checked = isChecked ? await this.#check() : NOTHING_AGAINST_IT;
      if (checked?.failure) this.#explain(checked);
      else if (checked) location.assign(address(`providers/${await this.#keep()}`));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#say(error.message);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Without an address of its own, the key would go to the family's service. */
  #lacksAddress() {
    const box = find(this, "#base_url", HTMLInputElement);
    const isLacking = box.required && box.value.trim() === "" && this.#family.value !== "local";
    if (isLacking) this.#explain({ ...NOTHING_AGAINST_IT, failure: { kind: "invalid", message: "Write the base URL: where it answers." }, field: "base_url", can_be_kept: false });
    return isLacking;
  }

  /** @returns {Promise<Checked | null>} */
  #check() {
    const body = this.#described();
    return asked(this.#progress, `providers/check?is_new=${this.#isNew}`, { body, waiting: `Asking ${body.name || "it"} for its models…` });
  }

  /** @returns {Promise<string>} its id */
  async #keep() {
    const body = this.#described();
    const request = this.#isNew ? change("POST", "providers", body) : change("PUT", `providers/${encodeURIComponent(body.name)}`, body);
    return (await (await request).json()).id;
  }

  #described() {
    const data = new FormData(this.#form);
    const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
    return {
      name: text("name"),
      family: text("family"),
      base_url: text("base_url"),
      // Left out, the stored key stays; empty, it goes.
      api_key: text("api_key") || (data.has("forget_key") ? "" : null),
      is_local: data.has("is_local"),
      icon: text("icon"),
      models_endpoint: text("models_endpoint"),
      headers: this.#headers(),
    };
  }

  #headers() {
    /** @type {Record<string, string | null>} */
    const headers = {};
    for (const pair of this.querySelectorAll("[data-pair]")) {
      const name = find(pair, "[name=header_name]", HTMLInputElement).value.trim();
      const value = find(pair, "[name=header_value]", HTMLInputElement);
      if (name) headers[name] = value.value || (value.dataset.storedFor === name ? null : "");
    }
    return headers;
  }

  /** @param {Checked} checked */
  #explain({ failure, field, advice, can_be_kept: canBeKept }) {
    this.#offerAnyway(canBeKept);
    const sentence = failure ? sentenceOf(failure, advice) : "";
    const place = field && this.querySelector(`[data-field="${field}"] [data-problem]`);
    if (!field || !(place instanceof HTMLElement)) return this.#say(sentence);
    place.textContent = sentence;
    place.hidden = false;
    const box = this.#open(field);
    box?.setAttribute("aria-invalid", "true");
  }

  /**
   * Bring a field to the eye, from wherever it is folded away.
   *
   * @param {string} field
   */
  #open(field) {
    const place = field && this.querySelector(`[data-field="${CSS.escape(field)}"]`);
    if (!place) return null;
    const folded = place.closest("details");
    if (folded) folded.open = true;
    const box = place.querySelector("input, select, button");
    if (box instanceof HTMLElement) box.focus();
    return box;
  }

  #forgetProblems() {
    this.#offerAnyway(false);
    this.#general.hidden = true;
    for (const place of this.querySelectorAll("[data-problem]")) if (place instanceof HTMLElement) place.hidden = true;
    for (const box of this.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
  }

  /** @param {boolean} isOffered */
  #offerAnyway(isOffered) {
    this.#anyway.hidden = !isOffered;
    const why = made("p", {}, "It can be kept as it is: whether it answers shows when it is used.");
    this.#progress.replaceChildren(...(isOffered ? [why] : []));
  }

  /** @param {string} sentence */
  #say(sentence) {
    this.#general.textContent = sentence;
    this.#general.hidden = false;
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button) return;
    if ("another" in button.dataset) this.#addHeader();
    else if ("drop" in button.dataset) {
      button.closest("[data-pair]")?.remove();
      find(this, "[data-another]", HTMLElement).focus();
    }
  }

  #addHeader() {
    const pair = find(this, "[data-pair-template]", HTMLTemplateElement).content.cloneNode(true);
    const list = find(this, "[data-headers]", HTMLElement);
    list.append(pair);
    /** @type {HTMLElement | null} */ (list.querySelector("[data-pair]:last-child input"))?.focus();
  }
}

/** @type {Checked} */
const NOTHING_AGAINST_IT = { models: [], failure: null, field: null, advice: "", can_be_kept: true };
