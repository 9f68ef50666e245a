import { address, ask, change, find } from "../page.js";
import { copyText } from "../turns.js";
import { chooseModel, chooseTopic } from "./choose.js";
import { editInPlace } from "./edit.js";

/**
 * @typedef {object} Scene what acts work on
 * @property {import("../elements/chat-log.js").ChatLog} log
 * @property {typeof import("../toasts.js").toasts} toasts
 */

/** @typedef {(turn: HTMLElement, scene: Scene, details: DOMStringMap) => Promise<unknown>} Act */

/** @type {Record<string, Act>} */
export const acts = {
  copy: (turn, { toasts }) => copyMessages(turn, toasts, "assistant"),
  "copy-message": (turn, { toasts }) => copyMessages(turn, toasts, "user"),
  edit: async (turn, { log }) => editInPlace(turn, (text) => askAgain(turn, log, { text })),
  again: (turn, { log }) => askAgain(turn, log, {}),
  async "ask-other"(turn, { log }) {
    const model = await chooseModel();
    if (model) await askAgain(turn, log, { model });
  },
  next: (turn, scene) => swap(turn, scene, 1),
  previous: (turn, scene) => swap(turn, scene, -1),
  async return(_, { log }, { turnId }) {
    await change("POST", `turns/${turnId}/return`);
    await log.reload();
  },
  async fork(turn, { log }) {
    const response = await change("POST", `chats/${log.dataset.chatId}/fork`, { turn_id: turn.id });
    location.assign(address(`chats/${(await response.json()).id}`));
  },
  star: (turn, scene, { star }) => mark(turn, scene, { star: Number(star) }),
  flag: (turn, scene) => mark(turn, scene, { flag: turn.dataset.flag === "blue" ? "grey" : "blue" }),
  pin: (turn, scene) => mark(turn, scene, { is_pinned: turn.dataset.pinned !== "1" }),
  skip: (turn, scene) => mark(turn, scene, { is_skipped: turn.dataset.skipped !== "1" }),
  async topic(turn, scene) {
    const chosen = await chooseTopic(find(turn.ownerDocument, "main.chat", HTMLElement).dataset.projectId ?? "", turn);
    if (chosen !== undefined) await mark(turn, scene, { topic_id: chosen });
  },
  async delete(turn, { log, toasts }) {
    const response = await change("DELETE", `turns/${turn.id}`);
    log.moveFocusFrom(turn);
    toasts.offerUndo(await response.json());
    await log.reload();
  },
};

/**
 * @param {HTMLElement} turn
 * @param {import("../elements/chat-log.js").ChatLog} log
 * @param {{ text?: string, model?: string }} how
 */
async function askAgain(turn, log, how) {
  const composer = document.querySelector("chat-composer select");
  const model = how.model ?? (composer instanceof HTMLSelectElement ? composer.value : "");
  await change("POST", `turns/${turn.id}/again`, { ...how, model: model || null, seen_head_id: log.headId });
  await log.reload();
}

/**
 * @param {HTMLElement} turn
 * @param {Scene} scene
 * @param {1 | -1} step
 */
async function swap(turn, { log }, step) {
  if (!turn.querySelector(".turn-places")) return;
  const response = await change("POST", `turns/${turn.id}/swap`, { step });
  const { turn_id: id } = await response.json();
  await log.reload();
  log.focusTurn(id, step === 1 ? "[data-act=next]" : "[data-act=previous]");
}

/**
 * @param {HTMLElement} turn
 * @param {Scene} scene
 * @param {object} marks
 */
async function mark(turn, { log }, marks) {
  await change("PATCH", `turns/${turn.id}`, marks);
  await log.reload();
}

/**
 * What was written, as it was written: the page holds only its drawing.
 *
 * @param {HTMLElement} turn
 * @param {typeof import("../toasts.js").toasts} toasts
 * @param {"assistant" | "user"} role
 */
async function copyMessages(turn, toasts, role) {
  const response = await ask(`api/turns/${turn.id}`, { headers: { accept: "application/json" } });
  /** @type {{ messages: { role: string, parts: { type: string, text?: string }[] }[] }} */
  const { messages } = await response.json();
  const parts = messages.filter((message) => message.role === role).flatMap((message) => message.parts);
  await copyText(
    parts
      .filter((part) => part.type === "text")
      .map((part) => part.text)
      .join(""),
  );
  toasts.tell("Copied.");
}
