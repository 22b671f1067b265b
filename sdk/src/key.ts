import type { Timestamp } from "./page.ts";

/** The scope of an API key: the devices of one account, or the devices of every member of a team. */
export type KeyKind = "account" | "team";

/** The APIs of other services for whose programs a key can be created. */
export const DIALECTS = ["ntfy", "gotify", "pushover"] as const;

/** The API of another service that the programs with a key use. */
export type Dialect = (typeof DIALECTS)[number];

/** The APIs of other services that a server speaks. */
export interface DialectList {
  readonly items: readonly Dialect[];
  /** The host that is asked to wake the app of ntfy on iPhones; null if there is none. */
  readonly ntfyUpstream: string | null;
}

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  /** Null for an account key. */
  readonly teamId: string | null;
  readonly label: string | null;
  /** The last four characters of the key; the last two of a key for Gotify, which is short. */
  readonly hint: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
  readonly expiresAt: Timestamp | null;
  /** The id of the key that replaced it in a rotation; null if there is none. */
  readonly replacedBy: string | null;
  /** Whether a GET with this key is refused and sends nothing. */
  readonly postOnly: boolean;
  /** The escalation policy of emergencies that name no other; null for none. */
  readonly escalationPolicyId: string | null;
  /** Whether a secret signs the callbacks of this key, and of the keys that replace it. */
  readonly hasCallbackSecret: boolean;
  /** The API that the key is for: the key has the form that its programs expect, and is valid only there. Null for a UUID. */
  readonly dialect: Dialect | null;
  /** The channel of sends through another service's API that name no channel; null for `feed`. */
  readonly channel: string | null;
  /**
   * The user key for programs that send to Pushover, which stands for all devices that this key reaches; null for a key of
   * another dialect. It is no secret.
   */
  readonly userKey: string | null;
}

/**
 * A new or rotated API key. `key` is a lower-case UUID version 4, or has the form that `dialect` prescribes; only this response
 * contains it.
 */
export interface IssuedApiKey extends ApiKey {
  readonly key: string;
}

/** The request that creates an API key. */
export type NewApiKey = NewApiKeyFields &
  ({ readonly kind: "account" } | { readonly kind: "team"; readonly teamId: string });

/** The optional properties of a new API key. */
export interface NewApiKeyFields {
  readonly label?: string;
  readonly expiresAt?: Timestamp;
  readonly postOnly?: boolean;
  /** The API of the programs that will use the key, because they refuse keys of another form. */
  readonly dialect?: Dialect;
  /** The channel of sends through another service's API that name no channel. */
  readonly channel?: string;
}

/** The request that changes an API key; absent fields stay unchanged, and null removes the label, policy or channel. */
export interface ApiKeyChange {
  readonly label?: string | null;
  readonly postOnly?: boolean;
  /** An escalation policy of the key's owner. */
  readonly escalationPolicyId?: string | null;
  /** The channel of sends through another service's API that name no channel. */
  readonly channel?: string | null;
}

/** The request that replaces an API key; the old key stays valid for `overlapSeconds`. */
export interface KeyRotation {
  readonly overlapSeconds?: number;
}

/** A new secret that signs the callbacks of an API key, as Standard Webhooks defines; only this response contains it. */
export interface CallbackSecret {
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string;
}
