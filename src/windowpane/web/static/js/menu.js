import { find } from "./page.js";

const MARGIN_PX = 8;

/** Menus that the arrow keys walk through already. @type {WeakSet<HTMLElement>} */
const walked = new WeakSet();

/**
 * Open a menu below a button, inside the window.
 *
 * @param {HTMLElement} menu
 * @param {HTMLElement} button
 */
export function openMenu(menu, button) {
  if (!walked.has(menu)) walkWithArrows(menu);
  walked.add(menu);
  menu.showPopover();
  const around = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(around.right - width, innerWidth - width - MARGIN_PX);
  const top = Math.min(around.bottom + 4, innerHeight - height - MARGIN_PX);
  menu.style.left = `${Math.max(MARGIN_PX, left)}px`;
  menu.style.top = `${Math.max(MARGIN_PX, top)}px`;
  find(menu, "button:not([hidden])", HTMLElement).focus();
}

/**
 * The arrow keys walk through a menu's buttons, and round its ends.
 *
 * @param {HTMLElement} menu
 */
function walkWithArrows(menu) {
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...menu.querySelectorAll("button")].filter((button) => button.checkVisibility());
    const here = buttons.findIndex((button) => button === document.activeElement);
    buttons.at((here + step) % buttons.length)?.focus();
    event.preventDefault();
  });
}
