import { setTimeout as wait } from "node:timers/promises";

/** The address of Node's inspector after SIGUSR1. */
const INSPECTOR_URL = "http://127.0.0.1:9229/json/list";
const OPEN_ATTEMPTS_MAX = 100;
const OPEN_RETRY_MS = 50;

/** A connection to the inspector of another Node process (Chrome DevTools Protocol). */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (message: InspectorMessage) => void>();
  #lastId = 0;
  /** Called with every event. */
  onEvent: (event: InspectorMessage) => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as InspectorMessage; // Node's inspector sends nothing else.
      const resolve = this.#pending.get(message.id ?? 0);
      if (resolve === undefined) this.onEvent(message);
      else resolve(message);
    });
  }

  /** Opens the inspector of a process, and connects to it. No other process may have an open inspector. */
  static async open(pid: number): Promise<Inspector> {
    process.kill(pid, "SIGUSR1");
    const socket = new WebSocket(await findDebuggerUrl());
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return new Inspector(socket);
  }

  /** Calls a method and resolves with its result; rejects if the inspector reports an error. */
  async call(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<InspectorMessage>();
    this.#pending.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { error, result } = await promise;
    this.#pending.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  close(): void {
    this.#socket.close();
  }
}

/** A response or an event. */
export interface InspectorMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

async function findDebuggerUrl(): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(INSPECTOR_URL);
      const [target] = (await response.json()) as readonly { webSocketDebuggerUrl: string }[]; // Node lists one target.
      if (target !== undefined) return target.webSocketDebuggerUrl;
    } catch (error) {
      if (attempt >= OPEN_ATTEMPTS_MAX) throw error;
    }
    await wait(OPEN_RETRY_MS);
  }
}
