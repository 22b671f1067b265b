import { request, type Dispatcher } from "undici";
import { classifyError, type ConnectionFault } from "./connection-fault.ts";

/** The response to a probe, or the reason why there is none. */
export type ProbeResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** The beginning of the body, at most `RESPONSE_MAX_BYTES`. */
      readonly body: string;
    }
  | { readonly kind: "silent"; readonly fault: ConnectionFault };

const PROBE_TIMEOUT_MS = 5_000;
const RESPONSE_MAX_BYTES = 4_096;

/** Sends one GET request, without following redirects. Never rejects, and resolves within the timeout. */
export async function probe(
  dispatcher: Dispatcher,
  url: URL,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<ProbeResult> {
  const controller = new AbortController();
  const timedOut = Promise.withResolvers<ProbeResult>();
  // undici ignores the signal until it is connected.
  const timer = setTimeout(() => {
    timedOut.resolve({ kind: "silent", fault: { kind: "silent", code: null } });
    controller.abort();
  }, timeoutMs);
  try {
    return await Promise.race([sendGet(dispatcher, url, controller.signal), timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function sendGet(
  dispatcher: Dispatcher,
  url: URL,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    const { statusCode: status, headers, body } = await request(url, { dispatcher, signal });
    return { kind: "answered", status, headers, body: await readBeginning(body) };
  } catch (error) {
    return { kind: "silent", fault: classifyError(error) };
  }
}

/** Reads the beginning of a body. Leaving the loop early closes the connection. */
async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, RESPONSE_MAX_BYTES - sizeBytes));
    sizeBytes += chunk.length;
    if (sizeBytes >= RESPONSE_MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
