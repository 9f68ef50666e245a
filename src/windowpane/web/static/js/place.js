import { follows, isAtEnd } from "./logic/history.js";

/** The reader's place in a scroll box: at its end and following, or at a turn that must not move. */
export class Place {
  #box;
  #lastTop = 0;
  isFollowing = true;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.#box = box;
  }

  get isAtEnd() {
    return isAtEnd(this.#measured());
  }

  /** Pixels that are loaded above and below what is seen. */
  get room() {
    const { top, view, total } = this.#measured();
    return { above: top, below: total - view - top };
  }

  /** To be called whenever the box was scrolled, by whomever. */
  scrolled() {
    this.isFollowing = follows(this.isFollowing, this.#lastTop, this.#measured());
    this.#lastTop = this.#box.scrollTop;
  }

  /** To be called whenever the box or what it holds has another size. */
  resized() {
    // Somebody may have scrolled a moment ago: the event of it comes only with the next picture.
    this.scrolled();
    if (this.isFollowing) this.toEnd();
  }

  toEnd() {
    this.isFollowing = true;
    this.#box.scrollTop = this.#box.scrollHeight;
    this.#lastTop = this.#box.scrollTop;
  }

  /**
   * Change what the box holds, and leave what is seen where it was.
   *
   * @param {() => void} change
   */
  keep(change) {
    this.scrolled();
    const anchor = this.#firstSeen();
    const before = anchor?.getBoundingClientRect().top ?? 0;
    change();
    const after = anchor && document.getElementById(anchor.id);
    if (this.isFollowing) this.toEnd();
    else if (after) this.#box.scrollTop += after.getBoundingClientRect().top - before;
    this.#lastTop = this.#box.scrollTop;
  }

  #firstSeen() {
    const top = this.#box.getBoundingClientRect().top;
    const turns = [...this.#box.querySelectorAll(".turn")];
    return turns.find((turn) => turn.getBoundingClientRect().bottom > top);
  }

  #measured() {
    const { scrollTop: top, clientHeight: view, scrollHeight: total } = this.#box;
    return { top, view, total };
  }
}
