import { once } from "node:events";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";

/** The values that a person enters in the ntfy app. */
export interface NtfyPhoneSettings {
  readonly url: string;
  readonly topic: string;
  readonly userName: string;
  readonly password: string;
}

/** An event of ntfy's subscribe API. */
interface ReceivedEvent {
  readonly event: string;
  readonly id: string;
  readonly title?: string;
  readonly message?: string;
}

/**
 * The ntfy app on an Android phone: it makes the requests of ntfy-android 1.25 in the same order. The app asks the
 * server without a credential whether it may read the topic, lets the person sign in, asks again, fetches the messages
 * that it missed, and then keeps a connection: JSON at first, and a WebSocket once the person has accepted the app's
 * banner.
 */
export class NtfyPhone {
  readonly #settings: NtfyPhoneSettings;
  readonly #test: TestContext;
  /** The notifications that the app shows, by id. */
  readonly #shown = new Map<string, ReceivedEvent>();
  /** The titles that `waitForNext` has not returned. */
  readonly #titles: string[] = [];
  #waiting: (() => void) | null = null;

  constructor(test: TestContext, settings: NtfyPhoneSettings) {
    this.#test = test;
    this.#settings = settings;
  }

  /** Returns the status of the request that decides whether the app asks the person to sign in. */
  async askWithoutCredential(): Promise<number> {
    return (await fetch(`${this.#topicUrl}/auth`)).status;
  }

  /** Signs in, and fetches the messages so far. Throws if the server refuses. */
  async subscribe(): Promise<void> {
    const auth = await fetch(`${this.#topicUrl}/auth`, { headers: this.#headers });
    if (!auth.ok) throw new Error(`ntfy shows "Login failed" (${auth.status}).`);
    await this.#poll();
  }

  /** Opens a connection by JSON, with which the app begins, and returns a function that ends the connection. */
  async connectByJson(): Promise<() => void> {
    const controller = new AbortController();
    this.#test.after(() => controller.abort());
    const { signal } = controller;
    const url = `${this.#topicUrl}/json?since=${this.#lastId}`;
    const response = await fetch(url, { headers: this.#headers, signal });
    if (!response.ok || response.body === null)
      throw new Error(`The stream is ${response.status}.`);
    void this.#readLines(response.body);
    return () => controller.abort();
  }

  /** Opens a connection by WebSocket, as the app does once the person has accepted the banner. */
  async connectByWebSocket(): Promise<void> {
    const url = `${this.#topicUrl}/ws?since=${this.#lastId}`.replace(/^http/, "ws");
    const socket = new WebSocket(url, { headers: this.#headers, perMessageDeflate: false });
    this.#test.after(() => socket.terminate());
    socket.on("message", (data: Buffer) => this.#receive(data.toString()));
    await once(socket, "open");
  }

  /** Resolves with the title of the next notification, each once. */
  async waitForNext(): Promise<string> {
    while (this.#titles.length === 0)
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    return this.#titles.shift() ?? "";
  }

  get #topicUrl(): string {
    return `${this.#settings.url}/${this.#settings.topic}`;
  }

  get #headers(): Readonly<Record<string, string>> {
    const { userName, password } = this.#settings;
    const credential = Buffer.from(`${userName}:${password}`).toString("base64");
    return {
      authorization: `Basic ${credential}`,
      "user-agent": "ntfy/1.25.1 (fdroid; Android 15)",
    };
  }

  get #lastId(): string {
    return [...this.#shown.keys()].at(-1) ?? "all";
  }

  async #poll(): Promise<void> {
    const url = `${this.#topicUrl}/json?poll=1&since=all`;
    const response = await fetch(url, { headers: this.#headers });
    for (const line of (await response.text()).split("\n")) this.#receive(line);
  }

  async #readLines(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#receive(line);
      }
    } catch {
      // The connection ended with the test.
    }
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    // The format of the API.
    const event = JSON.parse(text) as ReceivedEvent;
    if (event.event !== "message" || this.#shown.has(event.id)) return;
    this.#shown.set(event.id, event);
    this.#titles.push(event.title ?? "");
    this.#waiting?.();
  }
}
