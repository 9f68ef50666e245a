const FIRST_MS = 300;
const MOST_MS = 10_000;

/** @typedef {{ id: string, data: string }} SentEvent */

/** Cuts a growing text of server-sent events into events; comments and unknown fields drop out. */
export class EventCutter {
  #rest = "";

  /**
   * @param {string} text what arrived, cut anywhere
   * @returns {SentEvent[]} the events that are now whole
   */
  push(text) {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map(read).filter((event) => event.data !== "");
  }
}

/**
 * @param {string} block
 * @returns {SentEvent}
 */
function read(block) {
  const event = { id: "", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event;
}

/**
 * How long to wait before the next try. The random part keeps many tabs from coming back at once.
 *
 * @param {number} failures tries that failed in a row, at least 1
 * @param {number} random between 0 and 1
 */
export function pauseMs(failures, random) {
  const whole = Math.min(FIRST_MS * 2 ** (failures - 1), MOST_MS);
  return Math.round(whole * (0.75 + random / 4));
}
