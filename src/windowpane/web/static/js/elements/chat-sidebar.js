import { lossText } from "../logic/words.js";
import { Refusal, address, change, depth, explain, find, fragment, on, signal } from "../page.js";

/** @typedef {"chat" | "project"} Kind */

/**
 * Projects and their chats. Whatever can be done to one is done in place: by its menu, or with
 * F2 and Del on its line.
 */
export class ChatSidebar extends HTMLElement {
  #menu = find(document, "#menu", HTMLElement);
  /** The line that the menu is open for. @type {HTMLElement | null} */
  #line = null;
  #shown = "";

  connectedCallback() {
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("keydown", (event) => this.#keyPressed(event));
    this.#menu.addEventListener("click", (event) => this.#chosen(event));
    on("chat:changed", () => void this.refresh());
    offerSearch(find(this, "#search", HTMLInputElement));
  }

  get #source() {
    const { chatId = "", page = "", project = "" } = this.dataset;
    return `sidebar?${new URLSearchParams({ chat: chatId, page, project, depth: String(depth), all: this.#shown })}`;
  }

  /** Draw it anew; not under the hands of somebody who is renaming something. */
  async refresh() {
    if (this.querySelector(".renaming")) return;
    const content = await fragment(this.#source).catch(ignoreRefusal);
    if (!content || this.querySelector(".renaming")) return;
    // Only the list: what somebody is searching for stays as it is.
    const places = find(this, ".places", HTMLElement);
    const top = places.scrollTop;
    const focused = this.#pathOf(document.activeElement);
    places.replaceWith(find(content, ".places", HTMLElement));
    find(this, ".places", HTMLElement).scrollTop = top;
    if (focused) this.#at(focused)?.focus({ preventScroll: true });
    signal("sidebar:drawn", {});
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-action]") : null;
    if (!(button instanceof HTMLElement)) return;
    const line = lineOf(button);
    switch (button.dataset.action) {
      case "menu":
        return void this.#openMenu(button, line);
      case "new-chat":
        return void this.#newChat(button.dataset.projectId ?? line?.dataset.projectId ?? "");
      case "new-project":
        return this.#newProject(button);
      case "show-all":
        this.#shown = line?.dataset.projectId ?? "";
        return void this.refresh();
    }
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    const line = event.target instanceof Element ? lineOf(event.target) : null;
    if (!line || event.target instanceof HTMLInputElement) return;
    if (event.key === "F2") this.#rename(line);
    else if (event.key === "Delete") void this.#delete(line);
    else return;
    event.preventDefault();
  }

  /**
   * @param {HTMLElement} button
   * @param {HTMLElement | null} line
   */
  async #openMenu(button, line) {
    this.#line = line;
    const kind = line?.dataset.chatId === undefined ? "project" : "chat";
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (this.#menu.querySelectorAll("[data-only]"))) {
      one.hidden = one.dataset.only !== kind;
    }
    const { openMenu } = await import("../menu.js");
    openMenu(this.#menu, button);
  }

