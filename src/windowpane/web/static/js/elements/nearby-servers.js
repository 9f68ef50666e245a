import { change, explain, fragment, signal } from "../page.js";

/** Model servers that run on this machine, each to be added with one click. */
export class NearbyServers extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (!button) return;
      if ("look" in button.dataset) void this.look();
      else if ("add" in button.dataset) void this.#add(button);
    });
    void this.look();
  }

  async look() {
    this.ariaBusy = "true";
    const content = await fragment(this.dataset.source ?? "").catch(explain);
    if (content) this.replaceChildren(content);
    this.ariaBusy = null;
  }

  /** @param {HTMLButtonElement} button */
  async #add(button) {
    const { name, family, baseUrl } = button.dataset;
    button.disabled = true;
    const added = await change("POST", "providers", { name, family, base_url: baseUrl, is_local: true }).catch(explain);
    // Its list is asked for at once: it answered a moment ago.
    if (added) await change("POST", `providers/${encodeURIComponent(name ?? "")}/refresh`).catch(explain);
    button.disabled = false;
    signal("providers:changed", {});
    await this.look();
  }
}
