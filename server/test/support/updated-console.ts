import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { LOOPBACK } from "../doubles/listen.ts";

/** A server whose console can be updated while browsers have it open. */
export interface UpdatedConsole {
  readonly url: string;
  /** Serves a changed worker from now on, as after an update of the server. */
  update(): void;
}

/** Starts a proxy in front of a server that can simulate a new version of the console. */
export async function startUpdatedConsole(
  test: TestContext,
  serverUrl: string,
): Promise<UpdatedConsole> {
  let version = 1;
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, headers } = incoming;
    const isWorker = incoming.url === "/sw.js";
    // The worker's text is changed below, so it must be complete and uncompressed.
    const forwardedHeaders = isWorker ? { host: headers.host } : headers;
    const upstream = request(new URL(incoming.url ?? "/", serverUrl), {
      method,
      headers: forwardedHeaders,
    });
    upstream.on("response", (upstreamResponse) => {
      const { "content-length": _length, etag: _tag, ...otherHeaders } = upstreamResponse.headers;
      outgoing.writeHead(
        upstreamResponse.statusCode ?? 502,
        isWorker ? otherHeaders : upstreamResponse.headers,
      );
      if (isWorker) outgoing.write(`// version ${version}\n`);
      upstreamResponse.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const proxy = createServer(forward).listen(0, LOOPBACK);
  test.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await new Promise((resolve) => proxy.once("listening", resolve));
  // A server that listens on a port has an address of this type.
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}`,
    update: () => {
      version += 1;
    },
  };
}
