import { Refusal, change, explain, signal } from "./page.js";

/** @typedef {"accept" | "reject"} Decision */

/**
 * Decide on the call that a button stands below.
 *
 * @param {HTMLElement} button
 * @param {Decision} decision
 */
export function decide(button, decision) {
  const call = button.closest("[data-asking]");
  const turn = button.closest(".turn");
  if (call instanceof HTMLElement && turn) void send(turn, [call], decision);
}

/**
 * Decide on every call that waits.
 *
 * @param {Decision} decision
 */
export function decideAll(decision) {
  const turn = document.querySelector('.turn[data-state="waiting"]');
  const calls = /** @type {NodeListOf<HTMLElement> | undefined} */ (turn?.querySelectorAll("[data-asking]"));
  if (turn && calls?.length) void send(turn, [...calls], decision);
}

/**
 * The page changes when the server says so: another tab may have decided meanwhile.
 *
 * @param {Element} turn
 * @param {HTMLElement[]} calls
 * @param {Decision} decision
 */
async function send(turn, calls, decision) {
  const buttons = calls.flatMap((call) => [...call.querySelectorAll("button[data-action]")]);
  for (const button of buttons) button.toggleAttribute("disabled", true);
  const decisions = Object.fromEntries(calls.map((call) => [call.dataset.call, decision]));
  try {
    await change("POST", `turns/${turn.id}/approve`, { decisions });
  } catch (error) {
    for (const button of buttons) button.toggleAttribute("disabled", false);
    explain(error);
    if (error instanceof Refusal) signal("chat:refused", { code: error.code });
  }
}