  /** @param {Event} event */
  #chosen(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const line = this.#line;
    if (!button || !line) return;
    this.#menu.hidePopover();
    /** @type {Record<string, (line: HTMLElement) => unknown>} */
    const actions = {
      settings: (it) => location.assign(address(`${pathOf(it)}/settings`)),
      rename: (it) => this.#rename(it),
      fork: (it) => this.#fork(it),
      move: (it) => this.#move(it),
      delete: (it) => this.#delete(it),
    };
    actions[button.dataset.action ?? ""]?.(line);
  }

  /** @param {HTMLElement} line */
  #rename(line) {
    const shown = line.matches(".place") ? find(line, ".place-name", HTMLElement) : find(line, ".chat-link", HTMLElement);
    const path = pathOf(line);
    const save = (/** @type {string} */ name) => change("PATCH", path, line.dataset.chatId ? { title: name } : { name });
    this.#edit(shown, { value: line.dataset.name ?? "", label: "New name", save });
  }

  /** @param {HTMLElement} button */
  #newProject(button) {
    const save = (/** @type {string} */ name) => change("POST", "projects", { name });
    this.#edit(button, { value: "", label: "Name of the new project", save });
  }

  /**
   * Put a text box in the place of something, until it is saved or given up.
   *
   * @param {HTMLElement} shown
   * @param {{ value: string, label: string, save: (name: string) => Promise<unknown> }} task
   */
  #edit(shown, { value, label, save }) {
    const box = Object.assign(document.createElement("input"), { className: "renaming", value, maxLength: 200 });
    box.setAttribute("aria-label", label);
    shown.replaceWith(box);
    box.select();
    box.focus();
    let isDone = false;
    const end = async (/** @type {boolean} */ isKept) => {
      if (isDone) return;
      isDone = true;
      const name = box.value.trim();
      if (isKept && name && name !== value) await save(name).catch(explain);
      box.replaceWith(shown);
      shown.focus();
      await this.refresh();
    };
    box.addEventListener("blur", () => void end(true));
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      void end(event.key === "Enter");
    });
  }

  /** @param {string} projectId */
  async #newChat(projectId) {
    // An empty chat is waiting already: there is no use for a second one.
    const empty = this.querySelector(`[data-project-id="${projectId}"] .chat-item[data-turns="0"]`);
    if (empty instanceof HTMLElement) return void location.assign(address(`chats/${empty.dataset.chatId}`));
    const response = await change("POST", `projects/${projectId}/chats`).catch(explain);
    if (response) location.assign(address(`chats/${(await response.json()).id}`));
  }

  /** @param {HTMLElement} line */
  async #fork(line) {
    const response = await change("POST", `${pathOf(line)}/fork`, {}).catch(explain);
    if (response) location.assign(address(`chats/${(await response.json()).id}`));
  }

  /** @param {HTMLElement} line */
  async #move(line) {
    const { chooseProject } = await import("../later/choose.js");
    const here = /** @type {HTMLElement | null} */ (line.closest(".place"));
    const projectId = await chooseProject(here?.dataset.projectId ?? "").catch(explain);
    if (!projectId) return;
    const response = await change("POST", `${pathOf(line)}/move`, { project_id: projectId }).catch(explain);
    if (!response) return;
    signal("notice", await response.json());
    await this.refresh();
  }

  /** A chat goes at once, since it can come back; a project is more than one means by accident.
   * @param {HTMLElement} line */
  async #delete(line) {
    if (line.dataset.projectId) {
      const { confirmed } = await import("../confirm.js");
      const text = lossText(Number(line.dataset.chats), Number(line.dataset.turns));
      if (!(await confirmed({ title: `Delete the project “${line.dataset.name}”?`, text, act: "Delete" }))) return;
    }
    const isHere = line.dataset.chatId === this.dataset.chatId || line.querySelector("[aria-current]") !== null;
    // Of a chat that is gone, nothing can be loaded anew.
    signal("chat:leaving", { isLeaving: isHere });
    const response = await change("DELETE", pathOf(line)).catch(explain);
    if (!response) return signal("chat:leaving", { isLeaving: false });
    // The next page offers to undo what was deleted on the way to it.
    if (isHere) return void location.assign(address(""));
    signal("deletion:made", await response.json());
    await this.refresh();
  }

  /**
   * Where the focus is, in words that a new drawing understands too.
   *
   * @param {Element | null} element
   */
  #pathOf(element) {
    if (!(element instanceof HTMLElement) || !this.contains(element)) return null;
    const line = lineOf(element);
    const { chatId = "", projectId = "" } = line?.dataset ?? {};
    return { chatId, projectId, action: element.dataset.action ?? "" };
  }

  /** @param {{ chatId: string, projectId: string, action: string }} path */
  #at({ chatId, projectId, action }) {
    const line = chatId ? `[data-chat-id="${chatId}"] ` : projectId ? `[data-project-id="${projectId}"] ` : "";
    return /** @type {HTMLElement | null} */ (this.querySelector(line + (action ? `[data-action="${action}"]` : ".chat-link")));
  }
}

/**
 * The search box comes to life when somebody turns to it: most pages are read without a search. A
 * slash leads there from everywhere, unless it is being written.
 *
 * @param {HTMLInputElement} box
 */
function offerSearch(box) {
  const wake = async () => {
    const { ChatSearch } = await import("./chat-search.js");
    if (!customElements.get("chat-search")) customElements.define("chat-search", ChatSearch);
  };
  box.addEventListener("focus", () => void wake(), { once: true });
  if (new URLSearchParams(location.search).has("q")) void wake();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    if (document.querySelector(":popover-open, dialog[open]")) return;
    event.preventDefault();
    // On a narrow screen the box lies in the drawer.
    if (!box.checkVisibility({ visibilityProperty: true })) find(document, "[data-action=open-drawer]", HTMLElement).click();
    box.focus();
    box.select();
  });
}

/**
 * @param {Element} element
 * @returns {HTMLElement | null}
 */
function lineOf(element) {
  return element.closest(".chat-item, .place");
}

/** @param {HTMLElement} line */
function pathOf(line) {
  return line.dataset.chatId ? `chats/${line.dataset.chatId}` : `projects/${line.dataset.projectId}`;
}

/** A list that cannot be refreshed now stays as it is. @param {unknown} error */
function ignoreRefusal(error) {
  if (!(error instanceof Refusal)) throw error;
  return null;
}
