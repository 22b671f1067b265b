import type { Account } from "./account.ts";
import type { Timestamp } from "./page.ts";

/** What lets one more browser into the account, once; its link and code are shown this once. */
export interface NewPairing {
  readonly id: string;
  /** For a QR code. */
  readonly url: string;
  /** Ten letters and digits, to be typed at `/add`. */
  readonly code: string;
  readonly expiresAt: Timestamp;
}

/** What became of a pairing. */
export interface Pairing {
  readonly id: string;
  readonly state: "waiting" | "used" | "expired";
  readonly expiresAt: Timestamp;
}

/** The token in the link of a pairing, or its code. */
export type PairingProof =
  | { readonly token: string; readonly code?: never }
  | { readonly code: string; readonly token?: never };

/** A session that a pairing opened. */
export interface Paired {
  readonly account: Account;
  /** For an hour, lets in the app that this browser puts on the Home Screen; null for that app itself. */
  readonly installToken: string | null;
}
