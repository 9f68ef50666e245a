import { lossText } from "../logic/words.js";
import { openMenu, walkWithArrows } from "../menu.js";
import { Refusal, address, change, explain, find, fragment, on, signal } from "../page.js";

/** @typedef {"chat" | "project"} Kind */

/**
 * Projects and their chats. Whatever can be done to one is done in place: by its menu, or with
 * F2 and Del on its line.
 */
export class ChatSidebar extends HTMLElement {
  #menu = find(document, "#menu", HTMLElement);
  #dialog = find(document, "#confirm", HTMLDialogElement);
  /** The line that the menu is open for. @type {HTMLElement | null} */
  #line = null;
  #shown = "";

  connectedCallback() {
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("keydown", (event) => this.#keyPressed(event));
    this.#menu.addEventListener("click", (event) => this.#chosen(event));
    walkWithArrows(this.#menu);
    on("chat:changed", () => void this.refresh());
  }

  /** Draw it anew; not under the hands of somebody who is renaming something. */
  async refresh() {
    if (this.querySelector(".renaming")) return;
    const content = await fragment(`chats/${this.dataset.chatId}/sidebar?all=${this.#shown}`).catch(ignoreRefusal);
    if (!content || this.querySelector(".renaming")) return;
    const top = find(this, ".places", HTMLElement).scrollTop;
    const focused = this.#pathOf(document.activeElement);
    this.replaceChildren(content);
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
        return this.#openMenu(button, line);
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
  #openMenu(button, line) {
    this.#line = line;
    const isChat = line?.dataset.chatId !== undefined;
    for (const one of this.#menu.querySelectorAll("[data-only=chat]")) one.toggleAttribute("hidden", !isChat);
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
      const text = lossText(Number(line.dataset.chats), Number(line.dataset.turns));
      if (!(await this.#confirmed(`Delete the project “${line.dataset.name}”?`, text))) return;
    }
    const isHere = line.dataset.chatId === this.dataset.chatId || line.querySelector("[aria-current]") !== null;
    const response = await change("DELETE", pathOf(line)).catch(explain);
    if (!response) return;
    // The next page offers to undo what was deleted on the way to it.
    if (isHere) return void location.assign(address(""));
    signal("deletion:made", await response.json());
    await this.refresh();
  }

  /**
   * @param {string} title
   * @param {string} text
   * @returns {Promise<boolean>}
   */
  #confirmed(title, text) {
    find(this.#dialog, "h2", HTMLElement).textContent = title;
    find(this.#dialog, "#confirm-text", HTMLElement).textContent = text;
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#dialog.addEventListener("close", () => resolve(this.#dialog.returnValue === "confirmed"), { once: true });
    });
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
