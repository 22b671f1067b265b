import type { Account } from "./account.ts";
import type { Timestamp } from "./page.ts";

/** A new pairing. Its link or its code signs in one more browser, once; only this response contains them. */
export interface CreatedPairing {
  readonly id: string;
  /** The link, for a QR code. */
  readonly url: string;
  /** Ten letters and digits, to type at `/add`. */
  readonly code: string;
  readonly expiresAt: Timestamp;
}

/** The state of a pairing. */
export interface Pairing {
  readonly id: string;
  readonly state: "waiting" | "used" | "expired";
  readonly expiresAt: Timestamp;
}

/** The token from the link of a pairing, or its code. */
export type PairingProof =
  | { readonly token: string; readonly code?: never }
  | { readonly code: string; readonly token?: never };

/** A session that a pairing opened. */
export interface PairingResult {
  readonly account: Account;
  /** Signs in the app that this browser adds to the Home Screen; valid for an hour, and null for that app itself. */
  readonly installToken: string | null;
}
