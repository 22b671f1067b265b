import { randomBytes } from "node:crypto";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { Config } from "#config/config.ts";
import { ok, warn, type Verdict } from "./finding.ts";

/** The public URL of a server, and the APIs that it speaks. */
export interface WebSocketCheckOptions {
  readonly config: Pick<Config, "baseUrl" | "dialects">;
  /** Certificate authorities in PEM; by default Node's own. */
  readonly ca?: string | undefined;
  /** The timeout of the whole attempt, by default `TIMEOUT_MS`; tests set a shorter one. */
  readonly timeoutMs?: number;
}

/** The result of an attempt to open a WebSocket. */
type UpgradeResult =
  | { readonly kind: "opened" }
  /** The upgrade succeeded, and no frame arrived over the connection. */
  | { readonly kind: "mute" }
  /** An ordinary response arrived instead of the upgrade. */
  | { readonly kind: "plain"; readonly status: number }
  /** No response arrived. */
  | { readonly kind: "failed" };

const TIMEOUT_MS = 5_000;

/** Checks whether a proxy lets apps open a WebSocket (RFC 6455) at the base URL. */
export async function checkWebSocket(options: WebSocketCheckOptions): Promise<Verdict> {
  const { baseUrl, dialects } = options.config;
  if (dialects.length === 0) return ok("Not needed: TOCSIN_DIALECTS lets no apps connect.");
  const result = await openWebSocket(new URL("/healthz", baseUrl), options);
  switch (result.kind) {
    case "opened":
      return ok(`Apps can keep a WebSocket open to ${baseUrl}.`);
    case "plain":
      return result.status === 200
        ? warn(`${BROKEN}: it was not told of the upgrade.`, PASS_UPGRADES)
        : warn(`${BROKEN}: the request for one was answered with ${result.status}.`, PASS_UPGRADES);
    case "mute":
      return warn(`${BROKEN}: after the upgrade, nothing comes through.`, PASS_UPGRADES);
    case "failed":
      return warn(
        "Not checked: no server answers yet.",
        "Fix the problem of the server above, then run tocsin doctor again.",
      );
  }
}

const BROKEN = "The apps of ntfy and Gotify cannot keep a WebSocket open to the server";
const PASS_UPGRADES =
  "Let the proxy pass Upgrade and Connection on to the server, over HTTP/1.1, as the files in deploy/ do.";

/** Asks for a WebSocket at a path where the server sends one frame and closes the connection. Never rejects. */
async function openWebSocket(
  url: URL,
  { ca, timeoutMs = TIMEOUT_MS }: WebSocketCheckOptions,
): Promise<UpgradeResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, {
    signal,
    agent: false,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    },
    ...(ca === undefined ? {} : { ca }),
  });
  try {
    const answered = Promise.withResolvers<UpgradeResult | Promise<UpgradeResult>>();
    request.once("response", ({ statusCode = 0 }: IncomingMessage) =>
      answered.resolve({ kind: "plain", status: statusCode }),
    );
    request.once("upgrade", (_, socket: Duplex, head: Buffer) =>
      answered.resolve(awaitFrame(socket, head, signal)),
    );
    request.once("error", () => answered.resolve({ kind: "failed" }));
    request.end();
    return await answered.promise;
  } finally {
    request.destroy();
  }
}

async function awaitFrame(
  socket: Duplex,
  head: Buffer,
  signal: AbortSignal,
): Promise<UpgradeResult> {
  try {
    if (head.length === 0) await once(socket, "data", { signal });
    return { kind: "opened" };
  } catch {
    return { kind: "mute" };
  } finally {
    socket.destroy();
  }
}
