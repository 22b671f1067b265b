import { once } from "node:events";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";

/** The values that a person enters in the Gotify app. */
export interface GotifyPhoneSettings {
  readonly url: string;
  readonly userName: string;
  readonly password: string;
}

/** A message of Gotify's API. The app fails if one of these is missing. */
interface GotifyMessage {
  readonly id: number;
  readonly appid: number;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly date: string;
}

/**
 * The Gotify app on an Android phone: it makes the requests of gotify/android 2.9 in the same order (LoginActivity,
 * InitializationActivity, WebSocketService).
 */
export class GotifyPhone {
  readonly #settings: GotifyPhoneSettings;
  readonly #test: TestContext;
  readonly #shown = new Map<number, GotifyMessage>();
  #token = "";
  /** The titles that `waitForNext` has not returned. */
  readonly #titles: string[] = [];
  #waiting: (() => void) | null = null;

  constructor(test: TestContext, settings: GotifyPhoneSettings) {
    this.#test = test;
    this.#settings = settings;
  }

  /** Returns the version that the app shows after "Check URL". */
  async checkUrl(): Promise<string> {
    const { version } = await this.#getJson<{ readonly version: string }>("/version", {});
    return version;
  }

  /** Signs in with the settings, and creates a client with the name of the phone. */
  async signIn(name: string): Promise<void> {
    const { url, userName, password } = this.#settings;
    const credential = Buffer.from(`${userName}:${password}`).toString("base64");
    const headers = { authorization: `Basic ${credential}` };
    await this.#getJson("/current/user", headers);
    const response = await fetch(`${url}/client`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    if (!response.ok)
      throw new Error(`Gotify shows "Creating a client failed" (${response.status}).`);
    // The format of the API.
    this.#token = ((await response.json()) as { readonly token: string }).token;
  }

  /** Loads what the app shows at first, and opens the connection for new messages. */
  async connect(): Promise<void> {
    const headers = { "x-gotify-key": this.#token };
    await this.#getJson("/current/user", headers);
    await this.#getJson("/message?limit=1&since=0", headers);
    await this.#getJson("/application", headers);
    const url = `${this.#settings.url}/stream?token=${this.#token}`.replace(/^http/, "ws");
    const socket = new WebSocket(url, { perMessageDeflate: false });
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

  async #getJson<Body>(path: string, headers: Readonly<Record<string, string>>): Promise<Body> {
    const response = await fetch(this.#settings.url + path, { headers });
    if (!response.ok) throw new Error(`${path} is ${response.status}.`);
    // The format of the API.
    return (await response.json()) as Body;
  }

  #receive(text: string): void {
    // The format of the API.
    const message = JSON.parse(text) as GotifyMessage;
    for (const field of ["id", "appid", "priority"] as const) {
      if (typeof message[field] !== "number")
        throw new TypeError(`The app fails: ${field} is missing.`);
    }
    if (this.#shown.has(message.id)) return;
    this.#shown.set(message.id, message);
    this.#titles.push(message.title);
    this.#waiting?.();
  }
}
