import { ask, change, find } from "../page.js";

/** @typedef {{ title: string, label: string, verb: string, options: Node[], value: string, takesNew: boolean }} Question */

/**
 * One of several, in a dialog. Undefined if the reader thinks better of it.
 *
 * @param {Question} question
 * @returns {Promise<{ value: string, fresh: string } | undefined>}
 */
function chosen({ title, label, verb, options, value, takesNew }) {
  const dialog = find(document, "#choose", HTMLDialogElement);
  const list = find(dialog, "select", HTMLSelectElement);
  const fresh = find(dialog, "#choose-new", HTMLInputElement);
  find(dialog, "h2", HTMLElement).textContent = title;
  find(dialog, "[data-label]", HTMLElement).textContent = label;
  find(dialog, "[data-verb]", HTMLElement).textContent = verb;
  find(dialog, "[data-new]", HTMLElement).hidden = !takesNew;
  find(dialog, "[data-cancel]", HTMLElement).onclick = () => dialog.close();
  list.replaceChildren(...options);
  list.value = value;
  fresh.value = "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      const isChosen = dialog.returnValue === "chosen";
      resolve(isChosen ? { value: list.value, fresh: fresh.value.trim() } : undefined);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}

/** One of the models that the message box offers. */
export async function chooseModel() {
  const offered = find(document, "chat-composer select", HTMLSelectElement);
  const answer = await chosen({
    title: "Ask another model",
    label: "Model",
    verb: "Ask",
    options: [...offered.children].map((one) => one.cloneNode(true)),
    value: offered.value,
    takesNew: false,
  });
  return answer?.value;
}

/**
 * A topic's id, null for none, undefined if nothing was chosen.
 *
 * @param {string} projectId
 * @param {HTMLElement} turn
 * @returns {Promise<string | null | undefined>}
 */
export async function chooseTopic(projectId, turn) {
  /** @type {Record<string, string>} */
  const topics = JSON.parse(find(document, ".turns", HTMLElement).dataset.topics ?? "{}");
  const named = Object.entries(topics).sort(([, one], [, other]) => one.localeCompare(other));
  const now = turn.querySelector(".turn-topic");
  const answer = await chosen({
    title: "Topic of this turn",
    label: "Topic",
    verb: "Set",
    options: [new Option("No topic", ""), ...named.map(([id, path]) => new Option(path, id))],
    value: now instanceof HTMLElement ? (now.dataset.topicId ?? "") : "",
    takesNew: true,
  });
  if (!answer) return undefined;
  if (!answer.fresh) return answer.value || null;
  const response = await change("POST", `projects/${projectId}/topics`, { name: answer.fresh });
  return (await response.json()).id;
}

/**
 * @param {string} projectId where the chat is now
 * @returns {Promise<string | undefined>}
 */
export async function chooseProject(projectId) {
  const response = await ask("api/projects", { headers: { accept: "application/json" } });
  /** @type {{ projects: { id: string, name: string }[] }} */
  const { projects } = await response.json();
  const others = projects.filter((project) => project.id !== projectId);
  const answer = await chosen({
    title: "Move the chat",
    label: "Project",
    verb: "Move",
    options: others.map((project) => new Option(project.name, project.id)),
    value: others[0]?.id ?? "",
    takesNew: false,
  });
  return answer?.value || undefined;
}
