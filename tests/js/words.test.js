import assert from "node:assert/strict";
import { test } from "node:test";
import { hitPattern, lossText, timeText, withoutSent } from "../../src/windowpane/web/static/js/logic/words.js";

const NOW = new Date(2026, 10, 18, 15, 0);

test("a time of today is an hour, an older one names its day, a much older one its year", () => {
  assert.equal(timeText(new Date(2026, 10, 18, 9, 41), NOW, "en-GB"), "09:41");
  assert.equal(timeText(new Date(2026, 4, 12, 9, 14), NOW, "en-GB"), "12 May, 09:14");
  assert.match(timeText(new Date(2025, 4, 12, 9, 14), NOW, "en-GB"), /2025/);
});

test("the deletion of a project says what goes with it", () => {
  assert.equal(lossText(3, 1200), "3 chats with 1,200 turns will be deleted. For a minute this can be undone.");
  assert.equal(lossText(1, 1), "1 chat with 1 turn will be deleted. For a minute this can be undone.");
  assert.equal(lossText(0, 0), "It holds no chats.");
});

test("a stored message leaves the box empty", () => {
  assert.equal(withoutSent("hello", "hello"), "");
});

test("what was typed while the message was on its way stays", () => {
  assert.equal(withoutSent("hello\nand then", "hello"), "and then");
});

test("a text that replaced the message meanwhile stays whole", () => {
  assert.equal(withoutSent("something else", "hello"), "something else");
});

test("words are found whole and in any case, signs without spaces anywhere", () => {
  assert.deepEqual("A key, a Keyhole, keys, KEY".match(hitPattern(["key"])), ["key", "KEY"]);
  assert.deepEqual("漢字仮名".match(hitPattern(["字仮"])), ["字仮"]);
  assert.deepEqual("naïve or naive".match(hitPattern(["naïve"])), ["naïve"]);
});

test("signs that mean something to a pattern mean themselves", () => {
  assert.equal("a.b axb".match(hitPattern(["a.b"]))?.length, 1);
  assert.ok(hitPattern(["(", "[", "\\"]) instanceof RegExp);
});
