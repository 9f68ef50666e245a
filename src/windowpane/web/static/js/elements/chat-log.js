import { MOST_TURNS, PAGE_TURNS, lastOf, queryAgain, queryFor, surplus } from "../logic/history.js";
import { explain, find, fragment, signal } from "../page.js";
import { Place } from "../place.js";
import {
  carryOver,
  carryPlaces,
  drawPiece,
  patchPiece,
  settleTurn,
  tellTimes,
  tellTopics,
  turnFrom,
} from "../turns.js";

/** How near to an end of what is loaded the next page is fetched. */
const NEAR_PX = 900;

/**
 * A chat's turns: draws frames, loads pages on both sides, keeps the reader's place.
 * Tells the others of it with the signal `chat:changed`.
 */
export class ChatLog extends HTMLElement {
  #place = new Place(this);
  #turns = find(this, ".turns", HTMLElement);
  #window = windowOf(this.#turns);
  #announced = { piece: "", blocks: 0 };
  #isLoading = false;
  isAnswering = this.#turns.dataset.answering === "1";
  isWaiting = stateOf(this.#turns) === "waiting";

  connectedCallback() {
    tellTimes(this);
    tellTopics(this);
    const target = document.getElementById(location.hash.slice(1));
    if (target) void this.#openAt(target);
    else this.#place.toEnd();
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    const sizes = new ResizeObserver(() => this.#place.resized());
    sizes.observe(this);
    sizes.observe(find(this, ".column", HTMLElement));
  }

  /** Open in the middle of the chat, with the words that were looked for in sight. @param {HTMLElement} turn */
  async #openAt(turn) {
    this.#place.isFollowing = false;
    const { showHits } = await import("../hits.js");
    showHits(turn, JSON.parse(this.dataset.hits ?? "[]"));
    this.#scrolled();
  }

  get position() {
    return this.#turns.dataset.position ?? "";
  }

  /** The turn that was seen last: "" in an empty chat, null while the end is not loaded. */
  get headId() {
    return this.#window.hasNewer ? null : (this.#all().at(-1)?.id ?? "");
  }

  /** @param {import("../stream.js").Frame} frame */
  take(frame) {
    if (frame.type === "turn") this.#drawTurn(frame);
    else if (frame.type !== "reload") this.#change(frame);
    this.#place.resized();
    this.#offerJump();
  }

  /** Draw the same turns again, as the server has them now; tells the position to follow from. */
  async reload() {
    await this.#show(queryAgain(this.#window, this.#all().length));
    return this.position;
  }

  /**
   * Put the focus on a turn, or on something in it; a drawing that was replaced took it along.
   *
   * @param {string} id
   * @param {string} selector
   */
  focusTurn(id, selector) {
    const turn = document.getElementById(id);
    const inside = turn?.querySelector(selector);
    (inside instanceof HTMLElement ? inside : turn)?.focus({ preventScroll: true });
  }

  /**
   * A turn is about to go: whoever works by keyboard goes on at its neighbour.
   *
   * @param {HTMLElement} turn
   */
  moveFocusFrom(turn) {
    if (!turn.contains(document.activeElement)) return;
    const all = this.#all();
    const here = all.indexOf(turn);
    (all[here + 1] ?? all[here - 1] ?? this).focus({ preventScroll: true });
  }

  async toNewest() {
    if (this.#window.hasNewer) await this.#show(`limit=${PAGE_TURNS}`);
    this.#place.toEnd();
  }

  /** @param {import("../stream.js").TurnFrame} frame */
  #drawTurn(frame) {
    const turn = turnFrom(frame.html);
    const old = document.getElementById(frame.turn);
    if (old) {
      carryOver(old, turn);
      carryPlaces(old, turn);
      old.replaceWith(turn);
    } else if (frame.depth <= depthOf(this.#all().at(-1))) {
      // It takes the place of turns that are shown: what is left and what stays, the server knows.
      void this.reload().catch(explain);
      return;
    } else this.#append(turn, frame.depth);
    this.#changed(turn.dataset.state ?? "");
  }

  /**
   * @param {HTMLElement} turn
   * @param {number} depth
   */
  #append(turn, depth) {
    const isFull = this.#all().length >= MOST_TURNS && !this.#place.isFollowing;
    this.#window.hasNewer ||= isFull;
    if (this.#window.hasNewer) return;
    this.querySelector("[data-empty]")?.remove();
    this.#turns.append(turn);
    this.#window.last = depth;
    this.#drop("older");
  }

  /** @param {import("../stream.js").PieceFrame | import("../stream.js").PatchFrame | import("../stream.js").StateFrame} frame */
  #change(frame) {
    const turn = document.getElementById(frame.turn);
    if (turn && frame.type === "piece") drawPiece(turn, frame);
    if (turn && frame.type === "patch") this.#announce(patchPiece(turn, frame), frame);
    if (frame.type === "state") {
      if (turn) settleTurn(turn, frame);
      this.#changed(frame.state);
    }
  }

  /** @param {string} state of the newest turn */
  #changed(state) {
    const { isWaiting } = this;
    this.isAnswering = state === "sending";
    this.isWaiting = state === "waiting";
    this.#turns.dataset.answering = this.isAnswering ? "1" : "0";
    if (this.isWaiting && !isWaiting) announce("A tool call waits for you to accept or reject it.");
    signal("chat:changed", { isAnswering: this.isAnswering, isWaiting: this.isWaiting });
  }

