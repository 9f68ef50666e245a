import assert from "node:assert/strict";
import { test } from "node:test";
import { EventCutter, pauseMs } from "../../src/windowpane/web/static/js/logic/stream.js";

const WIRE = 'id: 3:1\ndata: {"a":1}\n\n: still here\n\nid: 3:2\ndata: {"a":"ü"}\n\n';
const EVENTS = [
  { id: "3:1", data: '{"a":1}' },
  { id: "3:2", data: '{"a":"ü"}' },
];

test("events come out whole, wherever the text was cut", () => {
  for (let size = 1; size <= WIRE.length; size += 1) {
    const cutter = new EventCutter();
    const events = [];
    for (let at = 0; at < WIRE.length; at += size) events.push(...cutter.push(WIRE.slice(at, at + size)));
    assert.deepEqual(events, EVENTS, `in pieces of ${size}`);
  }
});

test("an event that has not ended is held back", () => {
  const cutter = new EventCutter();
  assert.deepEqual(cutter.push("id: 1:1\ndata: x\n"), []);
  assert.deepEqual(cutter.push("\n"), [{ id: "1:1", data: "x" }]);
});

test("the pause before the next try grows, but never beyond ten seconds", () => {
  const pauses = Array.from({ length: 20 }, (_, index) => pauseMs(index + 1, 1));
  assert.deepEqual(pauses, pauses.toSorted((one, other) => one - other));
  assert.equal(pauses[0], 300);
  assert.equal(pauses.at(-1), 10_000);
});

test("chance only shortens the pause", () => {
  for (const random of [0, 0.3, 1]) {
    assert.ok(pauseMs(4, random) <= 2400);
    assert.ok(pauseMs(4, random) >= 1800);
  }
});
