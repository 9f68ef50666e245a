/** @typedef {{ top: number, view: number, total: number }} Place of a scroll box, in pixels */

const SLACK_PX = 24;

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
