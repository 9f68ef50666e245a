import assert from "node:assert/strict";
import { test } from "node:test";
import { NotANumber, overrideFrom, reach, saysNothing } from "../../src/windowpane/web/static/js/logic/override.js";

/**
 * @param {string} name
 * @param {string} text
 * @param {string} [tiers]
 */
function box(name, text, tiers = "") {
  return { name, label: "It", text, tiers };
}

test("boxes become limits, prices and fees, and empty ones nothing", () => {
  const boxes = [box("limits.output_tokens", "700"), box("prices.input", "0.10"), box("fees.web_search_usd", "0.01"), box("limits.input_tokens", " ")];
  assert.deepEqual(overrideFrom(" gpt-* ", boxes, false), {
    models: "gpt-*",
    limits: { output_tokens: 700 },
    prices: { input: { usd_per_million: "0.10" }, web_search_usd: "0.01" },
    uses_long_context: false,
  });
});

test("tokens may be written as people write them", () => {
  for (const [text, tokens] of /** @type {const} */ ([["200,000", 200_000], ["200k", 200_000], ["1.5M", 1_500_000], ["8 192", 8192]])) {
    assert.equal(overrideFrom("m", [box("limits.output_tokens", text)], false).limits.output_tokens, tokens);
  }
});

test("what is no number is named", () => {
  for (const [name, text] of /** @type {const} */ ([["limits.a", "lots"], ["limits.a", "0"], ["limits.a", "1.0001k"], ["limits.a", "-5"], ["prices.a", "1,5"], ["prices.a", "-1"], ["fees.a", "1e3"]])) {
    assert.throws(() => overrideFrom("m", [box(name, text)], false), NotANumber);
    assert.throws(() => overrideFrom("m", [box(name, text)], false), /It: write/);
  }
});

test("a price keeps the tiers that came with it", () => {
  const tiers = '[{"above_input_tokens":200000,"usd_per_million":"6"}]';
  const { prices } = overrideFrom("m", [box("prices.input", "3", tiers)], false);
  assert.deepEqual(prices.input, { usd_per_million: "3", tiers: [{ above_input_tokens: 200_000, usd_per_million: "6" }] });
});

test("an override that says nothing is none", () => {
  assert.equal(saysNothing(overrideFrom("m", [box("limits.output_tokens", "")], false)), true);
  assert.equal(saysNothing(overrideFrom("m", [], true)), false);
  assert.equal(saysNothing(overrideFrom("m", [box("prices.input", "0")], false)), false);
});

test("a pattern fits by its beginning and its end", () => {
  const names = ["gpt-4o", "gpt-4o-mini", "o3-mini", "gpt"];
  assert.equal(reach("gpt-*", names), 2);
  assert.equal(reach("*-mini", names), 2);
  assert.equal(reach("gpt-*-mini", names), 1);
  assert.equal(reach("gpt", names), 1);
  assert.equal(reach("*", names), 0);
  assert.equal(reach("", names), 0);
});
