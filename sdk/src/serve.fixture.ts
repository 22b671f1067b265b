import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import type { TestContext } from "node:test";

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request, whose body has been read. */
export type Reply = (response: ServerResponse, seen: Seen) => void;

/**
 * Starts a server on a free port, stopped at the end of the test; the nth request gets the nth reply, later ones the
 * last.
 */
export async function serve(
  t: TestContext,
  ...replies: readonly Reply[]
): Promise<{ baseUrl: string; seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const reply = replies[Math.min(seen.length, replies.length) - 1];
      const last = seen.at(-1);
      if (reply !== undefined && last !== undefined) reply(response, last);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { baseUrl: `http://127.0.0.1:${address.port}`, seen };
}

/** Returns a reply in JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Returns a reply with the body of an error of the notification and app API. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  const error = { code, field: "title", requestId: "r-1" };
  return json(status, { success: false, message: `Refused: ${code}`, error }, headers);
}

/** Returns a request as one line. */
export function lineOf({ method, url, body }: Seen): string {
  return `${method} ${url}${body === "" ? "" : ` ${body}`}`;
}
