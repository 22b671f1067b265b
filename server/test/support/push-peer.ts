import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { decrypt } from "http_ece";

/** One request as it arrived. */
export interface Hit {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PushPeer {
  readonly origin: string;
  readonly hits: readonly Hit[];
  readonly server: Server;
}

/** Starts a server on a free port of the loopback address that answers as told, until the test ends. */
export async function startPushPeer(
  test: TestContext,
  answer: (response: ServerResponse, hit: Hit) => void,
): Promise<PushPeer> {
  const hits: Hit[] = [];
  const server = createServer((request, response) => {
    response.on("error", ignore);
    request.on("error", ignore);
    buffer(request).then((body) => {
      const hit = { path: request.url ?? "", headers: request.headers, body };
      hits.push(hit);
      answer(response, hit);
      return hit;
    }, ignore);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { origin: `http://127.0.0.1:${address.port}`, hits, server };
}

/** A client that breaks off is what some tests are about. */
function ignore(): void {}

/** Returns what a browser makes when it subscribes, and how it reads a message afterwards. */
export function subscribeBrowser() {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  return {
    keys: { p256dh, auth },
    open(body: Buffer): unknown {
      const plaintext = decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth });
      return JSON.parse(plaintext.toString());
    },
  };
}
