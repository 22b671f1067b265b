import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { RecentMap } from "#concurrency/recent-map.ts";

/**
 * A function that resolves with the contact for push services, a `mailto:` or `https:` URI; null if there is none yet.
 * Tokens then omit the claim `sub` (RFC 8292 section 2.1).
 */
export type FindContact = () => Promise<string | null>;

/**
 * The key pair that identifies this server to push services. Both keys are base64url without padding: the public key an
 * uncompressed P-256 point of 65 bytes, the private key 32 bytes.
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The keys and the contact of tokens, and the clocks for their lifetime. */
export interface VapidTokensDeps {
  readonly keys: VapidKeys;
  readonly findContact: FindContact;
  /** Milliseconds since the epoch, for the expiry of a token. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds, for the age of a token. */
  readonly elapsed: () => number;
}

/** A signed token. Times are from the monotonic clock, unless stated otherwise. */
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
const TTL_MAX_MS = 24 * 60 * 60 * 1000;
/** Half the maximum, so that a token stays valid even if a clock is hours off. */
const TTL_MS = TTL_MAX_MS / 2;
const RENEWAL_AGE_MS = TTL_MS / 2;
/** A token without a contact is replaced soon after a contact is known, because the strictest services refuse it. */
const NO_CONTACT_AGE_MAX_MS = 60 * 1000;
/** Apple asks not to renew a token more than once an hour. */
const FORCED_RENEWAL_INTERVAL_MS = 60 * 60 * 1000;
const ORIGINS_MAX = 1_000;

/** Caches one signed token per push service and renews it before it expires. */
export class VapidTokens {
  readonly #key: KeyObject;
  readonly #deps: VapidTokensDeps;
  readonly #tokens = new RecentMap<string, SignedVapidToken>(ORIGINS_MAX);

  constructor(deps: VapidTokensDeps) {
    this.#deps = deps;
    this.#key = createSigningKey(deps.keys);
  }

  /** Returns the `Authorization` header for an origin; concurrent callers share one signature. */
  async getAuthorization(origin: string): Promise<string> {
    return this.#getCurrent(origin).authorization;
  }

  /**
   * Returns a different header from the one that an origin refused. Null if a refusal already forced a new token within
   * the last hour: then the token is not the cause.
   */
  async renew(origin: string, refused: string): Promise<string | null> {
    const current = this.#getCurrent(origin);
    if ((await current.authorization) !== refused) return current.authorization;
    const latest = this.#getCurrent(origin);
    if (latest !== current) return latest.authorization;
    const now = this.#deps.elapsed();
    const { forcedAt } = current;
    if (forcedAt !== null && now - forcedAt < FORCED_RENEWAL_INTERVAL_MS) return null;
    return this.#mint(origin, now).authorization;
  }

  #getCurrent(origin: string): SignedVapidToken {
    const cached = this.#tokens.get(origin);
    if (cached === undefined) return this.#mint(origin, null);
    const { now, elapsed } = this.#deps;
    const remainingMs = cached.expiresAt - now();
    // The token was signed with a wrong clock, or before the machine slept. A refusal of such a token does not block a
    // later forced renewal.
    if (remainingMs <= 0 || remainingMs > TTL_MAX_MS) return this.#mint(origin, null);
    const ageMs = elapsed() - cached.mintedAt;
    const ageMaxMs = cached.hasContact ? RENEWAL_AGE_MS : NO_CONTACT_AGE_MAX_MS;
    return ageMs < ageMaxMs ? cached : this.#mint(origin, cached.forcedAt);
  }

  #mint(origin: string, forcedAt: number | null): SignedVapidToken {
    const { now, elapsed, findContact } = this.#deps;
    const mintedAt = elapsed();
    const expiresAt = now() + TTL_MS;
    const subject = findContact();
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
    const { keys } = this.#deps;
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
  // The format byte, then the two coordinates of 32 bytes each.
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x, y, d: privateKey },
  });
}
