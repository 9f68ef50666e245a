import assert from "node:assert/strict";
import { test } from "node:test";

import { BadOptions, changedNames, choiceFrom, only, toolsFrom } from "../../src/windowpane/web/static/js/logic/choices.js";

const NOTHING = { tools: {}, tool_approvals: {} };

test("an empty box chooses nothing", () => {
  for (const kind of /** @type {const} */ (["text", "number", "amount", "switch", "model", "lines"])) {
    assert.equal(choiceFrom(kind, ""), null);
    assert.equal(choiceFrom(kind, "  \n"), null);
  }
});

test("numbers are read as people write them", () => {
  assert.equal(choiceFrom("number", " 0.25 "), 0.25);
  assert.equal(choiceFrom("number", "64,000"), 64000);
  assert.equal(choiceFrom("number", "1 000 000"), 1000000);
  assert.equal(choiceFrom("number", "-1"), -1);
});

test("what is no number goes as it was typed, so that the server can say what is wrong", () => {
  assert.equal(choiceFrom("number", "Model"), "model");
  assert.equal(choiceFrom("number", "all"), "all");
  assert.equal(choiceFrom("number", "0,5"), "0,5");
  assert.equal(choiceFrom("number", "warm"), "warm");
});

test("texts stay as they are, amounts lose their sign", () => {
  assert.equal(choiceFrom("text", " Be brief.\n"), " Be brief.\n");
  assert.equal(choiceFrom("amount", "$ 2.50"), "2.50");
  assert.equal(choiceFrom("switch", "false"), false);
  assert.deepEqual(choiceFrom("lines", "timestamp,cost"), ["timestamp", "cost"]);
});

test("only what differs is changed, and what went away is changed to nothing", () => {
  const before = { temperature: 0.5, prefill: null, tools: { memory: {} } };
  const after = { temperature: null, prefill: null, tools: { memory: {} }, model: "a/b" };
  assert.deepEqual(changedNames(before, after), ["temperature", "model"]);
  assert.deepEqual(only(after, ["temperature"]), { temperature: null });
});

test("tools are chosen with their options, and approvals apart", () => {
  const rows = [
    { name: "memory", approval: "", options: '{"system_prompt": true}' },
    { name: " javascript ", approval: "ask", options: "" },
    { name: "", approval: "never", options: "nonsense" },
  ];
  assert.deepEqual(toolsFrom(rows, NOTHING), { tools: { memory: { system_prompt: true }, javascript: {} }, tool_approvals: { javascript: "ask" } });
  assert.deepEqual(toolsFrom([], NOTHING), { tools: null, tool_approvals: null });
});

test("tools that apply anyway are no choice, and none of them is one", () => {
  const otherwise = { tools: { recall: {}, memory: {} }, tool_approvals: {} };
  const recall = { name: "recall", approval: "", options: "" };
  const memory = { name: "memory", approval: "", options: "{}" };
  assert.equal(toolsFrom([memory, recall], otherwise).tools, null);
  assert.deepEqual(toolsFrom([recall], otherwise).tools, { recall: {} });
  assert.deepEqual(toolsFrom([], otherwise).tools, {});
});

test("options that are none are said to be none", () => {
  for (const options of ["[]", "3", "{", '{"size": 3}', "null"]) {
    assert.throws(() => toolsFrom([{ name: "memory", approval: "", options }], NOTHING), BadOptions);
  }
});
