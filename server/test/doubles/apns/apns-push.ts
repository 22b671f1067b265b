import type { IncomingHttpHeaders } from "node:http2";
import type { ApnsAccepted, ApnsVerdict } from "./apns-rules.ts";
import type { ApnsScripted } from "./apns-script.ts";

/** Where a request came in. */
export interface ApnsPlace {
  /** Counted from 1 in the order in which connections were made. */
  readonly connection: number;
  /** Odd, rising on each connection (RFC 9113 section 5.1.1). */
  readonly streamId: number;
  /** As the sender named the message, or as the service does where it was not named well. */
  readonly apnsId: string;
}

/** One request to the service and what the service thought of it. */
export interface ApnsJudged extends ApnsPlace {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The names of the fields that came as never-indexed literals (RFC 7541 section 6.2.3). */
  readonly neverIndexed: readonly string[];
  readonly body: Buffer;
  readonly verdict: ApnsVerdict;
  /** The answer that the sender got instead of the verdict, if a test asked for one. */
  readonly scripted: ApnsScripted | null;
}

/** A push that the service took and passed on to the device. */
export interface ApnsPush extends ApnsAccepted, ApnsPlace {}
