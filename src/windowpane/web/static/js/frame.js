import { ChatSidebar } from "./elements/chat-sidebar.js";
import { find, on } from "./page.js";
import { drawer, nameTheme, nextTheme } from "./shell.js";

/**
 * What every page of the workspace has: the sidebar and its drawer, the theme, and one place where
 * problems are told.
 *
 * @param {Record<string, (button: HTMLElement) => void>} actions of the page's own buttons
 * @param {() => void} escaped what Escape does when nothing is open over the page
 */
export function frame(actions, escaped) {
  customElements.define("chat-sidebar", ChatSidebar);
  /** @type {typeof actions} */
  const all = { theme: nextTheme, "open-drawer": () => drawer.open(), "close-drawer": () => drawer.close(), ...actions };
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-action]") : null;
    if (button instanceof HTMLElement) all[button.dataset.action ?? ""]?.(button);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    if (document.querySelector(":popover-open, dialog[open]")) return;
    if (drawer.isOpen) drawer.close();
    else escaped();
  });
  on("problem", ({ sentence }) => tell(sentence));
  on("sidebar:drawn", nameTheme);
  nameTheme();
}

/** @param {string} sentence "" when there is nothing to say */
export function tell(sentence) {
  const status = find(document, "[data-connection]", HTMLElement);
  status.textContent = sentence;
  status.hidden = sentence === "";
}
