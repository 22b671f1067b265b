import type { IncomingHttpHeaders } from "node:http2";
import type { ApnsAccepted, ApnsVerdict } from "./apns-rules.ts";
import type { ApnsScript } from "./apns-script.ts";

/** The connection and stream of a request, and its id. */
export interface ApnsRequestOrigin {
  /** Number of the connection, from 1, in the order of connecting. */
  readonly connection: number;
  /** Odd, rising on each connection (RFC 9113 section 5.1.1). */
  readonly streamId: number;
  /** The sender's valid id, or else one that the service generated. */
  readonly apnsId: string;
}

/** A request to the service with its verdict. */
export interface ApnsRequestRecord extends ApnsRequestOrigin {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The names of the fields that were sent as never-indexed literals (RFC 7541 section 6.2.3). */
  readonly neverIndexed: readonly string[];
  readonly body: Buffer;
  readonly verdict: ApnsVerdict;
  /** The scripted behaviour that replaced the verdict, if any. */
  readonly script: ApnsScript | null;
}

/** A push that the service accepted and passed on to the device. */
export interface ApnsPush extends ApnsAccepted, ApnsRequestOrigin {}
