import type { Dialect } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The owner that an API key acts for, and whether the key accepts only POST. */
export type Principal =
  | {
      readonly kind: "account";
      readonly keyId: string;
      /** The first key of the rotation chain that led to this one; the key itself if it was never rotated. */
      readonly firstKeyId: string;
      readonly accountId: string;
      readonly isPostOnly: boolean;
    }
  | {
      readonly kind: "team";
      readonly keyId: string;
      /** The first key of the rotation chain. */
      readonly firstKeyId: string;
      /** The creator of the key. */
      readonly accountId: string;
      readonly teamId: string;
      readonly isPostOnly: boolean;
    };

/** A stored API key that is not revoked. All times are milliseconds since the epoch. */
export interface ApiKey {
  readonly id: string;
  readonly kind: "account" | "team";
  readonly teamId: string | null;
  readonly label: string | null;
  /** The last characters of the key. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** The key that replaced this one in a rotation. */
  readonly replacedBy: string | null;
  /** Whether GET requests are refused. */
  readonly isPostOnly: boolean;
  /** The escalation policy of emergencies that name no other; null for none. */
  readonly escalationPolicyId: string | null;
  /** Whether a secret signs the callbacks of this key and of the others in its rotation chain. */
  readonly hasCallbackSecret: boolean;
  /** The API whose programs use the key, in the shape that they accept; null for a UUID. */
  readonly dialect: Dialect | null;
  /** The channel of sends in APIs that name none; null for the default one. */
  readonly channel: string | null;
}

/** Changes to a key. Absent fields keep their value. */
export interface KeyChange {
  readonly label?: string | null;
  readonly isPostOnly?: boolean;
  readonly escalationPolicyId?: string | null;
  readonly channel?: string | null;
}

/** A newly created API key. */
export interface IssuedKey {
  /** The key itself, which only its creator receives, once. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** The owners whose keys an account may manage: itself and the teams that it manages. */
export interface KeyOwners {
  readonly accountId: string;
  readonly teamIds: readonly string[];
}

/** The id of a key, and its possible owners. */
export interface OwnedKey {
  readonly owners: KeyOwners;
  readonly keyId: string;
}

/** A version 4 UUID in any letter case (RFC 9562 section 5.4). */
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Maximum length of a label, in UTF-16 code units. */
export const LABEL_LENGTH_MAX = 80;

/** A date and time (RFC 3339 section 5.6). */
const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Returns a UUID key in lower case, which is the form that is hashed; null if the string is not one. */
export function parseApiKey(text: string): string | null {
  return UUID_PATTERN.test(text) ? text.toLowerCase() : null;
}

/** Returns whether a key has expired at the time `now`. */
export function isExpired({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/**
 * Returns a trimmed label without control characters; lone surrogates become U+FFFD. Null if nothing is left. Throws
 * `invalid_field` if more than `LABEL_LENGTH_MAX` code units are left.
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
 * Parses an RFC 3339 time to milliseconds since the epoch; null, which means that the key never expires, stays null.
 * Throws `invalid_field` unless the time is in the future.
 */
export function parseExpiry(text: string | null, now: number): number | null {
  if (text === null) return null;
  const expiresAt = TIMESTAMP_PATTERN.test(text) ? Date.parse(text) : Number.NaN;
  if (!(expiresAt > now)) {
    throw invalidField("expiresAt", "expiresAt must be an RFC 3339 time in the future.");
  }
  return expiresAt;
}
