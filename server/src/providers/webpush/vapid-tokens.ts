import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { RecentMap } from "#concurrency/recent-map.ts";

/**
 * Returns the contact for push services, as a `mailto:` or `https:` URI. Null if none is known yet: tokens then omit the
 * claim `sub` (RFC 8292 section 2.1).
 */
export type Contact = () => Promise<string | null>;

/**
 * The key pair that identifies this server to push services. Both keys are base64url without padding: the public key an
 * uncompressed P-256 point of 65 bytes, the private key 32 bytes.
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The keys and contact that tokens are signed with, and the clocks for their lifetime. */
export interface VapidIdentity {
  readonly keys: VapidKeys;
  readonly contact: Contact;
  /** Milliseconds since the epoch, for the expiry of a token. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds, for the age of a token. */
  readonly elapsed: () => number;
}

/** Times are from the monotonic clock, unless stated otherwise. */
interface SignedVapidToken {
  readonly authorization: Promise<string>;
  /** False once the token is known to have no contact. */
  hasContact: boolean;
  readonly mintedAt: number;
  /** The claim `exp`, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When a refusal by the push service last forced a new token, or null. */
  readonly forcedAt: number | null;
}

interface VapidClaims {
  readonly origin: string;
  readonly sub: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The maximum lifetime of a token (RFC 8292 section 2). */
const LIFETIME_MAX_MS = 24 * 60 * 60 * 1000;
/** Half the maximum, so that a token stays valid even if a clock is hours off. */
const LIFETIME_MS = LIFETIME_MAX_MS / 2;
const RENEWAL_AGE_MS = LIFETIME_MS / 2;
/** A token without a contact is replaced soon after a contact is known, because the strictest services refuse it. */
const NO_CONTACT_AGE_MS = 60 * 1000;
/** Apple asks not to renew a token more than once an hour. */
const FORCED_RENEWAL_INTERVAL_MS = 60 * 60 * 1000;
const ORIGINS_MAX = 1_000;

/** Caches one signed token per push service and renews it before it expires. */
export class VapidTokens {
  readonly #key: KeyObject;
  readonly #identity: VapidIdentity;
  readonly #tokens = new RecentMap<string, SignedVapidToken>(ORIGINS_MAX);

  constructor(identity: VapidIdentity) {
    this.#identity = identity;
    this.#key = createSigningKey(identity.keys);
  }

  /** Returns the `Authorization` header for an origin; concurrent callers share one signature. */
  async authorization(origin: string): Promise<string> {
    return this.#current(origin).authorization;
  }

  /**
   * Returns a different header from the one that an origin refused. Null if a refusal already forced a new token within the
   * last hour: then the token is not the cause.
   */
  async renew(origin: string, refused: string): Promise<string | null> {
    const current = this.#current(origin);
    if ((await current.authorization) !== refused) return current.authorization;
    const latest = this.#current(origin);
    if (latest !== current) return latest.authorization;
    const now = this.#identity.elapsed();
    const { forcedAt } = current;
    if (forcedAt !== null && now - forcedAt < FORCED_RENEWAL_INTERVAL_MS) return null;
    return this.#mint(origin, now).authorization;
  }

  #current(origin: string): SignedVapidToken {
    const cached = this.#tokens.get(origin);
    if (cached === undefined) return this.#mint(origin, null);
    const { now, elapsed } = this.#identity;
    const remainingMs = cached.expiresAt - now();
    // The token was signed with a wrong clock, or before the machine slept. A refusal of such a token does not block a later
    // forced renewal.
    if (remainingMs <= 0 || remainingMs > LIFETIME_MAX_MS) return this.#mint(origin, null);
    const age = elapsed() - cached.mintedAt;
    const ageMax = cached.hasContact ? RENEWAL_AGE_MS : NO_CONTACT_AGE_MS;
    return age < ageMax ? cached : this.#mint(origin, cached.forcedAt);
  }

  #mint(origin: string, forcedAt: number | null): SignedVapidToken {
    const { now, elapsed, contact } = this.#identity;
    const mintedAt = elapsed();
    const expiresAt = now() + LIFETIME_MS;
    const subject = contact();
    const authorization = subject.then((sub) => this.#sign({ origin, sub, expiresAt }));
    const token: SignedVapidToken = {
      authorization,
      hasContact: true,
      mintedAt,
      expiresAt,
      forcedAt,
    };
    void subject.then((sub) => (token.hasContact = sub !== null));
    this.#tokens.set(origin, token);
    return token;
  }

  async #sign({ origin, sub, expiresAt }: VapidClaims): Promise<string> {
    const { keys } = this.#identity;
    const token = await new SignJWT(sub === null ? {} : { sub })
      .setProtectedHeader({ alg: "ES256", typ: "JWT" })
      .setAudience(origin)
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(this.#key);
    return `vapid t=${token}, k=${keys.publicKey}`;
  }
}

/** Returns the private key as a key object for signing. */
function createSigningKey({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x, y, d: privateKey },
  });
}