  /**
   * Read out blocks when they are finished, never words as they come.
   *
   * @param {Element | undefined} prose
   * @param {import("../stream.js").PatchFrame} frame
   */
  #announce(prose, frame) {
    if (!prose?.matches(".answer > .prose")) return;
    const piece = `${frame.turn} ${frame.index}`;
    if (this.#announced.piece !== piece) this.#announced = { piece, blocks: 0 };
    const finished = prose.children.length - (frame.is_last ? 0 : 1);
    const fresh = [...prose.children].slice(this.#announced.blocks, finished);
    this.#announced.blocks = Math.max(this.#announced.blocks, finished);
    if (fresh.length) announce(fresh.map((block) => block.textContent).join("\n"));
  }

  #scrolled() {
    this.#place.scrolled();
    this.#offerJump();
    const { above, below } = this.#place.room;
    if (above < NEAR_PX && this.#window.hasOlder) void this.#load("older");
    else if (below < NEAR_PX && this.#window.hasNewer) void this.#load("newer");
  }

  #offerJump() {
    const isAway = this.#window.hasNewer || !(this.#place.isFollowing || this.#place.isAtEnd);
    document.querySelector("[data-action=jump]")?.toggleAttribute("hidden", !isAway);
  }

  /** @param {"older" | "newer"} side */
  async #load(side) {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#join(await this.#fetched(queryFor(this.#window, side)), side);
      this.#isLoading = false;
      this.#scrolled();
    } catch (error) {
      this.#isLoading = false;
      explain(error);
    }
  }

  /**
   * @param {HTMLElement} page
   * @param {"older" | "newer"} side
   */
  #join(page, side) {
    const added = windowOf(page);
    this.#place.isFollowing &&= side === "newer" && !added.hasNewer;
    this.#place.keep(() => {
      const known = [...page.querySelectorAll(".turn, .special")].filter((item) => document.getElementById(item.id));
      for (const item of known) item.remove();
      if (side === "older") this.#turns.prepend(...page.childNodes);
      else this.#turns.append(...page.childNodes);
      if (side === "older") this.#window = { ...this.#window, first: added.first, hasOlder: added.hasOlder };
      else this.#window = { ...this.#window, last: lastOf(this.#window, added), hasNewer: added.hasNewer };
      this.#drop(side === "older" ? "newer" : "older");
    });
    this.#follow(page);
  }

  /** @param {"older" | "newer"} side */
  #drop(side) {
    const all = this.#all();
    const count = surplus(all.length);
    if (count === 0) return;
    const edge = side === "older" ? all[count] : all.at(-count - 1);
    const beyond = side === "older" ? "previousElementSibling" : "nextElementSibling";
    while (edge?.[beyond]) edge[beyond].remove();
    const has = side === "older" ? { hasOlder: true } : { hasNewer: true };
    const rest = this.#all();
    this.#window = { ...this.#window, ...has, first: depthOf(rest.at(0)), last: depthOf(rest.at(-1)) };
  }

  /** @param {string} query */
  async #show(query) {
    const page = await this.#fetched(query);
    const focused = this.#focused();
    this.#place.keep(() => {
      for (const turn of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll(".turn"))) {
        const old = document.getElementById(turn.id);
        if (old) this.#inherit(old, turn);
      }
      this.#turns.replaceWith(page);
      this.#turns = page;
      this.#window = windowOf(page);
    });
    if (focused) this.focusTurn(focused.id, focused.selector);
    const known = this.#window.hasNewer && this.isWaiting ? "waiting" : stateOf(page);
    this.#changed(page.dataset.answering === "1" ? "sending" : known);
    this.#offerJump();
    this.#follow(page);
  }

  /**
   * Until the plan is asked for again, a turn stands where it stood: nothing flickers.
   *
   * @param {HTMLElement} old
   * @param {HTMLElement} turn
   */
  #inherit(old, turn) {
    carryOver(old, turn);
    if (old.dataset.state === turn.dataset.state) turn.dataset.standing = old.dataset.standing;
  }

  /** Where the focus is, in words that a new drawing understands too. */
  #focused() {
    const turn = document.activeElement?.closest(".turn");
    if (!turn || !this.contains(turn)) return null;
    const here = /** @type {HTMLElement} */ (document.activeElement);
    if (here.matches("textarea")) return { id: turn.id, selector: ".editing textarea" };
    const group = here.closest(".turn-tools") ? ".turn-tools" : here.closest(".turn-places") ? ".turn-places" : "";
    return { id: turn.id, selector: here.dataset.act ? `${group} [data-act=${here.dataset.act}]` : ":not(*)" };
  }

  /**
   * What the stream told while a page was on its way, the page does not show: with the newest turn
   * on it, the stream goes on from where the page stands.
   *
   * @param {HTMLElement} page
   */
  #follow({ dataset }) {
    if (dataset.newer === "0") signal("chat:loaded", { position: dataset.position ?? "" });
  }

  /** @param {string} query */
  async #fetched(query) {
    const content = await fragment(`chats/${this.dataset.chatId}/turns?${query}`);
    tellTimes(content);
    tellTopics(content);
    return find(content, ".turns", HTMLElement);
  }

  #all() {
    return /** @type {HTMLElement[]} */ ([...this.#turns.querySelectorAll(":scope > .turn")]);
  }
}

/**
 * @param {HTMLElement} page
 * @returns {import("../logic/history.js").TurnWindow}
 */
function windowOf(page) {
  const turns = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll(":scope > .turn"));
  return {
    first: depthOf(turns[0]),
    last: depthOf(turns[turns.length - 1]),
    hasOlder: page.dataset.older === "1",
    hasNewer: page.dataset.newer === "1",
  };
}

/**
 * @param {HTMLElement} page
 * @returns {string} the state of its last turn
 */
function stateOf(page) {
  const turns = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll(":scope > .turn"));
  return turns[turns.length - 1]?.dataset.state ?? "";
}

/** @param {string} text */
function announce(text) {
  const announcer = document.querySelector("[data-announcer]");
  if (announcer) announcer.textContent = text;
}

/** @param {HTMLElement | undefined} turn */
function depthOf(turn) {
  return turn ? Number(turn.dataset.depth) : -1;
}
