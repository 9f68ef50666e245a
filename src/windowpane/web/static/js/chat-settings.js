import { changedNames, only } from "./logic/choices.js";
import { Refusal, ask, change, explain, find, fragment, signal } from "./page.js";
import { choicesIn, forgetProblems, showProblem, toProblem } from "./settings.js";

/**
 * Show what applies in a chat, and let it choose otherwise.
 *
 * @param {string} chatId
 */
export async function openChatSettings(chatId) {
  const content = await fragment(`chats/${chatId}/settings`).catch(explain);
  if (!content) return;
  const dialog = Object.assign(document.createElement("dialog"), { className: "dialog is-wide" });
  dialog.setAttribute("aria-labelledby", "chat-settings-title");
  dialog.append(content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  const form = find(dialog, "form", HTMLFormElement);
  const before = chosenIn(form);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
    else if (event.target instanceof Element && event.target.closest("[data-keep]")) void keep();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    void keep();
  });
  void remarks(chatId, form);

  async function keep() {
    forgetProblems(form);
    const now = chosenIn(form);
    const names = changedNames(before, now);
    const settings = names.filter((name) => name !== "topic_id");
    try {
      if (settings.length) await change("PATCH", `chats/${chatId}/settings`, only(now, settings));
      if (names.includes("topic_id")) await change("PATCH", `chats/${chatId}`, { topic_id: now.topic_id });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showProblem(form, error.key, error.message);
      return toProblem(form);
    }
    dialog.close();
    const told = names.length ? await settingsOf(chatId) : null;
    if (!told) return;
    const count = Object.keys(told.choices).filter((name) => name !== "model").length;
    find(document, "[data-action=chat-settings]", HTMLElement).dataset.chosen = String(count);
    signal("settings:changed", { model: told.applied.model });
  }
}

/** @param {HTMLFormElement} form */
function chosenIn(form) {
  return { ...choicesIn(form), topic_id: find(form, "[name=topic_id]", HTMLSelectElement).value || null };
}

/**
 * What the model would not heed of what applies now.
 *
 * @param {string} chatId
 * @param {HTMLFormElement} form
 */
async function remarks(chatId, form) {
  const told = await settingsOf(chatId);
  for (const { key, sentence } of told?.remarks ?? []) {
    const place = form.querySelector(`[data-field="${CSS.escape(key)}"] [data-remark]`);
    if (!(place instanceof HTMLElement)) continue;
    place.textContent = sentence;
    place.hidden = false;
  }
}

/**
 * @param {string} chatId
 * @returns {Promise<{ choices: object, applied: { model: string }, remarks: { key: string, sentence: string }[] } | null>}
 */
async function settingsOf(chatId) {
  const response = await ask(`api/chats/${chatId}/settings`, { headers: { accept: "application/json" } }).catch(explain);
  return response ? response.json() : null;
}
