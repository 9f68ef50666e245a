import { Refusal, explain, find, fragment } from "../page.js";
import { tellTimes } from "../turns.js";

/** How long typing rests before the server is asked, and how often it is asked at most. */
const REST_MS = 180;
/** While turns are read for the first time, the list is asked for again so often. */
const AGAIN_MS = 400;

/** The search box: asks while somebody types, shows what was found in the place of the chats. */
export class ChatSearch extends HTMLElement {
  #box = find(this, "input", HTMLInputElement);
  #within = find(this, "select", HTMLSelectElement);
  #found = find(this, "[data-found]", HTMLElement);
  #count = find(this, "[data-found-count]", HTMLElement);
  #timer = 0;
  #asked = 0;

  connectedCallback() {
    this.#box.addEventListener("input", () => this.#typed());
    this.#within.addEventListener("change", () => void this.#ask());
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#typed();
    });
    this.addEventListener("keydown", (event) => this.#keyPressed(event));
    this.#offerScopes();
    this.#goOn();
  }

  get #sidebar() {
    return find(document, "chat-sidebar", HTMLElement);
  }

  /** A page without a chat has no chat to search in. */
  #offerScopes() {
    const isInChat = Boolean(this.#sidebar.dataset.chatId);
    for (const option of this.#within.options) option.disabled = !isInChat && option.value !== "everything";
  }

  /** After a result was opened, the others stay at hand. What was typed meanwhile is newer. */
  #goOn() {
    this.#box.value ||= new URLSearchParams(location.search).get("q") ?? "";
    void this.#ask();
  }

  #typed() {
    clearTimeout(this.#timer);
    if (this.#box.value.trim() === "") this.#clear();
    else this.#timer = window.setTimeout(() => void this.#ask(), REST_MS);
  }

  async #ask() {
    clearTimeout(this.#timer);
    const number = ++this.#asked;
    if (this.#box.value.trim() === "") return;
    this.#found.setAttribute("aria-busy", "true");
    const content = await fragment(`found?${this.#query()}`).catch(refused);
    if (number !== this.#asked) return;
    this.#found.setAttribute("aria-busy", "false");
    if (content) this.#show(content);
  }

  #query() {
    const depth = (document.documentElement.dataset.root ?? "").split("../").length - 1;
    const chat = this.#sidebar.dataset.chatId ?? "";
    return new URLSearchParams({ q: this.#box.value, chat, within: this.#within.value, depth: String(depth) });
  }

  /** @param {DocumentFragment} content */
  #show(content) {
    const page = find(content, ".found-page", HTMLElement);
    tellTimes(page);
    const focused = this.#links().indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    this.#found.replaceChildren(page);
    const opened = this.#links().find((link) => link.hash !== "" && link.hash === location.hash);
    opened?.setAttribute("aria-current", "true");
    if (focused >= 0) (this.#links()[focused] ?? this.#box).focus();
    this.#found.hidden = false;
    this.#sidebar.dataset.searching = "";
    if (this.#count.textContent !== page.dataset.count) this.#count.textContent = page.dataset.count ?? "";
    if (Number(page.dataset.waiting)) this.#timer = window.setTimeout(() => void this.#ask(), AGAIN_MS);
  }

  #clear() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#box.value = "";
    this.#found.hidden = true;
    this.#found.replaceChildren();
    this.#count.textContent = "";
    delete this.#sidebar.dataset.searching;
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    if (event.isComposing) return;
    if (event.key === "Escape" && this.#box.value !== "") {
      this.#clear();
      this.#box.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (event.target === this.#within) return;
      this.#step(event.key === "ArrowDown" ? 1 : -1);
    } else return;
    event.preventDefault();
  }

  /** From the box to the results, and up and down among them. @param {1 | -1} step */
  #step(step) {
    const places = [this.#box, ...this.#links()];
    const here = places.findIndex((place) => place === document.activeElement);
    places[Math.min(Math.max(here + step, 0), places.length - 1)]?.focus();
  }

  #links() {
    return [...this.#found.querySelectorAll("a")];
  }
}

/** What was found before stays, and the page says why there is nothing newer. @param {unknown} error */
function refused(error) {
  if (!(error instanceof Refusal)) throw error;
  explain(error);
  return null;
}
