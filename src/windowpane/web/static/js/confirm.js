import { find } from "./page.js";

/**
 * Ask before something is lost. The safe answer has the focus.
 *
 * @param {{ title: string, text: string, act: string }} question `act` is the button that does it
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, act }) {
  const dialog = find(document, "#confirm", HTMLDialogElement);
  find(dialog, "h2", HTMLElement).textContent = title;
  find(dialog, "#confirm-text", HTMLElement).textContent = text;
  find(dialog, "[data-act]", HTMLElement).textContent = act;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "confirmed"), { once: true });
  });
}
