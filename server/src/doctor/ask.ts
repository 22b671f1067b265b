import { request, type Dispatcher } from "undici";
import { faultOf, type ConnectionFault } from "./connection-fault.ts";

/** The result of one request. */
export type AskResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** The beginning, at most `ANSWER_MAX_BYTES`. */
      readonly body: string;
    }
  | { readonly kind: "silent"; readonly fault: ConnectionFault };

const ASK_TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 4_096;

/** Makes one GET without following redirects; always resolves, after 5 seconds at the latest unless told otherwise. */
export async function ask(
  dispatcher: Dispatcher,
  url: URL,
  timeoutMs = ASK_TIMEOUT_MS,
): Promise<AskResult> {
  const controller = new AbortController();
  const late = Promise.withResolvers<AskResult>();
  // undici honours the signal only once it is connected.
  const timer = setTimeout(() => {
    late.resolve({ kind: "silent", fault: { kind: "silent", code: null } });
    controller.abort();
  }, timeoutMs);
  try {
    return await Promise.race([get(dispatcher, url, controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function get(dispatcher: Dispatcher, url: URL, signal: AbortSignal): Promise<AskResult> {
  try {
    const { statusCode: status, headers, body } = await request(url, { dispatcher, signal });
    return { kind: "answered", status, headers, body: await beginningOf(body) };
  } catch (error) {
    return { kind: "silent", fault: faultOf(error) };
  }
}

/** Leaving the loop early closes the connection. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, ANSWER_MAX_BYTES - sizeBytes));
    sizeBytes += chunk.length;
    if (sizeBytes >= ANSWER_MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
