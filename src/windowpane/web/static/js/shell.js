import { find } from "./page.js";

const THEMES = ["system", "light", "dark"];
const YEAR_SECONDS = 31_536_000;
const SHOWN_MS = 1500;

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

/** On a narrow screen the sidebar is a drawer over the chat, which meanwhile cannot be used. */
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
  find(document, ".chat", HTMLElement).inert = isOpen;
  find(document, "[data-action=open-drawer]", HTMLElement).setAttribute("aria-expanded", String(isOpen));
}

/**
 * Copy the code that a button belongs to, and say so on the button.
 *
 * @param {HTMLElement} button
 */
export async function copyCode(button) {
  const code = button.closest("figure")?.querySelector("code");
  if (!code) return;
  await copyText(code.textContent ?? "");
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = label), SHOWN_MS);
}

/** @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // The old way, for pages that a browser does not trust: without TLS there is no clipboard.
  const box = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

/**
 * Show the whole of a long message.
 *
 * @param {HTMLElement} button
 */
export function unfold(button) {
  const text = button.previousElementSibling;
  if (text instanceof HTMLElement) text.dataset.fold = "open";
  button.remove();
}
