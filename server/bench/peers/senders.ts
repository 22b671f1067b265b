import { HttpCaller, postOf } from "./http-caller.ts";
import { roundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

/** The server to send with. */
export interface SendTarget {
  readonly url: string;
  readonly pid: number;
  /** Used in rotation. */
  readonly keys: readonly string[];
}

export interface SendersOptions {
  readonly connections: number;
  /** Of synchronous or asynchronous sends. */
  readonly path: string;
}

/** Connections over which the sample is sent, each of which waits for its answer. */
export class Senders {
  readonly #callers: readonly HttpCaller[];
  readonly #nextRequest: () => Buffer;

  private constructor(callers: readonly HttpCaller[], requests: readonly Buffer[]) {
    this.#callers = callers;
    this.#nextRequest = roundRobin(requests);
  }

  static async connect(
    { url, keys }: Pick<SendTarget, "url" | "keys">,
    { connections, path }: SendersOptions,
  ): Promise<Senders> {
    const places = Array.from({ length: connections });
    const callers = await Promise.all(places.map(() => HttpCaller.connect(url)));
    return new Senders(
      callers,
      keys.map((key) => sendOf(url, { path, key })),
    );
  }

  /** Sends over one of the connections; throws if the answer is not a success. */
  async send(place: number): Promise<void> {
    const caller = this.#callers[place];
    if (caller === undefined) throw new RangeError(`There is no connection ${place}.`);
    await sendOver(caller, this.#nextRequest());
  }

  close(): void {
    for (const caller of this.#callers) caller.close();
  }
}

/** Returns the request that sends the sample. */
export function sendOf(
  url: string,
  { path, key }: { readonly path: string; readonly key: string },
): Buffer {
  return postOf(url, { path, headers: { "x-api-key": key }, body: SAMPLE });
}

/** Sends; throws if the answer is not a success. */
export async function sendOver(caller: HttpCaller, request: Buffer): Promise<void> {
  const { status, body } = await caller.ask(request);
  if (status !== 200 || !body.includes('"success":true')) throw new Error(`${status} ${body}`);
}
