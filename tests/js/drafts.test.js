import assert from "node:assert/strict";
import { test } from "node:test";
import { draftKey, withoutSent } from "../../src/windowpane/web/static/js/logic/drafts.js";

test("a stored message leaves the box empty", () => {
  assert.equal(withoutSent("hello", "hello"), "");
});

test("what was typed while the message was on its way stays", () => {
  assert.equal(withoutSent("hello\nand then", "hello"), "and then");
});

test("a text that replaced the message meanwhile stays whole", () => {
  assert.equal(withoutSent("something else", "hello"), "something else");
});

test("every chat has a draft of its own", () => {
  assert.notEqual(draftKey("cht_a"), draftKey("cht_b"));
});
