import { constants, type ServerHttp2Stream } from "node:http2";
import type { ApnsConnection, GoawayReason } from "./apns-connection.ts";

/**
 * The service's behaviour for one request instead of its verdict. The request is still validated and logged.
 * `after` delays everything until the test resolves it. `delivers` passes a valid push to the device first, so that
 * the sender cannot know that it arrived.
 */
export type ApnsScript = { readonly after?: Promise<unknown> } & (
  | { readonly kind: "verdict" }
  /** Apple's JSON if there is a reason, otherwise the given body, such as a proxy's page. */
  | ({ readonly kind: "answer" } & ApnsScriptedResponse)
  /** RST_STREAM with a code of RFC 9113 section 7; 7 means that nothing was processed. */
  | ({ readonly kind: "reset-stream"; readonly code: number } & CutOptions)
  /** A TCP reset: every stream of the connection ends. */
  | ({ readonly kind: "reset-connection" } & CutOptions)
  | { readonly kind: "hang"; readonly delivers?: boolean }
  /**
   * With `before-request`, neither this request nor later ones are processed. With `after-request`, this request is answered
   * and later ones are not processed.
   */
  | ({ readonly kind: "goaway"; readonly when: "before-request" | "after-request" } & GoawayReason)
);

/** A scripted response in Apple's form, or a proxy's. */
export interface ApnsScriptedResponse {
  readonly status: number;
  readonly reason?: string;
  /** Sent with the reason of a 410. */
  readonly timestampMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface CutOptions {
  /** "before-headers" by default. After them, the sender has received 200 but not the end of the response. */
  readonly when?: "before-headers" | "after-headers";
  readonly delivers?: boolean;
}

/** A request that waits for its response. */
export interface ApnsExchange {
  readonly connection: ApnsConnection;
  readonly stream: ServerHttp2Stream;
  readonly apnsId: string;
  /** Passes a valid push on to the device; does nothing for a refused one. */
  readonly deliver: () => void;
  /** Passes a valid push on, and then responds with the verdict. */
  readonly complete: () => void;
}

/** Runs a script for one request. */
export function runScript(script: ApnsScript, exchange: ApnsExchange): void {
  const { connection, stream } = exchange;
  switch (script.kind) {
    case "verdict":
      exchange.complete();
      break;
    case "answer":
      respond(exchange, script);
      break;
    case "reset-stream":
      cutExchange(exchange, script, () => stream.close(script.code));
      break;
    case "reset-connection":
      cutExchange(exchange, script, () => connection.reset());
      break;
    case "hang":
      if (script.delivers === true) exchange.deliver();
      break;
    case "goaway":
      if (script.when === "before-request") {
        connection.goawayBefore(stream, script);
        break;
      }
      exchange.complete();
      connection.goawayAfter(stream, script);
      break;
  }
}

/** Responds to a request in Apple's form. */
export function respond(
  { connection, stream, apnsId }: ApnsExchange,
  response: ApnsScriptedResponse,
): void {
  const { status, reason, timestampMs, headers, body } = response;
  connection.recordProcessed(stream);
  stream.respond({ ":status": status, "apns-id": apnsId, ...headers });
  stream.end(reason === undefined ? body : JSON.stringify({ reason, timestamp: timestampMs }));
}

function cutExchange(
  exchange: ApnsExchange,
  { when, delivers }: CutOptions,
  close: () => void,
): void {
  const { connection, stream, apnsId } = exchange;
  if (delivers === true) exchange.deliver();
  if (when !== "after-headers") {
    close();
    return;
  }
  stream.respond({ ":status": constants.HTTP_STATUS_OK, "apns-id": apnsId });
  // Without this, Node would end the response properly before it resets the stream.
  Object.assign(stream, { end: () => stream });
  connection.runOnceReceived(close);
}
