import { hitPattern } from "./logic/words.js";

/**
 * Show the words that were looked for in a turn: open what hides them, mark them, bring the first
 * into sight. Nothing of the page is changed for it, so text can be copied as it is.
 *
 * @param {HTMLElement} turn
 * @param {string[]} words as they stand in the turn
 */
export function showHits(turn, words) {
  const ranges = words.length ? [...rangesOf(turn, words)] : [];
  const first = ranges[0];
  if (first) uncover(first, turn);
  if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...ranges));
  const place = first?.startContainer.parentElement ?? turn;
  place.scrollIntoView({ block: first ? "center" : "start" });
}

/**
 * @param {HTMLElement} turn
 * @param {string[]} words
 * @returns {Generator<Range>}
 */
function* rangesOf(turn, words) {
  const pattern = hitPattern(words);
  const texts = document.createTreeWalker(turn, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement?.closest(".turn-head, .turn-foot, summary, button")) continue;
    for (const found of (node.textContent ?? "").matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      yield range;
    }
  }
}

/**
 * @param {Range} range
 * @param {HTMLElement} turn
 */
function uncover(range, turn) {
  const within = range.startContainer.parentElement;
  for (let one = within?.closest("details"); one && turn.contains(one); one = one.parentElement?.closest("details")) {
    one.open = true;
  }
  const folded = within?.closest("[data-fold]");
  if (folded instanceof HTMLElement) folded.dataset.fold = "open";
}
