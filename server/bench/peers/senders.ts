import { HttpCaller, encodePost } from "./http-caller.ts";
import { createRoundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

/** The server to send with. */
export interface SendTarget {
  readonly url: string;
  readonly pid: number;
  /** Used in rotation. */
  readonly keys: readonly string[];
}

/** The number of connections, and what they request. */
export interface SendersOptions {
  readonly connections: number;
  /** The path of synchronous or asynchronous sends. */
  readonly path: string;
}

/** Connections that send the sample, each waiting for its response. */
export class Senders {
  readonly #callers: readonly HttpCaller[];
  readonly #nextRequest: () => Buffer;

  private constructor(callers: readonly HttpCaller[], requests: readonly Buffer[]) {
    this.#callers = callers;
    this.#nextRequest = createRoundRobin(requests);
  }

  static async connect(
    { url, keys }: Pick<SendTarget, "url" | "keys">,
    { connections, path }: SendersOptions,
  ): Promise<Senders> {
    const connectionSlots = Array.from({ length: connections });
    const callers = await Promise.all(connectionSlots.map(() => HttpCaller.connect(url)));
    return new Senders(
      callers,
      keys.map((key) => encodeSend(url, { path, key })),
    );
  }

  /** Sends over one of the connections. Throws if the response is not a success. */
  async send(index: number): Promise<void> {
    const caller = this.#callers[index];
    if (caller === undefined) throw new RangeError(`There is no connection ${index}.`);
    await sendRequest(caller, this.#nextRequest());
  }

  close(): void {
    for (const caller of this.#callers) caller.close();
  }
}

/** Encodes the request that sends the sample. */
export function encodeSend(
  url: string,
  { path, key }: { readonly path: string; readonly key: string },
): Buffer {
  return encodePost(url, { path, headers: { "x-api-key": key }, body: SAMPLE });
}

/** Sends a request. Throws if the response is not a success. */
export async function sendRequest(caller: HttpCaller, request: Buffer): Promise<void> {
  const { status, body } = await caller.request(request);
  if (status !== 200 || !body.includes('"success":true')) throw new Error(`${status} ${body}`);
}
