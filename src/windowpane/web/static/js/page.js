/** The way from this page up to the root of the site: "../" on a chat's page. */
const root = document.documentElement.dataset.root || "./";
/** How many folders below the root this page lies. */
export const depth = root.split("../").length - 1;

/** An answer of the server that says no, with its own sentence. */
export class Refusal extends Error {
  /**
   * @param {number} status 0 when the server was not reached
   * @param {string} code
   * @param {string} message
   * @param {string} [key] the field that it is about
   */
  constructor(status, code, message, key = "") {
    super(message);
    this.status = status;
    this.code = code;
    this.key = key;
  }
}

/** @param {string} path from the root of the site */
export function address(path) {
  return root + path;
}

/**
 * @param {string} path
 * @param {RequestInit} [request]
 */
export async function ask(path, request) {
  const response = await fetch(address(path), request).catch(() => {
    throw new Refusal(0, "unreachable", "The server cannot be reached. Nothing was lost; try again.");
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/**
 * @param {"POST" | "PUT" | "PATCH" | "DELETE"} method
 * @param {string} path below the JSON API
 * @param {object} [body]
 * @param {RequestInit} [more] such as a signal that gives the request up
 */
export async function change(method, path, body, more) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return ask(`api/${path}`, { method, headers, body: body && JSON.stringify(body), ...more });
}

/**
 * @param {string} path
 * @returns {Promise<DocumentFragment>}
 */
export async function fragment(path) {
  const response = await ask(path);
  return parsed(await response.text());
}

/** @param {string} html from the server, which made it safe */
export function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/**
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function find(parent, selector, type) {
  const found = parent.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`The page lacks ${selector}.`);
  return found;
}

/**
 * What the parts of a page tell each other.
 *
 * @typedef {{
 *   "chat:changed": { isAnswering: boolean, isWaiting: boolean },
 *   "chat:leaving": { isLeaving: boolean },
 *   "chat:loaded": { position: string },
 *   "chat:sent": object,
 *   "model:chosen": object,
 *   "chat:refused": { code: string },
 *   "draft:saved": { text: string },
 *   "settings:changed": { model: string },
 *   "sidebar:drawn": object,
 *   "providers:changed": object,
 *   "deletion:made": import("./toasts.js").DeletionView,
 *   "deletion:undone": import("./toasts.js").DeletionView,
 *   "notice": { sentence: string },
 *   "problem": { sentence: string },
 * }} Signals
 */

/**
 * Show a refusal to the person who asked for what was refused.
 *
 * @param {unknown} error
 */
export function explain(error) {
  if (!(error instanceof Refusal)) throw error;
  signal("problem", { sentence: error.message });
}

/**
 * @template {keyof Signals} Name
 * @param {Name} name
 * @param {Signals[Name]} detail
 */
export function signal(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * @template {keyof Signals} Name
 * @param {Name} name
 * @param {(detail: Signals[Name]) => void} listener
 */
export function on(name, listener) {
  document.addEventListener(name, (event) => {
    if (event instanceof CustomEvent) listener(event.detail);
  });
}

/**
 * @param {Response} response
 * @returns {Promise<Refusal>}
 */
async function refusalOf(response) {
  const said = await response.json().catch(() => ({}));
  const message = said.message ?? `The server answered ${response.status} ${response.statusText}.`;
  return new Refusal(response.status, said.code ?? "http", message, said.key ?? "");
}
