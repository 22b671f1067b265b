import {
  NGHTTP2_INTERNAL_ERROR,
  NGHTTP2_NO_ERROR,
  type Exchange,
  type RawResponse,
} from "./exchange.ts";

/**
 * The double's behaviour for one request instead of its verdict. The request is still validated and logged.
 * `after` delays everything until the test resolves it. `delivers` passes a valid message to the device first, so that
 * the sender cannot know that it arrived.
 */
export type FcmScript = {
  readonly after?: Promise<unknown>;
  readonly delivers?: boolean;
} & (
  | { readonly kind: "verdict" }
  | ({ readonly kind: "answer" } & RawResponse)
  /** RST_STREAM with this code, INTERNAL_ERROR by default (RFC 9113 section 7). Other streams continue. */
  | { readonly kind: "reset-stream"; readonly when: ResetMoment; readonly code?: number }
  /** A TCP reset: every stream of the connection ends. */
  | { readonly kind: "reset-connection"; readonly when: ResetMoment }
  /**
   * GOAWAY, NO_ERROR by default. If `isProcessed`, this request is answered with its verdict, and only later requests
   * are not processed. Otherwise this request is not processed either, so that its sender may repeat it. On HTTP/1.1,
   * the connection is reset instead.
   */
  | {
      readonly kind: "goaway";
      readonly isProcessed: boolean;
      readonly code?: number;
      readonly reason?: string;
    }
  | { readonly kind: "hang" }
);

type ResetMoment = "before-headers" | "after-headers";

/** Returns whether a valid message reaches the device with this script. */
export function isDelivered(script: FcmScript | null): boolean {
  if (script === null || script.kind === "verdict") return true;
  return script.delivers === true || (script.kind === "goaway" && script.isProcessed);
}

/** Runs the script of an exchange. Without a script, responds with the verdict. */
export async function runScript(
  script: FcmScript | null,
  exchange: Exchange,
  verdict: RawResponse,
): Promise<void> {
  switch (script?.kind) {
    case undefined:
    case "verdict":
      exchange.respond(verdict);
      break;
    case "answer":
      exchange.respond(script);
      break;
    case "reset-stream":
      if (script.when === "after-headers") await exchange.startResponse(verdict.status);
      exchange.reset(script.code ?? NGHTTP2_INTERNAL_ERROR);
      break;
    case "reset-connection":
      if (script.when === "after-headers") await exchange.startResponse(verdict.status);
      exchange.connection.reset();
      break;
    case "goaway": {
      const { code = NGHTTP2_NO_ERROR, reason = "" } = script;
      exchange.goaway(code, script.isProcessed, reason);
      if (script.isProcessed) exchange.respond(verdict);
      break;
    }
    case "hang":
      break;
  }
}
