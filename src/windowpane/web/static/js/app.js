import { ChatComposer } from "./elements/chat-composer.js";
import { ChatLog } from "./elements/chat-log.js";
import { ContextView } from "./context.js";
import { change, explain, find, on } from "./page.js";
import { frame, tell } from "./shell.js";
import { ChatStream } from "./stream.js";
import { copyCode, unfold } from "./turns.js";

customElements.define("chat-log", ChatLog);
customElements.define("chat-composer", ChatComposer);

const log = find(document, "chat-log", ChatLog);
const composer = find(document, "chat-composer", ChatComposer);
let isLeaving = false;
on("chat:leaving", (chat) => (isLeaving = chat.isLeaving));
const stream = new ChatStream(`chats/${log.dataset.chatId}/stream`, log.position, {
  take: (frame) => log.take(frame),
  // A page that is being left for good waits for the next one.
  reload: () => (isLeaving ? new Promise(() => {}) : log.reload()),
  tell,
});
composer.seenHead = () => log.headId;
const context = new ContextView(log, find(document, ".counter", HTMLElement));

/** What can be done with turns, once somebody turns to one. @type {Promise<import("./turn-tools.js").TurnTools> | null} */
let tools = null;

function turnTools() {
  tools ??= import("./turn-tools.js").then(({ TurnTools }) => new TurnTools(log));
  return tools;
}

log.addEventListener("focusin", () => void turnTools());
log.addEventListener("keydown", (event) => void turnTools().then((they) => they.keyPressed(event)));
document.addEventListener("click", (event) => {
  const isAct = event.target instanceof Element && event.target.closest("[data-act]") !== null;
  if (isAct) void turnTools().then((they) => they.clicked(event));
});

/** Loaded when it is first wanted: most pages are left without it. */
async function openSettings() {
  const { openChatSettings } = await import("./chat-settings.js");
  await openChatSettings(log.dataset.chatId ?? "");
}

/**
 * A word on one tool call, or on all that wait for one.
 *
 * @param {"accept" | "reject"} decision
 * @param {HTMLElement | null} button
 */
async function settle(decision, button) {
  const { decide, decideAll } = await import("./approvals.js");
  if (button) decide(button, decision);
  else decideAll(decision);
}

/** @type {Record<string, (button: HTMLElement) => void>} */
const actions = {
  jump: () => void log.toNewest().catch(explain),
  "chat-settings": () => void openSettings(),
  "return-to-turn": (button) => void returnTo(button.dataset.turnId ?? "").catch(explain),
  unfold,
  accept: (button) => void settle("accept", button),
  reject: (button) => void settle("reject", button),
  "accept-all": () => void settle("accept", null),
  "reject-all": () => void settle("reject", null),
};
frame(actions, () => void composer.stop());
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (button instanceof HTMLElement) void copyCode(button);
});
on("chat:sent", () => {
  stream.nudge();
  void log.toNewest().catch(explain);
});
on("chat:refused", ({ code }) => {
  if (code === "head_moved" || code === "not_waiting") void log.reload().catch(explain);
});
on("chat:loaded", ({ position }) => stream.followFrom(position));
on("model:chosen", () => context.refresh());
on("settings:changed", ({ model }) => {
  composer.showModel(model);
  context.refresh();
});
on("deletion:undone", ({ kind, chat_id: id }) => {
  if (kind === "turns" && id === log.dataset.chatId) void log.reload().catch(explain);
});
on("sidebar:drawn", nameChat);

/** Make a turn that was left part of the chat again, and look at it there. @param {string} turnId */
async function returnTo(turnId) {
  await change("POST", `turns/${turnId}/return`);
  location.reload();
}

/** The chat's title stands in the sidebar; the head of the page follows it. */
function nameChat() {
  const line = document.querySelector(".chat-item:has([aria-current])");
  if (!(line instanceof HTMLElement)) return;
  find(document, ".chat-title", HTMLElement).textContent = line.dataset.name ?? "";
  document.title = `${line.dataset.name} · Windowpane`;
}
