import { EventCutter, pauseMs } from "./logic/stream.js";
import { Refusal, ask } from "./page.js";

/**
 * What the server sends, as `web/frames.py` defines it.
 *
 * @typedef {{ type: "turn", turn: string, depth: number, html: string }} TurnFrame
 * @typedef {{ type: "piece", turn: string, index: number, html: string }} PieceFrame
 * @typedef {{ type: "patch", turn: string, index: number, keep: number, html?: string, open_text?: string, inside?: number, is_last?: boolean }} PatchFrame
 * @typedef {{ type: "state", turn: string, state: string, standing: string, head: string, foot: string }} StateFrame
 * @typedef {{ type: "reload" }} ReloadFrame
 * @typedef {TurnFrame | PieceFrame | PatchFrame | StateFrame | ReloadFrame} Frame
 *
 * @typedef {object} StreamReader
 * @property {(frame: Frame) => void} take
 * @property {() => Promise<string>} reload draws the chat anew and tells its position
 * @property {(sentence: string) => void} tell "" when all is well
 */

/** The pause is told only from here on: a short one is nobody's business. */
const SILENT_FAILURES = 2;
/** So that a server which knows no position it gave is not asked without end. */
const RELOAD_MS = 100;
/** The server says something at least every 15 seconds: a longer silence is a dead line. */
const SILENCE_MS = 45_000;

/** Follows a chat for as long as its tab is looked at, and comes back by itself. */
export class ChatStream {
  #path;
  #position;
  #reader;
  #failures = 0;
  #wake = () => {};
  #connection = new AbortController();

  /**
   * @param {string} path
   * @param {string} position
   * @param {StreamReader} reader
   */
  constructor(path, position, reader) {
    this.#path = path;
    this.#position = position;
    this.#reader = reader;
    for (const name of ["visibilitychange", "online", "pageshow"]) {
      (name === "visibilitychange" ? document : window).addEventListener(name, () => this.nudge());
    }
    void this.#run();
  }

  /** Leave when hidden; come back at once when something says that it is worth a try. */
  nudge() {
    if (document.hidden) this.#connection.abort();
    else this.#wake();
  }

  /**
   * Go on from another place: the page was loaded anew from there.
   *
   * @param {string} position
   */
  followFrom(position) {
    this.#position = position;
    this.#connection.abort();
  }

  async #run() {
    for (;;) {
      if (document.hidden) await this.#pause(Infinity);
      else await this.#attempt();
    }
  }

  async #attempt() {
    try {
      await this.#follow();
      if (!this.#connection.signal.aborted) await this.#failed();
    } catch (error) {
      if (this.#connection.signal.aborted) return;
      if (error instanceof Refusal && error.status >= 400 && error.status < 500) {
        this.#reader.tell(error.message);
        await this.#pause(Infinity);
      } else {
        await this.#failed();
      }
    }
  }

  async #failed() {
    this.#failures += 1;
    if (this.#failures > SILENT_FAILURES) this.#reader.tell("Connection lost. Trying again…");
    await this.#pause(pauseMs(this.#failures, Math.random()));
  }

  async #follow() {
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    const path = `${this.#path}?after=${this.#position}`;
    const headers = { accept: "text/event-stream" };
    const response = await ask(path, { headers, signal });
    this.#failures = 0;
    this.#reader.tell("");
    const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const cutter = new EventCutter();
    for (let piece = await this.#heard(text); piece && !piece.done; piece = await this.#heard(text)) {
      for (const event of cutter.push(piece.value)) {
        // What is left of a connection that was given up belongs to another drawing of the page.
        if (signal.aborted) return;
        await this.#take(event);
      }
    }
  }

  /** @param {ReadableStreamDefaultReader<string> | undefined} text */
  async #heard(text) {
    const connection = this.#connection;
    const timer = setTimeout(() => connection.abort(), SILENCE_MS);
    try {
      return await text?.read();
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {import("./logic/stream.js").SentEvent} event */
  async #take(event) {
    this.#position = event.id;
    /** @type {Frame} */
    const frame = JSON.parse(event.data);
    if (frame.type === "reload") await this.#reload();
    else this.#reader.take(frame);
  }

  async #reload() {
    await this.#pause(RELOAD_MS);
    this.followFrom(await this.#reader.reload());
  }

  /** @param {number} ms */
  #pause(ms) {
    return new Promise((resolve) => {
      const timer = ms === Infinity ? 0 : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }
}
