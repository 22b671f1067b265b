import { HttpCaller, encodePost, type PostRequest } from "./http-caller.ts";
import { createRoundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

/** Our server, and the keys that send with it. */
export interface SendTarget {
  readonly url: string;
  readonly pid: number;
  /** Used in rotation. */
  readonly keys: readonly string[];
}

/** The server of another project, and requests to its own API. */
export interface PeerTarget {
  readonly url: string;
  readonly pid: number;
  /** Used in rotation. */
  readonly requests: readonly PostRequest[];
  /** A text that every response to a success contains, and no other response. */
  readonly acceptedText: string;
}

/** The number of connections, and the path of their requests. */
export interface SendersOptions {
  readonly connections: number;
  /** The path of synchronous or asynchronous sends. A `PeerTarget` has its own paths instead. */
  readonly path: string;
}

/** Connections that send the sample, each waiting for its response. */
export class Senders {
  readonly #callers: readonly HttpCaller[];
  readonly #nextRequest: () => Buffer;
  readonly #acceptedText: string | undefined;

  private constructor(
    callers: readonly HttpCaller[],
    { requests, acceptedText }: { requests: readonly Buffer[]; acceptedText: string | undefined },
  ) {
    this.#callers = callers;
    this.#nextRequest = createRoundRobin(requests);
    this.#acceptedText = acceptedText;
  }

  static async connect(
    target: Pick<SendTarget, "url" | "keys"> | PeerTarget,
    { connections, path }: SendersOptions,
  ): Promise<Senders> {
    const { url } = target;
    const connectionSlots = Array.from({ length: connections });
    const callers = await Promise.all(connectionSlots.map(() => HttpCaller.connect(url)));
    const isPeer = "requests" in target;
    return new Senders(callers, {
      requests: isPeer
        ? target.requests.map((request) => encodePost(url, request))
        : target.keys.map((key) => encodeSend(url, { path, key })),
      acceptedText: isPeer ? target.acceptedText : undefined,
    });
  }

  /** Sends over one of the connections. Throws if the response is not a success. */
  async send(index: number): Promise<void> {
    const caller = this.#callers[index];
    if (caller === undefined) throw new RangeError(`There is no connection ${index}.`);
    await sendRequest(caller, this.#nextRequest(), this.#acceptedText);
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

/** Sends a request. Throws unless the status is 200 and the body contains the text, by default that of our server. */
export async function sendRequest(
  caller: HttpCaller,
  request: Buffer,
  acceptedText = '"success":true',
): Promise<void> {
  const { status, body } = await caller.request(request);
  if (status !== 200 || !body.includes(acceptedText)) throw new Error(`${status} ${body}`);
}
