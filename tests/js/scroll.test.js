import assert from "node:assert/strict";
import { test } from "node:test";
import { follows, isAtEnd } from "../../src/windowpane/web/static/js/logic/scroll.js";

const END = { top: 400, view: 600, total: 1000 };
const GROWN = { top: 400, view: 600, total: 1400 };
const SCROLLED_UP = { top: 250, view: 600, total: 1000 };

test("a reader at the end is at the end, give or take a line", () => {
  assert.ok(isAtEnd(END));
  assert.ok(isAtEnd({ ...END, top: 380 }));
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
  assert.ok(follows(false, 250, END));
});

test("scrolling down a little does not make the page follow", () => {
  assert.ok(!follows(false, 100, SCROLLED_UP));
});
