import { WebSocket } from "ws";

/**
 * The end of a connection: `cut` if the app notices a failure, as after a kill, and `closed` if the server ended it in an
 * orderly way.
 */
export type ConnectionEnd = "cut" | "closed";

/** Options of a connection. */
export interface ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the connection as the death of the app does. */
  readonly signal: AbortSignal;
  /** An app that sleeps neither handles nor answers what its system has received. */
  readonly isAsleep: () => boolean;
}

const HANDSHAKE_MAX_MS = 10_000;
/** The code of a connection that ended without a close frame (RFC 6455 section 7.1.5). */
const WITHOUT_CLOSE_FRAME = 1006;

/**
 * Keeps a WebSocket as OkHttp does, which calls the handler of a message before it reads the next frame: the pong to a ping
 * follows the messages before it. Resolves with the end of the connection.
 */
export function keepWebSocket(
  { url, headers, signal, isAsleep }: ConnectionOptions,
  listeners: { readonly onOpen?: () => void; readonly onText: (text: string) => void },
): Promise<ConnectionEnd> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), {
    headers,
    perMessageDeflate: false,
    autoPong: false,
    handshakeTimeout: HANDSHAKE_MAX_MS,
  });
  const die = () => socket.terminate();
  signal.addEventListener("abort", die);
  socket.on("open", () => listeners.onOpen?.());
  socket.on("message", (data: Buffer) => {
    if (!isAsleep()) listeners.onText(data.toString());
  });
  socket.on("ping", (payload) => {
    if (!isAsleep()) socket.pong(payload);
  });
  // The event `close` follows.
  socket.on("error", () => {});
  const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
  socket.on("close", (code) => {
    signal.removeEventListener("abort", die);
    resolve(code === WITHOUT_CLOSE_FRAME ? "cut" : "closed");
  });
  return promise;
}

/** Reads the lines of a response that does not end. Resolves with the end of the connection. */
export async function keepResponse(
  { url, headers, signal, isAsleep }: ConnectionOptions,
  onLine: (line: string) => void,
): Promise<ConnectionEnd> {
  try {
    const response = await fetch(url, { headers, signal });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return "cut";
    }
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (!isAsleep()) onLine(line);
    }
    return "closed";
  } catch {
    return "cut";
  }
}

/** Returns the text of a response. Throws if the request fails. */
export async function fetchText({
  url,
  headers,
  signal,
}: Pick<ConnectionOptions, "url" | "headers" | "signal">): Promise<string> {
  const response = await fetch(url, { headers, signal });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} is ${response.status}: ${text}`);
  return text;
}
