import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { LOOPBACK } from "../doubles/listen.ts";

/** A server whose console can change under the browsers that have it open. */
export interface UpdatedConsole {
  readonly url: string;
  /** From now on browsers find another worker there, as after an update of the server. */
  update(): void;
}

/** Starts a proxy before a server that tells of a new version of the console when the test says so. */
export async function startUpdatedConsole(
  test: TestContext,
  behind: string,
): Promise<UpdatedConsole> {
  let version = 1;
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, headers } = incoming;
    const isWorker = incoming.url === "/sw.js";
    // The worker's text is changed below, so it must come as text, and whole.
    const asked = isWorker ? { host: headers.host } : headers;
    const onward = request(new URL(incoming.url ?? "/", behind), { method, headers: asked });
    onward.on("response", (answer) => {
      const { "content-length": _length, etag: _tag, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, isWorker ? rest : answer.headers);
      if (isWorker) outgoing.write(`// version ${version}\n`);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  };
  const proxy = createServer(forward).listen(0, LOOPBACK);
  test.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await new Promise((resolve) => proxy.once("listening", resolve));
  // A server that listens on a port has such an address.
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}`,
    update: () => {
      version += 1;
    },
  };
}
