import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { RecentMap } from "#concurrency/recent-map.ts";

/**
 * Returns the contact that push services get, as a `mailto:` or `https:` address. Null if none is known yet, which leaves
 * the claim `sub` out (RFC 8292 section 2.1).
 */
export type Contact = () => Promise<string | null>;

/**
 * The key pair that identifies this server to push services. Both parts are base64url without padding: the public key an
 * uncompressed P-256 point of 65 bytes, the private key 32 bytes.
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface VapidIdentity {
  readonly keys: VapidKeys;
  readonly contact: Contact;
  /** Milliseconds since the epoch: what a token says of its end. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds: how old a token is. */
  readonly elapsed: () => number;
}

/** Moments by the monotonic clock. */
interface SignedVapidToken {
  readonly authorization: Promise<string>;
  /** False once the token is known to name no contact. */
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

/** The longest life of a token (RFC 8292 section 2). */
const LIFETIME_MAX_MS = 24 * 60 * 60 * 1000;
/** Half of it, so that a clock that is hours off does not break it. */
const LIFETIME_MS = LIFETIME_MAX_MS / 2;
const RENEWAL_AGE_MS = LIFETIME_MS / 2;
/** A token without a contact is replaced soon after there is one, because the strictest services refuse it. */
const NO_CONTACT_AGE_MS = 60 * 1000;
/** Apple asks not to renew a token more than once an hour. */
const FORCED_RENEWAL_FLOOR_MS = 60 * 60 * 1000;
const MAX_ORIGINS = 1_000;

/** Holds one signed credential per push service and renews it in time. */
export class VapidTokens {
  readonly #key: KeyObject;
  readonly #identity: VapidIdentity;
  readonly #minted = new RecentMap<string, SignedVapidToken>(MAX_ORIGINS);

  constructor(identity: VapidIdentity) {
    this.#identity = identity;
    this.#key = signingKey(identity.keys);
  }

  /** Returns the `Authorization` header for an origin; concurrent callers share one signature. */
  async authorization(origin: string): Promise<string> {
    return this.#current(origin).authorization;
  }

  /**
   * Returns another header than the one that an origin refused. Null if a refusal forced a new one within the last hour:
   * then the token is not at fault.
   */
  async renew(origin: string, refused: string): Promise<string | null> {
    const current = this.#current(origin);
    if ((await current.authorization) !== refused) return current.authorization;
    const latest = this.#current(origin);
    if (latest !== current) return latest.authorization;
    const now = this.#identity.elapsed();
    const { forcedAt } = current;
    if (forcedAt !== null && now - forcedAt < FORCED_RENEWAL_FLOOR_MS) return null;
    return this.#mint(origin, now).authorization;
  }

  #current(origin: string): SignedVapidToken {
    const held = this.#minted.get(origin);
    if (held === undefined) return this.#mint(origin, null);
    const { now, elapsed } = this.#identity;
    const leftMs = held.expiresAt - now();
    // Signed by a wrong clock, or before the machine slept: refusals of such a token forbid no other one.
    if (leftMs <= 0 || leftMs > LIFETIME_MAX_MS) return this.#mint(origin, null);
    const age = elapsed() - held.mintedAt;
    const ageMax = held.hasContact ? RENEWAL_AGE_MS : NO_CONTACT_AGE_MS;
    return age < ageMax ? held : this.#mint(origin, held.forcedAt);
  }

  #mint(origin: string, forcedAt: number | null): SignedVapidToken {
    const { now, elapsed, contact } = this.#identity;
    const mintedAt = elapsed();
    const expiresAt = now() + LIFETIME_MS;
    const subject = contact();
    const authorization = subject.then((sub) => this.#sign({ origin, sub, expiresAt }));
    const minted: SignedVapidToken = {
      authorization,
      hasContact: true,
      mintedAt,
      expiresAt,
      forcedAt,
    };
    void subject.then((sub) => (minted.hasContact = sub !== null));
    this.#minted.set(origin, minted);
    return minted;
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
function signingKey({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x, y, d: privateKey },
  });
}
