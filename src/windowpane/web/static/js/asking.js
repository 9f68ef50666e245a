import { confirmed } from "./confirm.js";
import { Refusal, address, change, explain } from "./page.js";

/**
 * What the server found out about a provider.
 *
 * @typedef {{ kind: string, message: string, http_status?: number }} Failure
 * @typedef {{
 *   models: { name: string }[],
 *   failure: Failure | null,
 *   field: string | null,
 *   advice: string,
 *   can_be_kept: boolean,
 * }} Checked
 */

const SECOND_MS = 1000;

/**
 * Ask a provider something that may take its time: the seconds are counted where it is waited for,
 * and it can be stopped there. Leaving the page stops it too.
 *
 * @param {HTMLElement} box
 * @param {string} path below the JSON API
 * @param {{ body?: object, waiting: string }} request
 * @returns {Promise<Checked | null>} null if it was stopped
 */
export async function asked(box, path, { body, waiting }) {
  const leaving = new AbortController();
  const seconds = document.createElement("span");
  const begun = Date.now();
  const clock = setInterval(() => (seconds.textContent = ` ${Math.round((Date.now() - begun) / SECOND_MS)} s`), SECOND_MS);
  const stop = made("button", { type: "button", className: "link is-inline", textContent: "Stop" });
  stop.addEventListener("click", () => leaving.abort());
  box.replaceChildren(made("p", { className: "waiting" }, waiting, seconds, " ", stop));
  try {
    return await (await change("POST", path, body, leaving.signal)).json();
  } catch (error) {
    if (leaving.signal.aborted) return null;
    throw error;
  } finally {
    clearInterval(clock);
    box.replaceChildren();
  }
}

/**
 * Test a provider, or ask for its models anew, and tell what came of it.
 *
 * @param {"check" | "refresh"} act
 * @param {{ id: string, name: string }} provider
 * @param {HTMLElement} box
 * @returns {Promise<boolean>} whether it answered
 */
export async function outcome(act, { id, name }, box) {
  const path = `providers/${encodeURIComponent(name)}/${act}`;
  try {
    const checked = await asked(box, path, { waiting: `Asking ${name} for its models…` });
    if (checked) box.replaceChildren(told(checked, { id, name }));
    return checked !== null && checked.failure === null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    box.replaceChildren(made("p", { className: "is-error" }, error.message));
    return false;
  }
}

/**
 * What to mend, and the provider's own sentence if it said one.
 *
 * @param {Failure} failure
 * @param {string} advice
 */
export function sentenceOf({ message, http_status: status }, advice) {
  return status === undefined ? message : `${advice} It says: “${message}”`.trim();
}

/**
 * @param {Checked} checked
 * @param {{ id: string, name: string }} provider
 */
function told({ models, failure, field, advice }, { id, name }) {
  if (!failure) return made("p", { className: "is-good" }, `${name} answers: ${models.length.toLocaleString("en")} ${models.length === 1 ? "model" : "models"}.`);
  const line = made("p", { className: "is-error" }, sentenceOf(failure, advice), " ");
  if (field) line.append(made("a", { href: address(`providers/${id}/edit#${field}`) }, "Mend it"));
  return line;
}

/**
 * @param {string} name
 * @returns {Promise<boolean>} whether it is gone
 */
export async function removed(name) {
  const isMeant = await confirmed({
    title: `Remove the provider “${name}”?`,
    text: `Its key, its list of models and what you set by hand for them are forgotten. Chats keep their turns and the names of their models; a provider of the same name can answer them again.`,
    act: "Remove",
  });
  if (!isMeant) return false;
  const response = await change("DELETE", `providers/${encodeURIComponent(name)}`).catch(explain);
  return response !== undefined;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {(Node | string)[]} children
 */
export function made(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
