/**
 * A turn's time as its reader tells it: the hour today, the day and hour before.
 *
 * @param {Date} at
 * @param {Date} now
 * @param {string | undefined} locale undefined is the browser's own
 */
export function timeText(at, now, locale) {
  /** @type {Intl.DateTimeFormatOptions} */
  const shape = { hour: "2-digit", minute: "2-digit" };
  if (at.toDateString() !== now.toDateString()) Object.assign(shape, { day: "numeric", month: "short" });
  if (at.getFullYear() !== now.getFullYear()) Object.assign(shape, { year: "numeric" });
  return new Intl.DateTimeFormat(locale, shape).format(at);
}

/**
 * What the deletion of a project takes away, as a sentence.
 *
 * @param {number} chats
 * @param {number} turns
 */
export function lossText(chats, turns) {
  if (chats === 0) return "It holds no chats.";
  const loss = `${counted(chats, "chat")} with ${counted(turns, "turn")} will be deleted.`;
  return `${loss} For a minute this can be undone.`;
}

/**
 * @param {number} count
 * @param {string} noun
 */
function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * What stays in the box once a message is stored: whatever was typed after it.
 *
 * @param {string} value
 * @param {string} sent
 */
export function withoutSent(value, sent) {
  return value.startsWith(sent) ? value.slice(sent.length).trimStart() : value;
}

/**
 * What finds words in a text: whole ones, or signs of a script without spaces between words.
 *
 * @param {string[]} words
 */
export function hitPattern(words) {
  return new RegExp(words.map(wordPattern).join("|"), "giu");
}

/** @param {string} word */
function wordPattern(word) {
  const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isUnspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
  return isUnspaced ? plain : `(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`;
}
