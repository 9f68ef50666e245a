/** @param {string} chatId */
export function draftKey(chatId) {
  return `draft:${chatId}`;
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
