import { find, parsed } from "../page.js";

const KEY = "edit:";

/**
 * Write a message anew in its place. The original stays until the new one is stored, and what was
 * written so far stays in this tab until it is sent or given up.
 *
 * @param {HTMLElement} turn
 * @param {(text: string) => Promise<unknown>} send
 */
export function editInPlace(turn, send) {
  const shown = turn.querySelector(".ask");
  const open = turn.querySelector(".editing textarea");
  if (open instanceof HTMLTextAreaElement) return open.focus();
  if (!(shown instanceof HTMLElement)) return;
  const form = editor(sessionStorage.getItem(KEY + turn.id) ?? shown.textContent ?? "");
  const box = find(form, "textarea", HTMLTextAreaElement);
  shown.after(form);
  turn.dataset.editing = "1";
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
  box.addEventListener("input", () => sessionStorage.setItem(KEY + turn.id, box.value));
  box.addEventListener("keydown", (event) => keyPressed(event, form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(turn.id, form, box.value, send);
  });
  find(form, "[data-edit=cancel]", HTMLElement).addEventListener("click", () => close(turn.id, form));
}

/**
 * @param {string} id
 * @param {HTMLFormElement} form
 * @param {string} text
 * @param {(text: string) => Promise<unknown>} send
 */
async function submit(id, form, text, send) {
  const button = find(form, "[type=submit]", HTMLButtonElement);
  const problem = find(form, "[data-problem]", HTMLElement);
  if (button.disabled || text.trim() === "") return;
  button.disabled = true;
  try {
    await send(text);
    close(id, form);
  } catch (error) {
    problem.hidden = false;
    problem.textContent = error instanceof Error ? error.message : String(error);
  }
  button.disabled = false;
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLFormElement} form
 */
function keyPressed(event, form) {
  if (event.isComposing) return;
  if (event.key === "Enter" && !event.shiftKey) form.requestSubmit();
  else if (event.key === "Escape") find(form, "[data-edit=cancel]", HTMLElement).click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * @param {string} id
 * @param {HTMLFormElement} form
 */
function close(id, form) {
  sessionStorage.removeItem(KEY + id);
  const turn = form.closest(".turn");
  form.remove();
  if (!(turn instanceof HTMLElement)) return;
  delete turn.dataset.editing;
  turn.focus();
}

/** @param {string} text */
function editor(text) {
  const template = find(document, "template#editor", HTMLTemplateElement);
  const form = find(parsed(template.innerHTML), "form", HTMLFormElement);
  find(form, "textarea", HTMLTextAreaElement).value = text;
  return form;
}
