import { timeText } from "./logic/words.js";
import { find, parsed } from "./page.js";

const SHOWN_MS = 1500;

/**
 * @param {string} html of one turn
 * @returns {HTMLElement}
 */
export function turnFrom(html) {
  const content = parsed(html);
  tellTimes(content);
  tellTopics(content);
  return find(content, ".turn", HTMLElement);
}

/**
 * What the reader of a turn had opened or begun to write stays so in a newer drawing of it.
 *
 * @param {HTMLElement} old
 * @param {HTMLElement} turn
 */
export function carryOver(old, turn) {
  const opened = old.querySelectorAll("details");
  turn.querySelectorAll("details").forEach((details, index) => keepOpen(opened[index], details));
  const editing = old.querySelector(".editing");
  if (editing) {
    turn.querySelector(".ask")?.after(editing);
    turn.dataset.editing = "1";
  }
}

/**
 * A call that waits for the reader is open by itself, and does not stay so.
 *
 * @param {HTMLDetailsElement | undefined} old
 * @param {HTMLDetailsElement} details
 */
function keepOpen(old, details) {
  if (old && !("asking" in old.dataset)) details.open ||= old.open;
}

/**
 * What stood in a turn's place before is told when a page is loaded, and not by a live turn.
 *
 * @param {Element} old
 * @param {Element} turn
 */
export function carryPlaces(old, turn) {
  const places = old.querySelector(".turn-places");
  if (places && !turn.querySelector(".turn-places")) turn.querySelector(".answer")?.before(places);
}

/**
 * @param {Element} turn
 * @param {import("./stream.js").PieceFrame} frame
 */
export function drawPiece(turn, frame) {
  const answer = answerOf(turn);
  const old = answer.children[frame.index];
  const piece = parsed(frame.html).firstElementChild;
  if (piece === null) old?.remove();
  else if (old === undefined) answer.append(piece);
  else {
    if (piece instanceof HTMLDetailsElement && old instanceof HTMLDetailsElement) keepOpen(old, piece);
    old.replaceWith(piece);
  }
}

/**
 * Keep the first blocks of the open piece, draw the next ones, let the last one grow.
 *
 * @param {Element} turn
 * @param {import("./stream.js").PatchFrame} frame
 * @returns {Element | undefined} the element that holds the blocks
 */
export function patchPiece(turn, frame) {
  const piece = answerOf(turn).children[frame.index];
  const prose = piece?.matches(".prose") ? piece : piece?.querySelector(".prose");
  if (!prose) return undefined;
  const place = within(prose, frame.inside ?? 0);
  while (place.children.length > frame.keep) place.lastElementChild?.remove();
  if (frame.html) place.insertAdjacentHTML("beforeend", frame.html);
  if (frame.open_text) grow(place, frame.open_text);
  if (frame.is_last) prose.removeAttribute("data-open");
  return prose;
}

/**
 * The place of the blocks, or that of the rows in the last list or table.
 *
 * @param {Element} prose
 * @param {number} depth
 * @returns {Element}
 */
function within(prose, depth) {
  const last = depth ? prose.lastElementChild : null;
  return last ? within(last, depth - 1) : prose;
}

/**
 * Add text where writing goes on: in the last node of the last block.
 *
 * @param {Element} place
 * @param {string} text
 */
function grow(place, text) {
  let last = place.lastElementChild;
  while (last?.lastChild instanceof Element) last = last.lastChild;
  if (last?.lastChild instanceof Text) last.lastChild.appendData(text);
  else last?.append(text);
}

/**
 * @param {HTMLElement} turn
 * @param {import("./stream.js").StateFrame} frame
 */
export function settleTurn(turn, frame) {
  turn.dataset.state = frame.state;
  turn.dataset.standing = frame.standing;
  turn.querySelector(".turn-head")?.replaceChildren(parsed(frame.head));
  turn.querySelector(".turn-foot")?.replaceChildren(parsed(frame.foot));
  tellTimes(turn);
  tellTopics(turn);
}

/**
 * The paths of topics came with the turns that were loaded.
 *
 * @param {ParentNode} parent
 */
export function tellTopics(parent) {
  const turns = parent.querySelector(".turns") ?? document.querySelector(".turns");
  /** @type {Record<string, string>} */
  const topics = turns instanceof HTMLElement ? JSON.parse(turns.dataset.topics ?? "{}") : {};
  for (const topic of /** @type {NodeListOf<HTMLElement>} */ (parent.querySelectorAll(".turn-topic"))) {
    topic.textContent = topics[topic.dataset.topicId ?? ""] ?? "";
  }
}

/**
 * Times as the reader's clock tells them; to the second where somebody waits for one.
 *
 * @param {ParentNode} parent
 */
export function tellTimes(parent) {
  const now = new Date();
  for (const time of parent.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    time.textContent = "exact" in time.dataset ? at.toLocaleTimeString() : timeText(at, now, undefined);
    time.title = at.toLocaleString();
  }
}

/** @param {Element} turn */
function answerOf(turn) {
  const answer = turn.querySelector(".answer");
  if (answer === null) throw new Error("A turn without an answer's place.");
  return answer;
}

/**
 * Copy the code that a button belongs to, and say so on the button.
 *
 * @param {HTMLElement} button
 */
export async function copyCode(button) {
  const code = button.closest("figure")?.querySelector("code");
  if (!code) return;
  await copyText(code.textContent ?? "");
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = label), SHOWN_MS);
}

/** @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // The old way, for pages that a browser does not trust: without TLS there is no clipboard.
  const box = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

/**
 * Show the whole of a long message.
 *
 * @param {HTMLElement} button
 */
export function unfold(button) {
  const text = button.previousElementSibling;
  if (text instanceof HTMLElement) text.dataset.fold = "open";
  button.remove();
}
