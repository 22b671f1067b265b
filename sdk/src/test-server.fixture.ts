import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { TestContext } from "node:test";

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A function that responds to one request after its body was read. */
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

/**
 * Starts a server on a free port, and stops it after the test. The nth request gets the nth reply, and later requests
 * get the last one.
 */
export async function startServer(
  t: TestContext,
  ...replies: readonly Reply[]
): Promise<{ baseUrl: string; requests: readonly ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      const received = requests.at(-1);
      if (reply !== undefined && received !== undefined) reply(response, received);
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
  return { baseUrl: `http://127.0.0.1:${address.port}`, requests };
}

/** Returns a JSON reply. */
export function createJsonReply(
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Returns a reply with an error in the format that the notification API and the app API share. */
export function createRefusalReply(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Reply {
  const error = { code, field: "title", requestId: "r-1" };
  return createJsonReply(status, { success: false, message: `Refused: ${code}`, error }, headers);
}

/** Returns a request as one line. */
export function formatRequest({ method, url, body }: ReceivedRequest): string {
  return `${method} ${url}${body === "" ? "" : ` ${body}`}`;
}
