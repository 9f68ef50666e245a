import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MOST_TURNS,
  follows,
  isAtEnd,
  lastOf,
  queryAgain,
  queryFor,
  surplus,
} from "../../src/windowpane/web/static/js/logic/history.js";

const MIDDLE = { first: 200, last: 499, hasOlder: true, hasNewer: true };
const END = { first: 960, last: 999, hasOlder: true, hasNewer: false };
const AT_END = { top: 400, view: 600, total: 1000 };
const GROWN = { top: 400, view: 600, total: 1400 };
const SCROLLED_UP = { top: 250, view: 600, total: 1000 };

test("no more turns stay on the page than it may hold", () => {
  assert.equal(surplus(MOST_TURNS), 0);
  assert.equal(surplus(MOST_TURNS + 40), 40);
  assert.equal(surplus(3), 0);
});

test("the page before the window ends where the window begins", () => {
  assert.equal(queryFor(MIDDLE, "older"), "before=200&limit=40");
});

test("the page after the window begins where the window ends", () => {
  assert.equal(queryFor(MIDDLE, "newer"), "before=540&limit=40");
});

test("at the end of a chat the newest turns are asked for again", () => {
  assert.equal(queryAgain(END, 40), "limit=40");
  assert.equal(queryAgain(END, 120), "limit=120");
});

test("in the middle of a chat the same turns are asked for again", () => {
  assert.equal(queryAgain(MIDDLE, 300), "before=500&limit=300");
});

test("an empty page asks for a whole one", () => {
  assert.equal(queryAgain({ first: -1, last: -1, hasOlder: false, hasNewer: false }, 0), "limit=40");
});

test("a reader at the end is at the end, give or take a line", () => {
  assert.ok(isAtEnd(AT_END));
  assert.ok(isAtEnd({ ...AT_END, top: 380 }));
  assert.ok(!isAtEnd(SCROLLED_UP));
});

test("text that grows below a reader at the end is followed", () => {
  assert.ok(follows(true, 400, GROWN));
});

test("a reader who scrolls up is left alone", () => {
  assert.ok(!follows(true, 400, SCROLLED_UP));
  assert.ok(!follows(false, 250, { ...SCROLLED_UP, total: 3000 }));
});

test("a reader who returns to the end is followed again", () => {
  assert.ok(follows(false, 250, AT_END));
});

test("scrolling down a little does not make the page follow", () => {
  assert.ok(!follows(false, 100, SCROLLED_UP));
});

test("a gap wider than a page is passed over, and the end is where the turns end", () => {
  const window = { first: 0, last: 39, hasOlder: false, hasNewer: true };
  const nothing = { first: -1, last: -1, hasOlder: false, hasNewer: true };
  assert.equal(lastOf(window, nothing), 79);
  assert.equal(lastOf(window, { ...nothing, last: 60, hasNewer: false }), 60);
});
