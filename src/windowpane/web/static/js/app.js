import { ChatComposer } from "./elements/chat-composer.js";
import { ChatLog } from "./elements/chat-log.js";
import { ChatSidebar } from "./elements/chat-sidebar.js";
import { ContextView } from "./context.js";
import { address, explain, find, on } from "./page.js";
import { copyCode, drawer, nameTheme, nextTheme, unfold } from "./shell.js";
import { ChatStream } from "./stream.js";
import { Toasts } from "./toasts.js";
import { TurnTools } from "./turn-tools.js";

customElements.define("chat-log", ChatLog);
customElements.define("chat-composer", ChatComposer);
customElements.define("chat-sidebar", ChatSidebar);

const log = find(document, "chat-log", ChatLog);
const composer = find(document, "chat-composer", ChatComposer);
const sidebar = find(document, "chat-sidebar", ChatSidebar);
const status = find(document, "[data-connection]", HTMLElement);

/** @param {string} sentence "" when there is nothing to say */
function tell(sentence) {
  status.textContent = sentence;
  status.hidden = sentence === "";
}

const stream = new ChatStream(`chats/${log.dataset.chatId}/stream`, log.position, {
  take: (frame) => log.take(frame),
  reload: () => log.reload(),
  tell,
});
composer.seenHead = () => log.headId;
const toasts = new Toasts();
new TurnTools({ log, toasts });
const context = new ContextView(log, find(document, ".counter", HTMLElement));

/** @type {Record<string, (button: HTMLElement) => void>} */
const actions = {
  jump: () => void log.toNewest().catch(explain),
  theme: nextTheme,
  "open-drawer": () => drawer.open(),
  "close-drawer": () => drawer.close(),
  unfold,
};

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-action], [data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  if ("copy" in button.dataset) void copyCode(button);
  else actions[button.dataset.action ?? ""]?.(button);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector(":popover-open, dialog[open]")) return;
  if (drawer.isOpen) drawer.close();
  else void composer.stop();
});
on("chat:sent", () => {
  stream.nudge();
  void log.toNewest().catch(explain);
});
on("chat:refused", ({ code }) => {
  if (code === "head_moved") void log.reload().catch(explain);
});
on("chat:loaded", ({ position }) => stream.followFrom(position));
on("model:chosen", () => context.refresh());
on("notice", ({ sentence }) => toasts.tell(sentence));
on("deletion:made", (deletion) => toasts.offerUndo(deletion));
on("deletion:undone", ({ kind, chat_id: id }) => {
  if (kind === "chat") location.assign(address(`chats/${id}`));
  else if (kind === "turns" && id === log.dataset.chatId) void log.reload().catch(explain);
  void sidebar.refresh();
});
on("problem", ({ sentence }) => tell(sentence));
on("sidebar:drawn", nameChat);
nameTheme();

/** The chat's title stands in the sidebar; the head of the page follows it. */
function nameChat() {
  nameTheme();
  const line = document.querySelector(".chat-item:has([aria-current])");
  if (!(line instanceof HTMLElement)) return;
  find(document, ".chat-title", HTMLElement).textContent = line.dataset.name ?? "";
  document.title = `${line.dataset.name} · Windowpane`;
}
