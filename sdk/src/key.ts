import type { Timestamp } from "./page.ts";

/** Whose devices an API key reaches: those of one account, or of every member of a team. */
export type KeyKind = "account" | "team";

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  /** Null for an account key. */
  readonly teamId: string | null;
  readonly label: string | null;
  /** The last four characters of the key. */
  readonly hint: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
  readonly expiresAt: Timestamp | null;
  /** The id of the key that a rotation made in its place; null where there was none. */
  readonly replacedBy: string | null;
  /** GET with this key is refused and sends nothing. */
  readonly postOnly: boolean;
}

/** The answer to making or rotating an API key: `key` is a lower-case UUID version 4, shown this once. */
export interface IssuedApiKey extends ApiKey {
  readonly key: string;
}

/** The request that makes an API key. */
export type NewApiKey =
  | {
      readonly kind: "account";
      readonly label?: string;
      readonly expiresAt?: Timestamp;
      readonly postOnly?: boolean;
    }
  | {
      readonly kind: "team";
      readonly teamId: string;
      readonly label?: string;
      readonly expiresAt?: Timestamp;
      readonly postOnly?: boolean;
    };

/** The request that changes an API key; what is not given stays, and a label that is null goes. */
export interface ApiKeyChange {
  readonly label?: string | null;
  readonly postOnly?: boolean;
}

/** The request that replaces an API key; for `overlapSeconds` the old one stays valid too. */
export interface KeyRotation {
  readonly overlapSeconds?: number;
}
