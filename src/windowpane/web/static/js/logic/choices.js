/**
 * Settings as boxes of a form hold them, and as the server takes them. Null takes a choice away.
 *
 * @typedef {"text" | "number" | "amount" | "switch" | "model" | "lines"} Kind
 * @typedef {Record<string, unknown>} Choices
 */

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * What is no number goes as it was typed: "model" and "all" mean something, and of the rest the
 * server says what is wrong.
 *
 * @param {Kind} kind
 * @param {string} text
 * @returns {unknown}
 */
export function choiceFrom(kind, text) {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  switch (kind) {
    case "number": {
      const plain = trimmed.replace(/(?<=\d)[,_ ](?=\d{3})/g, "");
      return NUMBER.test(plain) ? Number(plain) : trimmed.toLowerCase();
    }
    case "amount":
      return trimmed.replace(/^\$\s*/, "");
    case "switch":
      return trimmed === "true";
    case "lines":
      return trimmed.split(",");
    default:
      return text;
  }
}

/**
 * The names that two sets of choices do not agree on.
 *
 * @param {Choices} before
 * @param {Choices} after
 */
export function changedNames(before, after) {
  return Object.keys(after).filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name]));
}

/**
 * @param {Choices} choices
 * @param {string[]} names
 * @returns {Choices}
 */
export function only(choices, names) {
  return Object.fromEntries(names.map((name) => [name, choices[name]]));
}

/**
 * The tools of a form, in the two shapes in which they are chosen. What applies anyway is no choice.
 *
 * @typedef {{ name: string, approval: string, options: string }} ToolRow
 * @param {ToolRow[]} rows those without a name count for nothing
 * @param {{ tools: object, tool_approvals: object }} otherwise what applies if nothing is chosen
 */
export function toolsFrom(rows, otherwise) {
  const named = rows.filter((row) => row.name.trim() !== "");
  const tools = Object.fromEntries(named.map((row) => [row.name.trim(), optionsFrom(row)]));
  const approvals = Object.fromEntries(named.filter((row) => row.approval).map((row) => [row.name.trim(), row.approval]));
  return { tools: unless(otherwise.tools, tools), tool_approvals: unless(otherwise.tool_approvals, approvals) };
}

/** Options of a tool that are not what they should be; its sentence says so. */
export class BadOptions extends Error {}

/** @param {ToolRow} row */
function optionsFrom({ name, options }) {
  if (options.trim() === "") return {};
  const refusal = new BadOptions(`The options of ${name.trim()} are no JSON object with texts and true or false in it.`);
  try {
    const read = JSON.parse(options);
    if (typeof read !== "object" || read === null || Array.isArray(read)) throw refusal;
    if (!Object.values(read).every((value) => typeof value === "string" || typeof value === "boolean")) throw refusal;
    return read;
  } catch {
    throw refusal;
  }
}

/**
 * @param {object} otherwise
 * @param {object} value
 */
function unless(otherwise, value) {
  return sorted(otherwise) === sorted(value) ? null : value;
}

/** @param {object} value */
function sorted(value) {
  return JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
