import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { decrypt } from "http_ece";

/** A received request. */
export interface PushRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A plain HTTP server in place of a push service. */
export interface PushPeer {
  readonly origin: string;
  readonly requests: readonly PushRequest[];
  readonly server: Server;
}

/** Starts a server on a free loopback port that responds with `respond`. It ends with the test. */
export async function startPushPeer(
  test: TestContext,
  respond: (response: ServerResponse, pushRequest: PushRequest) => void,
): Promise<PushPeer> {
  const requests: PushRequest[] = [];
  const server = createServer((request, response) => {
    response.on("error", ignore);
    request.on("error", ignore);
    buffer(request).then((body) => {
      const pushRequest = { path: request.url ?? "", headers: request.headers, body };
      requests.push(pushRequest);
      respond(response, pushRequest);
      return pushRequest;
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
  return { origin: `http://127.0.0.1:${address.port}`, requests, server };
}

/** Ignores errors, because some tests abort requests. */
function ignore(): void {}

/** Returns the keys of a new browser subscription, and a function that decrypts its messages. */
export function subscribeBrowser() {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  return {
    keys: { p256dh, auth },
    decryptMessage(body: Buffer): unknown {
      const plaintext = decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth });
      return JSON.parse(plaintext.toString());
    },
  };
}
