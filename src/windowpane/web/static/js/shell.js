import { ChatSidebar } from "./elements/chat-sidebar.js";
import { address, find, on } from "./page.js";

const THEMES = ["system", "light", "dark"];
const YEAR_SECONDS = 31_536_000;

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
  on("notice", ({ sentence }) => void notices().then((toasts) => toasts.tell(sentence)));
  on("deletion:made", (deletion) => void notices().then((toasts) => toasts.offerUndo(deletion)));
  on("deletion:undone", ({ kind, chat_id: id }) => {
    if (kind === "chat") location.assign(address(`chats/${id}`));
    else void find(document, "chat-sidebar", ChatSidebar).refresh();
  });
  if (document.querySelector(".toast")) void notices();
  on("sidebar:drawn", nameTheme);
  nameTheme();
}

/** Loaded with the first notice. */
async function notices() {
  const { toasts } = await import("./toasts.js");
  return toasts;
}

/** @param {string} sentence "" when there is nothing to say */
export function tell(sentence) {
  const status = find(document, "[data-connection]", HTMLElement);
  status.textContent = sentence;
  status.hidden = sentence === "";
}

/** Light, dark, or as the system says. A cookie, so that the server draws the page in it. */
export function nextTheme() {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "") + 1) % THEMES.length] ?? "system";
  root.dataset.theme = next;
  const path = new URL(root.dataset.root || "./", location.href).pathname;
  document.cookie = `windowpane_theme=${next}; path=${path}; max-age=${YEAR_SECONDS}; samesite=lax`;
  nameTheme();
}

export function nameTheme() {
  const theme = document.documentElement.dataset.theme;
  find(document, "[data-theme-name]", HTMLElement).textContent = `Theme: ${theme}`;
}

/** On a narrow screen the sidebar is a drawer over the page, which meanwhile cannot be used. */
export const drawer = {
  get isOpen() {
    return document.body.dataset.drawer === "open";
  },
  open() {
    slide(true);
    find(document, ".sidebar [data-action=close-drawer]", HTMLElement).focus();
  },
  close() {
    slide(false);
    find(document, "[data-action=open-drawer]", HTMLElement).focus();
  },
};

/** @param {boolean} isOpen */
function slide(isOpen) {
  document.body.dataset.drawer = isOpen ? "open" : "";
  find(document, "main", HTMLElement).inert = isOpen;
  find(document, "[data-action=open-drawer]", HTMLElement).setAttribute("aria-expanded", String(isOpen));
}
