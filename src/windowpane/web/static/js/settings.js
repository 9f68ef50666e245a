import { choiceFrom } from "./logic/choices.js";
import { Refusal, ask } from "./page.js";

/**
 * @import { Choices, Kind } from "./logic/choices.js"
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Box
 * @typedef {{ choices: { name: string, provider: string, model: { name: string, label?: string } }[] }} ModelList
 */

/**
 * What the boxes of a form choose, by name; null where nothing is chosen.
 *
 * @param {ParentNode} form
 * @returns {Choices}
 */
export function choicesIn(form) {
  const boxes = /** @type {Box[]} */ ([...form.querySelectorAll("[data-setting]")]);
  return Object.fromEntries(boxes.map((box) => [box.name, chosen(box)]));
}

/** @param {Box} box */
function chosen(box) {
  if (box instanceof HTMLInputElement && box.type === "checkbox") {
    return box.checked === (box.dataset.otherwise === "true") ? null : box.checked;
  }
  // What several boxes are gathered in shows the default, until one of them is touched.
  if (box.dataset.chosen === "0") return null;
  return choiceFrom(/** @type {Kind} */ (box.dataset.setting), box.value);
}

/**
 * Say at its field what is wrong with a choice, or where the form has a place for the rest.
 *
 * @param {HTMLElement} form
 * @param {string} key
 * @param {string} sentence
 */
export function showProblem(form, key, sentence) {
  const field = key ? form.querySelector(`[data-field="${CSS.escape(key)}"]`) : null;
  const place = field?.querySelector("[data-problem]") ?? form.querySelector("[data-general]");
  if (!(place instanceof HTMLElement)) return;
  place.textContent = sentence;
  place.hidden = false;
  field?.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
}

/** @param {HTMLElement} form */
export function forgetProblems(form) {
  for (const place of form.querySelectorAll("[data-problem], [data-general]")) if (place instanceof HTMLElement) place.hidden = true;
  for (const box of form.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
}

/**
 * Bring the first field that something is wrong with to the eye.
 *
 * @param {HTMLElement} form
 */
export function toProblem(form) {
  const box = form.querySelector("[aria-invalid]");
  if (box instanceof HTMLElement) box.focus();
}

/**
 * Fill the boxes for models. A list that cannot be had leaves them with what is chosen.
 *
 * @param {ParentNode} form
 */
export async function offerModels(form) {
  const boxes = [...form.querySelectorAll("select[data-setting=model]")];
  if (boxes.length === 0) return;
  try {
    const response = await ask("api/models", { headers: { accept: "application/json" } });
    const list = /** @type {ModelList} */ (await response.json());
    for (const box of boxes) if (box instanceof HTMLSelectElement) offer(box, list);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/**
 * @param {HTMLSelectElement} box
 * @param {ModelList} list
 */
function offer(box, list) {
  const { value } = box;
  const known = new Set([...box.options].map((option) => option.value));
  const providers = new Set(list.choices.map((choice) => choice.provider));
  for (const provider of providers) {
    const models = list.choices.filter((choice) => choice.provider === provider && !known.has(choice.name));
    if (models.length === 0) continue;
    const group = document.createElement("optgroup");
    group.label = provider;
    group.append(...models.map(({ name, model }) => new Option(model.label ? `${model.name} · ${model.label}` : model.name, name)));
    box.append(group);
  }
  box.value = value;
}
