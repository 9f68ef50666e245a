/** @typedef {{ isFailed: boolean, isLast: boolean, star: number }} FocusedTurn */

/**
 * What a single key does to the turn that has the focus.
 *
 * @param {string} key
 * @param {FocusedTurn} turn
 * @returns {{ name: string, star: number } | undefined}
 */
export function actOf(key, { isFailed, isLast, star }) {
  const act = (/** @type {string} */ name, /** @type {number} */ value) => ({ name, star: value });
  switch (key) {
    case "1":
    case "2":
    case "3":
      return act("star", Number(key));
    case " ":
      return act("star", 0);
    case "*":
      return act("star", (star + 1) % 4);
    case "a":
      return act("flag", star);
    case "e":
      if (isFailed) return act("again", star);
      return isLast ? act("ask-other", star) : undefined;
    case "E":
      return act("next", star);
    case "w":
      return isFailed ? act("delete", star) : undefined;
    case "Y":
      return act("copy", star);
  }
}
