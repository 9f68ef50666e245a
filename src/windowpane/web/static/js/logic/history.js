/** Turns fetched at once, and turns that the page holds at most. */
export const PAGE_TURNS = 40;
export const MOST_TURNS = 300;
/** As near to the end as this is at the end. */
const SLACK_PX = 24;

/**
 * @typedef {{ first: number, last: number, hasOlder: boolean, hasNewer: boolean }} TurnWindow
 * The turns on the page, by depth, and whether there are more on either side.
 */

/**
 * How many turns must leave at the far side after a page was added.
 *
 * @param {number} count
 */
export function surplus(count) {
  return Math.max(0, count - MOST_TURNS);
}

/**
 * The query for the page that joins the window on one side.
 *
 * @param {TurnWindow} window
 * @param {"older" | "newer"} side
 */
export function queryFor(window, side) {
  const before = side === "older" ? window.first : window.last + 1 + PAGE_TURNS;
  return `before=${before}&limit=${PAGE_TURNS}`;
}

/**
 * How far the window reaches after a newer page joined it. Turns may be missing in between: where
 * all that was asked for was deleted, the next page begins behind it.
 *
 * @param {TurnWindow} window
 * @param {TurnWindow} added
 */
export function lastOf(window, added) {
  return added.hasNewer ? window.last + PAGE_TURNS : Math.max(window.last, added.last);
}

/**
 * The query that brings the same window again, after the server has started anew.
 *
 * @param {TurnWindow} window
 * @param {number} count
 */
export function queryAgain(window, count) {
  const limit = Math.min(Math.max(count, PAGE_TURNS), MOST_TURNS);
  return window.hasNewer ? `before=${window.last + 1}&limit=${limit}` : `limit=${limit}`;
}

/** @typedef {{ top: number, view: number, total: number }} Place of a scroll box, in pixels */

/** @param {Place} place */
export function isAtEnd(place) {
  return place.total - place.view - place.top <= SLACK_PX;
}

/**
 * Whether the box follows its end. Only the reader's own scrolling up ends that: a box that grew
 * under a reader at the end is still followed.
 *
 * @param {boolean} isFollowing
 * @param {number} lastTop
 * @param {Place} place
 */
export function follows(isFollowing, lastTop, place) {
  if (isAtEnd(place)) return true;
  return isFollowing && place.top >= lastTop - 1;
}
