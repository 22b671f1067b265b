import type { Account } from "./account.ts";
import type { Timestamp } from "./page.ts";

/** The credentials that admit one more browser to the account, once; link and code are shown only now. */
export interface NewPairing {
  readonly id: string;
  /** For a QR code. */
  readonly url: string;
  /** Ten letters and digits, to be typed at `/add`. */
  readonly code: string;
  readonly expiresAt: Timestamp;
}

/** The state of a pairing. */
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
  /** Signs in the app that this browser puts on the Home Screen, for an hour; null for that app itself. */
  readonly installToken: string | null;
}
