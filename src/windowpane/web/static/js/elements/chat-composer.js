import { withoutSent } from "../logic/words.js";
import { Refusal, ask, change, find, on, signal } from "../page.js";

/**
 * @typedef {{ name: string, provider: string, model: { name: string, label?: string } }} ModelChoice
 * @typedef {{ choices: ModelChoice[], failures: Record<string, string> }} ModelList
 */

/**
 * Where a message is written and sent. The text stays in the box until the server has stored it,
 * so there is no moment in which it could be lost.
 */
export class ChatComposer extends HTMLElement {
  #form = find(this, "form", HTMLFormElement);
  #text = find(this, "textarea", HTMLTextAreaElement);
  #model = find(this, "select", HTMLSelectElement);
  #problem = find(this, "[data-problem]", HTMLElement);
  #send = find(this, "[type=submit]", HTMLButtonElement);
  #stop = find(this, "[data-action=stop]", HTMLButtonElement);
  #softStop = find(this, "[data-action=stop-softly]", HTMLButtonElement);
  #calls = find(this, "[data-calls-bar]", HTMLElement);
  #isSending = false;
  #isChoosing = false;
  /** @type {Promise<import("../draft.js").DraftKeeper | null> | null} */
  #draft = null;

  /** Tells which turn the writer has seen last. @type {() => string | null} */
  seenHead = () => null;

  connectedCallback() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#text.addEventListener("keydown", (event) => this.#keyPressed(event));
    this.#text.addEventListener("input", () => this.#keepDraft());
    if (sessionStorage.getItem(`drafts/${this.#place}`) !== null) this.#keepDraft();
    this.#model.addEventListener("change", () => void this.#choose());
    this.#stop.addEventListener("click", () => void this.stop());
    this.#softStop.addEventListener("click", () => void this.#stopSoftly());
    on("chat:changed", ({ isAnswering, isWaiting }) => this.#show(isAnswering, isWaiting));
    this.#show(!this.#softStop.hidden, !this.#calls.hidden);
    // Notices keep above it, however much is written in it.
    new ResizeObserver(() => document.documentElement.style.setProperty("--composer-height", `${this.offsetHeight}px`)).observe(this);
    void this.#listModels();
  }

  async stop() {
    if (this.#stop.hidden) return;
    await this.#try(() => change("POST", `${this.#path}/stop`), ["nothing_running"]);
  }

  async #stopSoftly() {
    this.#softStop.disabled = true;
    await this.#try(() => change("POST", `${this.#path}/stop-softly`), ["nothing_running"]);
  }

  get #place() {
    return `chat:${this.dataset.chatId}`;
  }

  /** Loaded with the first keystroke: most pages are only read. */
  #keepDraft() {
    this.#draft ??= this.#keeper();
  }

  /** Where the server cannot be reached the box has the text, and the next keystroke tries again. */
  async #keeper() {
    try {
      const { DraftKeeper } = await import("../draft.js");
      return new DraftKeeper(this.#text, this.#place);
    } catch {
      this.#draft = null;
      return null;
    }
  }

  /** Another model applies now, without having been picked here. @param {string} name */
  showModel(name) {
    if (![...this.#model.options].some((option) => option.value === name)) this.#model.add(new Option(name.split("/").slice(1).join("/"), name));
    this.#model.value = name;
    this.#describe();
  }

  get #path() {
    return `chats/${this.dataset.chatId}`;
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    // An input method uses Enter to choose a word: that is not meant for the form.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  async #submit() {
    const text = this.#text.value;
    // Without a text, sending accepts the tool calls that wait; without those, it does nothing.
    if ((text === "" && this.#calls.hidden) || this.#isSending) return;
    this.#isSending = true;
    const body = { text, model: this.#model.value || null, seen_head_id: this.seenHead() };
    const isStored = await this.#try(() => change("POST", `${this.#path}/send`, body), []);
    this.#isSending = false;
    if (!isStored) return;
    this.#text.value = withoutSent(this.#text.value, text);
    void this.#draft?.then((keeper) => keeper?.sent());
    signal("chat:sent", {});
  }

  /** One choice after the other, and of those that came meanwhile only the last. */
  async #choose() {
    this.#describe();
    if (this.#isChoosing) return;
    this.#isChoosing = true;
    for (let stored = ""; stored !== this.#model.value; ) {
      const model = this.#model.value;
      await this.#try(() => change("PATCH", this.#path, { model }), []);
      stored = model;
    }
    this.#isChoosing = false;
    signal("model:chosen", {});
  }

  async #listModels() {
    try {
      const response = await ask("api/models", { headers: { accept: "application/json" } });
      this.#offer(await response.json());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#tell(`The list of models could not be loaded: ${error.message}`);
    }
  }

  /** @param {ModelList} list */
  #offer(list) {
    const chosen = this.#model.value || list.choices[0]?.name || "";
    const providers = new Set(list.choices.map((choice) => choice.provider));
    const offered = [...providers].map((provider) =>
      group(provider, list.choices.filter((choice) => choice.provider === provider).map(option)),
    );
    const silent = Object.entries(list.failures).map(([provider, why]) => group(`${provider}: ${why}`, []));
    const isKnown = list.choices.some((choice) => choice.name === chosen);
    const kept = isKnown || !chosen ? [] : [...this.#model.options];
    this.#model.replaceChildren(...kept, ...offered, ...silent);
    if (chosen) this.#model.value = chosen;
    this.#describe();
  }

  /** Show the note that the page has for models with this label, such as the demo model's. */
  #describe() {
    const label = this.#model.selectedOptions[0]?.dataset.label ?? "";
    const notes = [...this.querySelectorAll("template")];
    const note = notes.find((template) => template.dataset.label === label);
    find(this, "[data-model-note]", HTMLElement).replaceChildren(...(note ? [note.content.cloneNode(true)] : []));
  }

  /**
   * @param {boolean} isAnswering
   * @param {boolean} isWaiting
   */
  #show(isAnswering, isWaiting) {
    this.#stop.hidden = !(isAnswering || isWaiting);
    this.#softStop.hidden = !isAnswering;
    this.#softStop.disabled = false;
    this.#calls.hidden = !isWaiting;
    this.#send.disabled = isAnswering;
  }

  /**
   * @param {() => Promise<unknown>} act
   * @param {string[]} expected codes that are no problem here
   */
  async #try(act, expected) {
    this.#tell("");
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!expected.includes(error.code)) this.#tell(error.message);
      signal("chat:refused", { code: error.code });
      return false;
    }
  }

  /** @param {string} sentence */
  #tell(sentence) {
    this.#problem.textContent = sentence;
    this.#problem.hidden = sentence === "";
  }
}

/**
 * @param {string} label
 * @param {HTMLOptionElement[]} options
 */
function group(label, options) {
  const element = document.createElement("optgroup");
  element.label = label;
  element.disabled = options.length === 0;
  element.append(...options);
  return element;
}

/** @param {ModelChoice} choice */
function option({ name, model }) {
  const label = model.label ?? "";
  const element = new Option(label ? `${model.name} · ${label}` : model.name, name);
  element.dataset.label = label;
  return element;
}
