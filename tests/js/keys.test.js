import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf } from "../../src/windowpane/web/static/js/logic/keys.js";

const PLAIN = { isFailed: false, isLast: false, star: 3 };

test("digits give stars, the space bar takes them, a star goes one further and round", () => {
  assert.deepEqual(actOf("2", PLAIN), { name: "star", star: 2 });
  assert.deepEqual(actOf(" ", PLAIN), { name: "star", star: 0 });
  assert.deepEqual(actOf("*", PLAIN), { name: "star", star: 0 });
  assert.deepEqual(actOf("*", { ...PLAIN, star: 1 }), { name: "star", star: 2 });
});

test("e asks a failed turn again, and another model for the newest one", () => {
  assert.equal(actOf("e", { ...PLAIN, isFailed: true })?.name, "again");
  assert.equal(actOf("e", { ...PLAIN, isLast: true })?.name, "ask-other");
  assert.equal(actOf("e", PLAIN), undefined);
});

test("w deletes a failed turn and no other", () => {
  assert.equal(actOf("w", { ...PLAIN, isFailed: true })?.name, "delete");
  assert.equal(actOf("w", PLAIN), undefined);
});

test("other keys are not touched", () => {
  for (const key of ["j", "Enter", "Tab", "Escape", "4", "ArrowDown"]) assert.equal(actOf(key, PLAIN), undefined);
});
