/**
 * What a person sets for models by hand, from the boxes of its form.
 *
 * @typedef {{ name: string, label: string, text: string, tiers: string }} Box `name` is group.field
 * @typedef {{ models: string, limits: Record<string, number>, prices: Record<string, object | string>, uses_long_context: boolean }} Override
 */

const FACTORS = /** @type {Record<string, number>} */ ({ "": 1, k: 1000, m: 1_000_000 });

/** A box whose text is not a number; `name` says which. */
export class NotANumber extends Error {
  /**
   * @param {string} name
   * @param {string} message
   */
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/**
 * @param {string} models
 * @param {Box[]} boxes those that are empty leave what is known
 * @param {boolean} isLong
 * @returns {Override}
 */
export function overrideFrom(models, boxes, isLong) {
  /** @type {Override} */
  const override = { models: models.trim(), limits: {}, prices: {}, uses_long_context: isLong };
  for (const box of boxes.filter((one) => one.text.trim())) {
    const [group = "", field = ""] = box.name.split(".");
    if (group === "limits") override.limits[field] = count(box);
    else if (group === "fees") override.prices[field] = dollars(box);
    else override.prices[field] = { usd_per_million: dollars(box), ...(box.tiers && { tiers: JSON.parse(box.tiers) }) };
  }
  return override;
}

/** @param {Override} override */
export function saysNothing({ limits, prices, uses_long_context }) {
  return !uses_long_context && Object.keys(limits).length + Object.keys(prices).length === 0;
}

/**
 * How many of the names a name or a pattern with one `*` means.
 *
 * @param {string} models
 * @param {string[]} names
 */
export function reach(models, names) {
  const pattern = models.trim();
  const [before = "", after] = pattern.split("*", 2);
  if (after === undefined) return names.filter((name) => name === pattern).length;
  const least = before.length + after.length;
  return names.filter((name) => least > 0 && name.length >= least && name.startsWith(before) && name.endsWith(after)).length;
}

/**
 * `200,000`, `200k` and `1M` are numbers of tokens too.
 *
 * @param {Box} box
 */
function count({ name, label, text }) {
  const found = /^(\d+(?:\.\d+)?)([km]?)$/.exec(text.replaceAll(/[\s,_’']/g, "").toLowerCase());
  const value = found ? Number(found[1]) * (FACTORS[found[2] ?? ""] ?? 1) : NaN;
  if (!Number.isSafeInteger(value) || value < 1) throw new NotANumber(name, `${label}: write a whole number, such as 200000 or 200k.`);
  return value;
}

/**
 * As text, so that no digit is lost on the way.
 *
 * @param {Box} box
 */
function dollars({ name, label, text }) {
  const value = text.replaceAll(/[\s$]/g, "");
  if (!/^\d+(\.\d+)?$/.test(value)) throw new NotANumber(name, `${label}: write a number of dollars, such as 0.25.`);
  return value;
}
