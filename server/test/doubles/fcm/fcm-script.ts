import { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } from "./exchange.ts";
import type { Exchange, RawAnswer } from "./exchange.ts";

/**
 * The double's behaviour for one request instead of its verdict. The request is judged and logged all the
 * same. `after` holds everything back until the test resolves it; `delivers` hands a good message to the device first,
 * so that the sender cannot know that it arrived.
 */
export type ScriptedAnswer = {
  readonly after?: Promise<unknown>;
  readonly delivers?: boolean;
} & (
  | { readonly kind: "verdict" }
  | ({ readonly kind: "answer" } & RawAnswer)
  /** RST_STREAM with this code, INTERNAL_ERROR by default (RFC 9113 section 7): other streams go on. */
  | { readonly kind: "reset"; readonly when: When; readonly code?: number }
  /** A TCP reset: every stream of the connection ends. */
  | { readonly kind: "cut"; readonly when: When }
  /**
   * GOAWAY, NO_ERROR by default. Where this request is processed it is answered by its verdict, and later ones are
   * refused; where it is not, it is refused as well, and safe to repeat.
   */
  | {
      readonly kind: "go-away";
      readonly isProcessed: boolean;
      readonly code?: number;
      readonly reason?: string;
    }
  | { readonly kind: "hang" }
);

type When = "before-headers" | "after-headers";

/** Says whether a good message reaches the device under this script. */
export function isDelivered(scripted: ScriptedAnswer | null): boolean {
  if (scripted === null || scripted.kind === "verdict") return true;
  return scripted.delivers === true || (scripted.kind === "go-away" && scripted.isProcessed);
}

/** Ends one exchange as scripted, or by the verdict. */
export async function perform(
  scripted: ScriptedAnswer | null,
  exchange: Exchange,
  verdict: RawAnswer,
): Promise<void> {
  switch (scripted?.kind) {
    case undefined:
    case "verdict":
      exchange.answer(verdict);
      break;
    case "answer":
      exchange.answer(scripted);
      break;
    case "reset":
      if (scripted.when === "after-headers") await exchange.beginAnswer(verdict.status);
      exchange.reset(scripted.code ?? NGHTTP2_INTERNAL_ERROR);
      break;
    case "cut":
      if (scripted.when === "after-headers") await exchange.beginAnswer(verdict.status);
      exchange.connection.cut();
      break;
    case "go-away": {
      const { code = NGHTTP2_NO_ERROR, reason = "" } = scripted;
      exchange.goAway(code, scripted.isProcessed, reason);
      if (scripted.isProcessed) exchange.answer(verdict);
      break;
    }
    case "hang":
      break;
  }
}
