import { invalidField } from "#errors.ts";

/** The owner that an API key acts for, and whether the key refuses to send by GET. */
export type Principal =
  | {
      readonly kind: "account";
      readonly keyId: string;
      /** The first key of the chain of rotations that led to this one; the key itself if it was never rotated. */
      readonly firstKeyId: string;
      readonly accountId: string;
      readonly isPostOnly: boolean;
    }
  | {
      readonly kind: "team";
      readonly keyId: string;
      /** As above. */
      readonly firstKeyId: string;
      readonly accountId: string;
      readonly teamId: string;
      readonly isPostOnly: boolean;
    };

/** An API key that is not revoked, as stored; all moments are milliseconds since the epoch. */
export interface ApiKey {
  readonly id: string;
  readonly kind: "account" | "team";
  readonly teamId: string | null;
  readonly label: string | null;
  /** The last four characters of the key. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** The key that a rotation created in its place. */
  readonly replacedBy: string | null;
  /** Refuses GET. */
  readonly isPostOnly: boolean;
}

/** Changes to a key; absent fields stay as they are. */
export interface KeyChange {
  readonly label?: string | null;
  readonly isPostOnly?: boolean;
}

/** A new API key, at the only moment at which the key itself is known. */
export interface IssuedKey {
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** The owners whose keys an account may manage: the account itself, and the teams it manages. */
export interface KeyOwner {
  readonly accountId: string;
  readonly teamIds: readonly string[];
}

/** A key together with an owner that may manage it. */
export interface OwnKey {
  readonly owner: KeyOwner;
  readonly keyId: string;
}

/** A UUID of version 4 in any letter case (RFC 9562 section 5.4). */
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The longest label, in characters. */
export const LABEL_LENGTH_MAX = 80;

/** RFC 3339 section 5.6. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Returns a new key: a lower-case UUID of version 4, which has 122 random bits. */
export function newApiKey(): string {
  // oxlint-disable-next-line no-restricted-properties -- a key is a secret from the system's random numbers, not an id
  return crypto.randomUUID();
}

/** Returns a key in the letter case that is hashed; null for text that cannot be a key. */
export function parseApiKey(text: string): string | null {
  return FORM.test(text) ? text.toLowerCase() : null;
}

/** Returns the visible part of a key: its last four characters. */
export function hintOf(key: string): string {
  return key.slice(-4);
}

/** True from the moment at which a key expires. */
export function isExpired({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/**
 * Returns a label of up to 80 characters, without control characters and lone surrogates; null if nothing is left.
 * Throws `invalid_field`.
 */
export function parseLabel(text: string | null): string | null {
  const label = (text ?? "")
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  if (label.length > LABEL_LENGTH_MAX) {
    throw invalidField("label", `label must have at most ${LABEL_LENGTH_MAX} characters.`);
  }
  return label === "" ? null : label;
}

/**
 * Returns the moment of an RFC 3339 text in milliseconds since the epoch; throws `invalid_field` unless it is in the
 * future.
 */
export function parseExpiry(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (!(at > now)) {
    throw invalidField("expiresAt", "expiresAt must be an RFC 3339 time in the future.");
  }
  return at;
}
